"""The tables of the papers, made of the recordings: ``python -m testbed.evaluate``.

With ``--page`` it writes `docs/reference/testbed.md`; with ``--labels`` it writes what each fault
cost beside it, into the recordings. ``--calibration`` takes the file that `mprof calibrate` makes
of the controls, and the page has the verdicts by the thresholds that it sets, too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mprof.peers.calibration.file import load_calibration
from testbed.campaign import RECORDINGS
from testbed.evaluation import Evaluation, evaluate
from testbed.page import BEFORE, CALIBRATED, THEN, page


def _write_labels(found: Evaluation, folder: Path) -> None:
    """The cost of each fault into the label of its recording."""
    for name, one in found.slowdowns.items():
        path = folder / name / "label.json"
        label = json.loads(path.read_text())
        label["slowdown"] = {
            "completed": one.completed,
            "completed_by_control": one.of_control,
            "percent": None if one.percent is None else round(one.percent, 1),
        }
        path.write_text(json.dumps(label, indent=2) + "\n")


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m testbed.evaluate", description=__doc__)
    parser.add_argument("--recordings", type=Path, default=RECORDINGS)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--labels", action="store_true", help="write the cost of each fault")
    parser.add_argument("--calibration", type=Path)
    given = parser.parse_args()
    otherwise = {THEN: BEFORE}
    if given.calibration is not None:
        otherwise[CALIBRATED] = load_calibration(given.calibration).thresholds
    found = evaluate(given.recordings, otherwise=otherwise)
    if given.labels:
        _write_labels(found, given.recordings)
    if given.page is not None:
        given.page.write_text(page(found), encoding="utf-8")
    else:
        print(page(found))


if __name__ == "__main__":
    main()
