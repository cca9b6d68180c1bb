"""``python -m compatibility``: run the matrix, row by row, and write its page.

A row that has been run is not run again without ``--all``: a run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from compatibility.page import compatibility_page
from compatibility.results import Results, read_results, write_results
from compatibility.rows import ROWS, Row

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "compatibility" / "results.json"
PAGE = ROOT / "docs" / "reference" / "compatibility.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing; 1 where mprof harms a job or is silent."""
    parser = argparse.ArgumentParser(prog="python -m compatibility", description=__doc__)
    parser.add_argument(
        "--rows", nargs="*", default=[], help="only rows with such words in their names"
    )
    parser.add_argument("--all", action="store_true", help="run every row again")
    parser.add_argument("--page-only", action="store_true", help="write the page of what was found")
    parser.add_argument("--minutes", type=float, help="begin no row after so many")
    parser.add_argument("--jdk", action="append", default=[], metavar="N=HOME")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "compatibility")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args(arguments)
    results = read_results(given.results)
    if not given.page_only:
        rows = [row for row in _named(given.rows) if given.all or not results.has(row)]
        jdks = dict(each.split("=", 1) for each in given.jdk)
        results = _run(
            rows,
            results,
            folder=given.folder.resolve(),
            jdks={int(feature): Path(home) for feature, home in jdks.items()},
            file=given.results,
            until=time.monotonic() + given.minutes * 60 if given.minutes else None,
        )
    given.page.write_text(compatibility_page(results), encoding="utf-8")
    faults = [one for one in results.findings if one.harms or one.is_silent]
    for one in faults:
        print(f"fault: {one.row}, {one.job}")
    return 1 if faults else 0


def _named(words: Sequence[str]) -> list[Row]:
    """The rows with such words in their names or groups, in the order of the words; or all."""
    if not words:
        return list(ROWS)
    found = (row for word in words for row in ROWS if word in row.name or word in row.group)
    return list(dict.fromkeys(found))


def _run(
    rows: Sequence[Row],
    results: Results,
    *,
    folder: Path,
    jdks: dict[int, Path],
    file: Path,
    until: float | None,
) -> Results:
    # A cluster of its own, which may be stopped and started with other properties.
    for variable, name in (("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")):
        os.environ[variable] = str(folder / name)
        (folder / name).mkdir(parents=True, exist_ok=True)
    from compatibility.running import Place, run_row
    from compatibility.things import Things, java_version
    from mprof.hadoop import cluster_stop
    from mprof.hadoop.embedded import DEFAULT_VERSION
    from mprof.hadoop.java import java_home

    place = Place(folder, Things(folder / "things", jdks))
    usual = {"Hadoop": DEFAULT_VERSION, "Java": java_version(java_home())}
    try:
        for row in rows:
            if until is not None and time.monotonic() > until:
                break
            began = time.monotonic()
            findings = run_row(row, place)
            results = results.with_row(row, findings, {**usual, **place.things.versions()})
            write_results(file, results)
            took = time.monotonic() - began
            for one in findings:
                print(f"{one} ({took:.0f} s)", flush=True)
    finally:
        cluster_stop()
    return results


if __name__ == "__main__":
    sys.exit(main())
