"""The page of errors has each message that the program prints, however its call is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from development.pages.errors import Message, errors_page, messages_of

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "mprof"
MESSAGES = messages_of(PACKAGE)

CODE = '''
from mprof.errors import EvidenceError, UsageError

_STEP = "name another file"

class DamagedError(EvidenceError):
    """..."""

class TornError(DamagedError):
    """..."""

def plain():
    raise UsageError("two jobs", next_step="name one")

def filled(path, job):
    raise EvidenceError(f"{path.name} has no {job!r}", next_step=_STEP)

def derived(file_name):
    raise TornError("it is " + str(file_name), next_step=f"copy {shown(file_name)} again")

def chosen(many, jobs):
    told = "some" if many else f"{len(jobs)} of them"
    raise UsageError(told, next_step="see it" if jobs else _STEP)

def made(text, out):
    error = UsageError("unknown {}".format(text), next_step=text)
    _fail(f"{out} is full", "make room", EvidenceError.exit_code)
    _fail("a fault", "report it", FAULT_EXIT_CODE)
    raise ValueError("not for users")
'''


def test_each_form_of_a_call_is_read(tmp_path: Path) -> None:
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "main.py").write_text(CODE)

    expected = {
        Message(2, "cli", "two jobs", "name one"),
        Message(3, "cli", "<name> has no <job>", "name another file"),
        Message(3, "cli", "it is <file name>", "copy <file name> again"),
        Message(2, "cli", "some", "see it"),
        Message(2, "cli", "some", "name another file"),
        Message(2, "cli", "<jobs> of them", "see it"),
        Message(2, "cli", "<jobs> of them", "name another file"),
        Message(2, "cli", "unknown <...>", "<text>"),
        Message(3, "cli", "<out> is full", "make room"),
        Message(70, "cli", "a fault", "report it"),
    }
    assert expected == set(messages_of(tmp_path))


@pytest.mark.parametrize(
    "words",
    [
        ("report", "nowhere"),
        ("report", "docs", "--html", "README.md"),
        ("heap", "README.md"),
        ("heap", "docs"),
        ("diagnose", "nowhere.txt"),
        ("diagnose", "docs/images"),
        ("triage", "job_1700000000000_0042"),
        ("nodes", "docs"),
        ("explain", "nothing"),
        ("cases", "replay", "no-such-case"),
        ("cases", "run", "grep", "-D", "nothing"),
        ("report",),
        ("nodes", "docs", "--since", "yesterday"),
        ("run", "-o", "docs", "--", "hadoop", "jar", "a.jar"),
        ("rerun", "docs", "--", "hadoop", "jar", "a.jar"),
    ],
)
def test_what_a_command_prints_stands_on_the_page(words: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mprof", *words],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )  # fmt: skip
    what, step = done.stderr.splitlines()[-2:]

    matching = [
        one
        for one in MESSAGES
        if one.exit_code == done.returncode
        and _matches(one.what, what.removeprefix("mprof: "))
        and _matches(one.next_step, step.removeprefix("next step: "))
    ]
    assert matching
    # "<message>" stands for what the parser of options says, and would match anything.
    assert words == ("report",) or any(not one.what.startswith("<message>") for one in matching)


def _matches(template: str, text: str) -> bool:
    parts = (re.escape(part) for part in re.split(r"<[^<>]*>", template))
    return re.fullmatch(".*".join(parts), text) is not None


def test_the_committed_page_is_up_to_date() -> None:
    page = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    assert errors_page(PACKAGE) == page, "regenerate: make docs"
