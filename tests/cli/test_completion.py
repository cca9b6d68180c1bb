"""Shells complete verbs, options and their values; each from the script that mprof prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With a command mprof on the PATH."""
    program = tmp_path / "mprof"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mprof "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def script_of(shell: str, environment: dict[str, str]) -> str:
    return subprocess.run(
        ["mprof", "completion", shell], env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mprof di", "diagnose"),
        ("mprof re", "report rerun"),
        ("mprof heap --st", "--strings"),
        ("mprof heap --q", "--quiet"),
        ("mprof cluster st", "start status stop"),
        ("mprof completion f", "fish"),
        ("mprof report --fail", ""),
        ("mprof diagnose --fail-on s", "sure"),
    ],
)
def test_bash_completes_what_may_come_next(
    words: str, expected: str, environment: dict[str, str], tmp_path: Path
) -> None:
    script = script_of("bash", environment)
    state = f"COMP_WORDS=({words}); COMP_CWORD={words.count(' ')}"
    asked = "\n".join(
        (script, state, "_mprof_completion mprof", """printf '%s\\n' "${COMPREPLY[@]}" """)
    )
    done = subprocess.run(
        ["bash", "-c", asked], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert expected.split() == sorted(done.stdout.split()), done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_told_the_verbs_too(shell: str, environment: dict[str, str]) -> None:
    script = script_of(shell, environment)
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n", "-c", script], env=environment, capture_output=True)
        assert 0 == checked.returncode, checked.stderr
    assert f"_MPROF_COMPLETE=complete_{shell}" in script
    asked = {"_MPROF_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "mprof di"}
    asked |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(["mprof"], env={**environment, **asked}, capture_output=True, text=True)
    assert "diagnose" in done.stdout, done.stderr
    assert "rerun" not in done.stdout


def test_another_shell_is_refused_in_one_line(environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["mprof", "completion", "tcsh"], env=environment, capture_output=True, text=True
    )
    assert 2 == done.returncode
    assert done.stderr.startswith("mprof: ")
    assert "'bash', 'zsh', 'fish'" in done.stderr
