"""``python -m testbed FAULT WORKLOAD``: one run, recorded."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from testbed.faults import FAULTS
from testbed.recorder import SIX, TEN, recorder
from testbed.run import CONTROL, Planned
from testbed.workloads import WORKLOADS


def main() -> int:
    """Run one workload with one fault, and record it."""
    parser = argparse.ArgumentParser(prog="python -m testbed", description=__doc__)
    parser.add_argument("fault", type=_faults, help="or several, with + between them")
    parser.add_argument("--ten", action="store_true", help="ten slaves instead of six")
    parser.add_argument("workload", choices=list(WORKLOADS))
    parser.add_argument("--seed", type=int, default=1, help="chooses the nodes")
    parser.add_argument("--speculation", action="store_true", help="run slow attempts twice")
    parser.add_argument("--keep-logs", type=Path, help="of every process, in this folder")
    parser.add_argument("-o", "--output", type=Path, required=True, help="new folder")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    planned = Planned(options.fault, options.workload, options.seed, options.speculation)
    with recorder(TEN if options.ten else SIX, keep_logs=options.keep_logs) as record:
        record(planned, options.output)
    return 0


def _faults(given: str) -> str:
    unknown = [fault for fault in given.split("+") if fault not in FAULTS]
    if given != CONTROL and unknown:
        known = ", ".join([CONTROL, *FAULTS])
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {known}")
    return given


if __name__ == "__main__":
    raise SystemExit(main())
