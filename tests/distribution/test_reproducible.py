"""Two builds give the same bytes, and where they do not it is said what differs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from distribution.reproducible import differing_entries

ROOT = Path(__file__).parents[2]


def wheel(path: Path, entries: dict[str, bytes], *, year: int = 2020, mode: int = 0o644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, (year, 2, 2, 0, 0, 0))
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
    return path


def source(path: Path, content: bytes, *, owner: int = 0) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("mprof/a.py")
        entry.size, entry.uid = len(content), owner
        archive.addfile(entry, io.BytesIO(content))
    return path


def test_what_differs_between_two_archives_is_named(tmp_path: Path) -> None:
    one = wheel(tmp_path / "one.whl", {"a": b"1", "b": b"2"})
    others = {
        "b": wheel(tmp_path / "content.whl", {"a": b"1", "b": b"3"}),
        "c": wheel(tmp_path / "more.whl", {"a": b"1", "b": b"2", "c": b""}),
        "the order of the entries": wheel(tmp_path / "order.whl", {"b": b"2", "a": b"1"}),
    }
    for expected, other in others.items():
        assert (expected,) == differing_entries(one, other)
    assert ("a", "b") == differing_entries(
        one, wheel(tmp_path / "t.whl", {"a": b"1", "b": b"2"}, year=2021)
    )
    assert ("a", "b") == differing_entries(
        one, wheel(tmp_path / "m.whl", {"a": b"1", "b": b"2"}, mode=0o600)
    )
    assert () == differing_entries(one, wheel(tmp_path / "same.whl", {"a": b"1", "b": b"2"}))


def test_content_and_owner_count_in_a_source_distribution(tmp_path: Path) -> None:
    one = source(tmp_path / "one.tar.gz", b"1")

    assert ("mprof/a.py",) == differing_entries(one, source(tmp_path / "two.tar.gz", b"2"))
    assert ("mprof/a.py",) == differing_entries(one, source(tmp_path / "own.tar.gz", b"1", owner=7))


@pytest.mark.jvm
@pytest.mark.slow
def test_another_build_gives_the_same_bytes(dist: Path) -> None:
    """The wheel from the source distribution is compared in `test_archives.py`."""
    done = subprocess.run(
        [sys.executable, "-m", "distribution.reproducible", dist],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    results = [line.split(":")[0] for line in done.stdout.splitlines() if "  mprof_hadoop-" in line]
    assert results == ["same 2 times", "same 2 times"]
