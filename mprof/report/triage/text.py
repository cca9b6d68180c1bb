"""What a terminal shows of a triage."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from mprof.report.triage.view import BranchView, TriageView

__all__ = ["text_of"]

WIDTH = 100


def text_of(view: TriageView) -> str:
    """The triage, as lines."""
    lines = textwrap.wrap(view.paragraph, WIDTH, break_long_words=False)
    for branch in view.fired:
        lines += ["", f"{branch.name.upper()} ({branch.verdict})", *_evidence(branch)]
    lines += _section("CANNOT TELL", view.unknown)
    lines += _section("NOT IT", view.silent)
    if view.losses:
        lines += ["", "GAPS IN THE EVIDENCE", *(f"  {line}" for line in view.losses)]
    return "\n".join(lines)


def _evidence(branch: BranchView) -> Iterator[str]:
    for confidence, sentence in branch.evidence:
        yield from _item(f"{sentence} ({confidence})")
    for remark in branch.remarks:
        yield from _item(f"note: {remark}")
    yield from _next(branch)


def _section(title: str, branches: Sequence[BranchView]) -> Iterator[str]:
    if not branches:
        return
    yield ""
    yield title
    for branch in branches:
        yield from _item(f"{branch.name}: {branch.why}")
        for remark in branch.remarks:
            yield from _item(remark, indent="    ")
        yield from _next(branch)


def _next(branch: BranchView) -> Iterator[str]:
    if branch.step:
        yield from _item(f"next: {branch.step}", indent="    ")
    if branch.command:
        yield f"      {branch.command}"


def _item(text: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
