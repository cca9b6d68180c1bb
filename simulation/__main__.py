"""``python -m simulation FOLDER``: simulated controls and faults, for `mprof calibrate`."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulation.faults import FAULTS
from simulation.run import Run


def main() -> None:
    """Write `FOLDER/controls` and `FOLDER/faults`."""
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("folder", type=Path, help="new folder")
    parser.add_argument("--nodes", type=int, default=6)
    parser.add_argument("--controls", type=int, default=10)
    parser.add_argument("--runs", type=int, default=4, help="of each fault")
    options = parser.parse_args()
    for seed in range(1, options.controls + 1):
        name = f"none-{seed:02d}"
        Run(nodes=options.nodes, seed=seed).record(options.folder / "controls" / name)
    for fault in FAULTS:
        for seed in range(1, options.runs + 1):
            name = f"{fault}-{seed:02d}"
            Run(nodes=options.nodes, seed=100 + seed, fault=fault).record(
                options.folder / "faults" / name
            )


if __name__ == "__main__":
    main()
