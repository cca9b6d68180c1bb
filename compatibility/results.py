"""What was found, as a file: the page is made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from compatibility.finding import Finding
from compatibility.rows import ROWS, Row

__all__ = ["Results", "read_results", "write_results"]


class Results(msgspec.Struct, frozen=True):
    """Findings in the order of the rows.

    Attributes:
        versions: of what was used, by name.
        findings: one for each job of a row.
    """

    versions: dict[str, str] = {}
    findings: tuple[Finding, ...] = ()

    def has(self, row: Row) -> bool:
        """Whether a row has been run as it is now."""
        jobs = [one.job for one in self.findings if one.row == row.name]
        return jobs == list(row.jobs)

    def with_row(
        self, row: Row, findings: Sequence[Finding], versions: Mapping[str, str]
    ) -> Results:
        """With a row's findings in the place of earlier ones, and without rows that are gone."""
        kept = [one for one in self.findings if one.row != row.name]
        order = {each.name: at for at, each in enumerate(ROWS)}
        known = [one for one in (*kept, *findings) if one.row in order]
        return Results(
            versions=dict(sorted({**self.versions, **versions}.items())),
            findings=tuple(sorted(known, key=lambda one: order[one.row])),
        )


def read_results(file: Path) -> Results:
    """What a file holds; nothing where it is not there."""
    if not file.is_file():
        return Results()
    return msgspec.json.decode(file.read_bytes(), type=Results)


def write_results(file: Path, results: Results) -> None:
    """Write them, a line for a value, so that a change can be read."""
    encoded = msgspec.json.format(msgspec.json.encode(results), indent=1)
    file.write_bytes(encoded + b"\n")
