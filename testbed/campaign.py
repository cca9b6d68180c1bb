"""``python -m testbed.campaign``: records every run of the list that is not recorded yet."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from testbed.faults import OF_REDUCERS
from testbed.recorder import SIX, TEN, recorder
from testbed.run import CONTROL, Planned

__all__ = ["OF_TEN", "RECORDINGS", "campaign", "campaign_of_ten"]

RECORDINGS: Final = Path(__file__).parent / "recordings"
OF_TEN: Final = Path(__file__).parent / "recordings-of-ten"
"""With ten slaves, two of them sick."""

_WORKLOADS: Final = ("word-count", "sort", "pig", "random-writer")
_WITH_REDUCERS: Final = ("sort", "word-count")
"""Whose reducers run for most of a run; the script's first come after four fifths of it."""


_MOST_JUDGED: Final = ("cpu-hog", "disk-hog", "map-hang")
_MANY_SEEDS: Final = 10
_FEW_SEEDS: Final = 3
_CONTROLS: Final = 22
"""132 nodes: of 125 on, `mprof calibrate` may make a detector more sensitive."""
_FIRST_CONTROLS: Final = 4
_OTHERS: Final = (
    "resource-manager-stop", "reduce-hang", "checksum-error", "packet-loss-50", "packet-loss-5",
    "node-down", "node-manager-stop", "disk-full", "packet-loss-1", "slow-network", "map-stop",
    "reduce-stop",
)  # fmt: skip


def campaign() -> Iterator[Planned]:
    """What is to be run: one seed of each fault first, then the others in turn."""
    controls = (_planned(CONTROL, seed) for seed in range(1, _CONTROLS + 1))
    yield from islice(controls, _FIRST_CONTROLS)
    for seed in range(1, _MANY_SEEDS + 1):
        yield from (_planned(fault, seed) for fault in _MOST_JUDGED)
        if seed <= _FEW_SEEDS:
            yield from (_planned(fault, seed) for fault in _OTHERS)
        yield from islice(controls, 1)
    yield from controls


_PAIRS: Final = (
    ("cpu-hog+disk-hog", "word-count"),
    ("slow-cpu-2+slow-disk-4", "sort"),
    ("node-down-midway+slow-cpu-2", "word-count"),
    (CONTROL, "sort"),
    ("cpu-hog-at-times+map-hang", "random-writer"),
    ("slow-cpu-4+slow-disk-2", "pig"),
    ("cpu-hog+cpu-hog", "sort"),
    (CONTROL, "word-count"),
    ("slow-cpu-1.5+slow-disk-1.5", "random-writer"),
    ("node-manager-stop+slow-network", "word-count"),
    ("node-down+disk-full", "sort"),
)


def campaign_of_ten() -> Iterator[Planned]:
    """Runs with two sick slaves of ten; half of each workload's have speculation."""
    for seed in range(1, _FEW_SEEDS + 1):
        for place, (fault, workload) in enumerate(_PAIRS):
            yield Planned(fault, workload, seed, speculation=(place + seed) % 2 == 1)


def _planned(fault: str, seed: int) -> Planned:
    """Workloads take turns; half of the runs of each have speculation."""
    workloads = _WITH_REDUCERS if fault in OF_REDUCERS else _WORKLOADS
    first = (*_MOST_JUDGED, *_OTHERS).index(fault) if fault != CONTROL else 0
    round_, place = divmod(first + seed - 1, len(workloads))
    return Planned(fault, workloads[place], seed, speculation=(round_ + place) % 2 == 1)


def main() -> int:
    """Record what is missing; a recording that was begun and not ended is made anew."""
    parser = argparse.ArgumentParser(prog="python -m testbed.campaign", description=__doc__)
    parser.add_argument("--ten", action="store_true", help="ten slaves, of which two are sick")
    parser.add_argument("--recordings", type=Path, help="folder of them all")
    parser.add_argument("--minutes", type=float, help="begin no run after them")
    parser.add_argument("--list", action="store_true", help="print what is missing, and stop")
    options = parser.parse_args()
    folder: Path = options.recordings or (OF_TEN if options.ten else RECORDINGS)
    every = campaign_of_ten() if options.ten else campaign()
    missing = [each for each in every if not (folder / each.name / "label.json").exists()]
    if options.list:
        print("\n".join(each.name for each in missing))
        return 0
    stopped = threading.Event()

    def stop(*_: object) -> None:
        stopped.set()
        sys.exit(1)

    signal.signal(signal.SIGTERM, stop)
    begun = time.monotonic()
    with (
        recorder(TEN if options.ten else SIX) as record,
        tempfile.TemporaryDirectory(prefix="mprof-recording-") as scratch,
    ):
        for number, planned in enumerate(missing, start=1):
            if options.minutes is not None and time.monotonic() - begun > 60 * options.minutes:
                break
            began = time.monotonic()
            try:
                record(planned, Path(scratch) / planned.name)
            except Exception:  # noqa: BLE001 -- one run that fails must not end the others
                traceback.print_exc()
                if stopped.is_set():
                    return 1
                continue
            shutil.move(Path(scratch) / planned.name, folder / planned.name)
            took = time.monotonic() - began
            print(f"{number} of {len(missing)}: {planned.name}, {took:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
