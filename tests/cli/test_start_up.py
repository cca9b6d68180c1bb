"""What a subcommand imports before it starts: a small dump is analysed in less time than that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from builders.hprof_builder import Builder

from mprof.cli.subcommands import app

SLOW = ("typer", "pydantic", "rich", "numba", "msgspec", "pandas", "importlib.metadata")
SAY = f"""
import sys
from mprof.cli import main
try:
    main()
finally:
    print([name for name in {SLOW} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("options", [["--json"], ["--json", "--histogram"]], ids=" ".join)
def test_a_dump_is_analysed_without_what_takes_long_to_import(
    tmp_path: Path, options: list[str]
) -> None:
    dump = tmp_path / "small.hprof"
    dump.write_bytes(Builder().build())
    command = [sys.executable, "-c", SAY, "heap", str(dump), *options]
    subprocess.run(command, check=True, capture_output=True)  # kernels are compiled now
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ["[]"] == done.stderr.splitlines()
    assert done.stdout.startswith("{")


def test_mprof_heap_is_a_listed_subcommand_and_parses_its_arguments_itself() -> None:
    assert "heap" in [command.name for command in app.registered_commands]
    done = subprocess.run(
        [sys.executable, "-m", "mprof", "heap", "--top", "0", "x"],
        capture_output=True,
        text=True,
    )
    assert 2 == done.returncode
    assert "at least 1" in done.stderr
