"""``python -m development``: make the reference, sweep the thresholds, record cases."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from development.jars import pinned_text
from development.pages.reference import write_reference
from development.recording import accept_new_verdicts, record
from development.site.build import build_site
from development.site.gallery import draw_pictures, gallery_page
from development.sweep import load_witnesses, sweep, sweep_table, swept_thresholds
from mprof.catalogue import find_case, load_cases, replay_case
from mprof.errors import MprofError, UsageError
from mprof.hadoop.pinned import PINNED_LIST

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
CASES = ROOT / "cases"
GALLERY = ROOT / "docs" / "gallery.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked; the exit code of mprof where that fails."""
    parser = argparse.ArgumentParser(prog="python -m development", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    pages = verbs.add_parser("pages", help="make the generated pages and schemas of the reference")
    pages.add_argument("folder", type=Path, nargs="?", default=REFERENCE)
    swept = verbs.add_parser(
        "sweep",
        help="move each threshold until a verdict on recorded evidence changes (takes minutes)",
    )
    swept.add_argument("threshold", nargs="?", help="only this one")
    swept.add_argument("-o", "--output", type=Path, help="write the table to this file")
    recorded = verbs.add_parser(
        "record", help="run cases, and replace their recorded evidence and expected verdicts"
    )
    recorded.add_argument("slug", nargs="+")
    recorded.add_argument("--captures", type=Path, default=ROOT / "build" / "captures")
    verbs.add_parser(
        "accept", help="expect the verdicts of rules for which a case expects none yet"
    )
    verbs.add_parser(
        "jars", help="pin the jars of the embedded cluster: what Maven resolves, and their digests"
    )
    verbs.add_parser("gallery", help="make the page of reports, docs/gallery.md, and its pictures")
    verbs.add_parser("site", help="build the pages as a site into site/, and check its links")
    given = parser.parse_args(arguments)
    try:
        match given.verb:
            case "pages":
                write_reference(given.folder, cases_folder=CASES)
            case "gallery":
                GALLERY.write_text(gallery_page(CASES), encoding="utf-8")
                if missing := draw_pictures(CASES, GALLERY.parent):
                    print(f"{missing} is not installed: the old pictures stay", file=sys.stderr)
            case "site":
                print(build_site(ROOT))
            case "sweep":
                _sweep(given.threshold, given.output)
            case "record":
                for slug in given.slug:
                    case = find_case(CASES, slug)
                    record(case, capture=given.captures.resolve() / slug)
                    print(f"recorded {slug}")
            case "jars":
                PINNED_LIST.write_text(pinned_text(), encoding="ascii")
            case _:
                _accept()
    except MprofError as error:
        print(f"{error.what}\nnext: {error.next_step}", file=sys.stderr)
        return error.exit_code
    return 0


def _sweep(name: str | None, output: Path | None) -> None:
    chosen = [one for one in swept_thresholds() if name in (None, one.name)]
    if not chosen:
        raise UsageError(
            f"there is no threshold called {name!r}",
            next_step="see their names in docs/reference/thresholds.md",
        )
    witnesses = load_witnesses(load_cases(CASES))
    swept = sweep(witnesses, chosen, on_threshold=lambda one: print(one, file=sys.stderr))
    table = sweep_table(swept, witnesses=len(witnesses))
    if output is None:
        print(table)
    else:
        output.write_text(table, encoding="utf-8")


def _accept() -> None:
    for case in load_cases(CASES):
        if case.evidence.is_dir():
            new = accept_new_verdicts(case, replay_case(case).diagnosed)
            if new:
                print(f"{case.slug}: {', '.join(new)}")


if __name__ == "__main__":
    sys.exit(main())
