"""What must hold of every run, whatever the input; each function returns what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from builders.command_server import Outcome

__all__ = ["LIMITS", "Limits", "contents", "problems_of"]

CODES = frozenset({0, 1, 2, 3, 4, 5, 6, 130})
"""The documented exit codes; 70 is a fault of mprof."""
OF_A_CLOSED_PIPE = 141
"""That of an output whose reader had enough, and of no other."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
_MESSAGES = re.compile(r"mprof: (?P<what>.+)\nnext step: (?P<next>.+)\n\Z")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may cost; the evidence is small, and the machine may be busy."""

    seconds: float = 20.0
    cpu_seconds: float = 6.0
    peak_bytes: int = 1 << 30
    line: int = 1000


LIMITS = Limits()


def contents(folder: Path) -> dict[str, bytes | str]:
    """Every file below a folder with its bytes, links with their target, by relative path."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder" if path.is_dir() else "special"
    return found


def problems_of(
    outcome: Outcome,
    *,
    words: tuple[str, ...],
    before: Mapping[str, bytes | str],
    after: Mapping[str, bytes | str],
    left: list[str],
    stdout: str = "file",
    may_delete: bool = False,
) -> list[str]:
    """Everything that is wrong with a run.

    Args:
        outcome: how it ended.
        words: its command line.
        before: what its folder held, see `contents`.
        after: what it holds now.
        left: files that it left in its temporary folder.
        stdout: where its output went; cut output must not end with 0.
        may_delete: whether the verb deletes heap dumps.
    """
    return [
        *_ending(outcome, stdout=stdout),
        *_cost(outcome),
        *_messages(outcome),
        *_output(outcome, words=words, stdout=stdout),
        *_files(before, after, may_delete=may_delete),
        *(f"left {name} behind" for name in left),
    ]


def _ending(outcome: Outcome, *, stdout: str) -> Iterator[str]:
    if outcome.hung:
        yield "hangs"
    elif outcome.code == OF_A_CLOSED_PIPE and stdout == "closed pipe":
        return
    elif outcome.code not in CODES:
        yield f"exit code {outcome.code}"


def _cost(outcome: Outcome) -> Iterator[str]:
    if not outcome.hung and outcome.seconds > LIMITS.seconds:
        yield f"takes {outcome.seconds:.1f} s"
    if outcome.cpu_seconds > LIMITS.cpu_seconds:
        yield f"takes {outcome.cpu_seconds:.1f} s of a processor"
    if outcome.peak_bytes > LIMITS.peak_bytes:
        yield f"takes {outcome.peak_bytes >> 20} MB"


def _messages(outcome: Outcome) -> Iterator[str]:
    try:
        text = outcome.stderr.decode()
    except UnicodeDecodeError:
        yield "stderr is not UTF-8"
        text = outcome.stderr.decode(errors="replace")
    if "Traceback" in text:
        yield "prints a traceback"
    if _CONTROL.search(text):
        yield "prints control characters on stderr"
    longest = max((len(line) for line in text.split("\n")), default=0)
    if longest > LIMITS.line:
        yield f"prints a line of {longest} characters on stderr"
    if outcome.code in {2, 3, 4, 6}:
        found = _MESSAGES.search(text)
        is_doctor = outcome.code == 4 and b"next step: " in outcome.stdout
        if found is None and not is_doctor:
            yield "does not end with one line that says what is wrong and one with the next step"
        if text.count("\nnext step: ") > 1:
            yield "says more than one next step"


def _output(outcome: Outcome, *, words: tuple[str, ...], stdout: str) -> Iterator[str]:
    if stdout != "file":
        if outcome.code == 0 and stdout == "full":
            yield "output that was cut ends with 0"
        return
    try:
        text = outcome.stdout.decode()
    except UnicodeDecodeError:
        yield "stdout is not UTF-8"
        return
    if (
        "--json" in words
        and "--" not in words
        and outcome.code in {0, 1, 6}
        and "--html" not in words
    ):
        try:
            json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            yield "stdout is no JSON"
    elif _CONTROL.search(text):
        yield "prints control characters on stdout"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _files(
    before: Mapping[str, bytes | str], after: Mapping[str, bytes | str], *, may_delete: bool
) -> Iterator[str]:
    for name, content in before.items():
        if name not in after:
            if not (may_delete and ".hprof" in name):
                yield f"deleted {name!r}"
        elif after[name] != content:
            yield f"changed {name!r}"
    for name in after.keys() - before.keys():
        base = name.rsplit("/", 1)[-1]
        if ".new" in base:
            yield f"left {name!r} half-written"
