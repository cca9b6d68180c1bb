"""A mapped file that becomes shorter while it is read is an error, not the end of the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_READS = """
import mmap, os, sys, threading
from pathlib import Path
from mprof.errors import EvidenceError
from mprof.io.truncation import raise_where_files_shrink
raise_where_files_shrink()
path = Path(sys.argv[1])
with path.open("r+b") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    os.truncate(path, mmap.PAGESIZE)
    found = []
    def read():
        found.append(mapped[:])
    try:
        if sys.argv[2] == "thread":
            reader = threading.Thread(target=read)
            reader.start()
            reader.join()
        else:
            read()
        for _ in range(1000):
            pass
    except EvidenceError as error:
        print(error.what)
    if found:
        print(found[0] == b"x" * mmap.PAGESIZE + bytes(len(mapped) - mmap.PAGESIZE))
print("goes on")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux's signal alone")
@pytest.mark.parametrize("where", ["main", "thread"])
def test_a_file_that_shrinks_is_said_and_the_program_goes_on(where: str, tmp_path: Path) -> None:
    path = tmp_path / "a dump.hprof"
    path.write_bytes(b"x" * (1 << 20))

    done = subprocess.run(
        [sys.executable, "-c", _READS, str(path), where], capture_output=True, text=True, timeout=60
    )

    assert done.stderr == ""
    assert done.returncode == 0
    said, *between, last = done.stdout.splitlines()
    assert said == f"{path} became shorter while it was read"
    assert set(between) <= {"True"}
    assert last == "goes on"
