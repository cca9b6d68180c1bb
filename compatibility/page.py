"""The page of the documentation that shows the matrix."""

from __future__ import annotations

from itertools import groupby

from compatibility.finding import Finding
from compatibility.results import Results
from compatibility.rows import ROWS, Row

__all__ = ["compatibility_page"]

_TITLE = """\
# Settings in which mprof was tried

Written by a command; do not edit.

A job must end under mprof as it does without it, with the same output, exit code and kind of death, in every setting. This page lists the settings tried and the results.
"""

_HOW_TO_READ = """\
```
make compatibility
```

Each row is a real job in one setting, run twice on the embedded cluster: without mprof, and under `mprof run`.
If mprof cannot watch a task, the task must run without it, and a message must say so.

| column | meaning |
|---|---|
| job | what was run: `count` counts words; `chain`, `threads` and `straggle` do so with a chain of mappers, with several threads, and with one slow attempt; `fill-map` and `fill-reduce` run out of heap in the mapper or the reducer, `fill-direct` out of direct memory; `throw` fails with another error |
| starts | whether tasks ran under mprof, if they ran without it; or mprof's message if it refused to start the job |
| agent | the task attempts to which the agent attached, of those that left files, and why it did not attach to the others |
| output | whether the output files are equal, byte for byte |
| exit | whether the exit status of the job's command is the same, and which it is |
| death | whether the job history records the same failures of task attempts, and which they are |

A row that was not tried says why; `make compatibility` runs the missing rows.
"""


def compatibility_page(results: Results) -> str:
    """The page, of what was found."""
    parts = [_TITLE, _summary(results), _HOW_TO_READ, _versions(results)]
    for group, rows in groupby(sorted(ROWS, key=_place), key=lambda row: row.group):
        parts += [f"## {group}\n", _table(list(rows), results)]
    return "\n".join(parts)


def _place(row: Row) -> int:
    """Groups in the order in which they first appear."""
    return [each.group for each in ROWS].index(row.group)


def _versions(results: Results) -> str:
    used = [f"{name} {version}" for name, version in results.versions.items()]
    return f"Used here: {', '.join(used)}.\n" if used else ""


def _summary(results: Results) -> str:
    tried = [one for one in results.findings if not one.not_tried]
    harmed = sum(one.harms for one in tried)
    silent = sum(one.is_silent for one in tried)
    open_ = sum(not results.has(row) for row in ROWS)
    return (
        f"Jobs run: {len(tried)}, in {len({one.row for one in tried})} of "
        f"{len(ROWS)} settings; {open_} settings have not been run yet.\n"
        f"Jobs that ended differently under mprof: {harmed}.\n"
        f"Jobs in which a task ran without the agent and no message said so: {silent}.\n"
    )


def _table(rows: list[Row], results: Results) -> str:
    head = ["setting", "job", "starts", "agent", "output", "exit", "death"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        found = {one.job: one for one in results.findings if one.row == row.name}
        lines += [f"| {' | '.join(_cells(row, job, found.get(job)))} |" for job in row.jobs]
    return "\n".join(lines) + "\n"


def _cells(row: Row, job: str, one: Finding | None) -> list[str]:
    first = [_code(row.name), f"`{job}`"]
    if one is None:
        return [*first, "not run yet", "", "", "", ""]
    if one.not_tried:
        return [*first, f"not tried: {one.not_tried}", "", "", "", ""]
    if one.refused:
        return [*first, f"not started: {_plain(one.refused)}", "", "", "", ""]
    return [
        *first,
        "yes" if one.starts else "**no**",
        _agent(one),
        {True: "equal", False: "**differs**", None: "none"}[one.same_output],
        _pair(*map(str, one.exit)),
        _pair(*("; ".join(death) for death in one.death)),
    ]


def _code(name: str) -> str:
    text = name.replace("|", "\\|")
    return f"`{text}`" if name.startswith("-") else text


def _agent(one: Finding) -> str:
    count = f"{one.attached} of {one.attempts}"
    if one.says and one.attached < max(one.attempts, 1):
        return f"{count}: {_plain(one.says[0])}"
    return f"{count}, **nothing says why**" if one.is_silent else count


def _pair(plain: str, watched: str) -> str:
    if plain == watched:
        return f"equal: {_plain(plain)}" if plain else "none"
    return f"**{_plain(plain) or 'none'}, under mprof {_plain(watched) or 'none'}**"


def _plain(text: str) -> str:
    """One line of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")[:300]
