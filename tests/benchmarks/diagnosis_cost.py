"""What the diagnosis of a heap dump costs beside ``mprof heap`` of the same dump.

Run it as ``python tests/benchmarks/diagnosis_cost.py DUMP [--rounds N]``. Each round runs
``mprof heap DUMP --json`` and ``mprof diagnose DUMP --json``, a process each, one after the other,
so that drift of the machine hits both alike. Printed are wall time, CPU time of user code and of
the system, the largest resident set, and the ratio of the second to the first in the same round.

Modules are loaded from byte code, as those of an installed package are, even where the environment
forbids Python to write any (``PYTHONDONTWRITEBYTECODE``): compiling them takes 0.4 s of CPU time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_NO_BYTE_CODE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True)
class Cost:
    """Of one process: seconds, and the bytes of its largest resident set."""

    wall: float
    user: float
    system: float
    resident: int

    @property
    def cpu(self) -> float:
        """Of user code and of the system."""
        return self.user + self.system


def main() -> None:
    """Measure and print a line a round, and the medians of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dump", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as byte_code:

        def cost(verb: str) -> Cost:
            return _cost(verb, given.dump, byte_code)

        cost("heap")  # the file is in the page cache, the kernels and modules are compiled
        cost("diagnose")
        rounds = [(cost("heap"), cost("diagnose")) for _ in range(given.rounds)]
    for heap, diagnosis in rounds:
        print(f"heap {_text(heap)}   diagnose {_text(diagnosis)}")
    wall = statistics.median(diagnosis.wall / heap.wall for heap, diagnosis in rounds)
    cpu = statistics.median(diagnosis.cpu / heap.cpu for heap, diagnosis in rounds)
    user = statistics.median(diagnosis.user / heap.user for heap, diagnosis in rounds)
    size = given.dump.stat().st_size
    print(f"{size:,} bytes: wall {wall:.2f}, CPU {cpu:.2f}, user code {user:.2f} (medians)")


def _cost(verb: str, dump: Path, byte_code: str) -> Cost:
    started = time.monotonic()
    command = [sys.executable, "-m", "mprof", verb, str(dump), "--json"]
    environment = {key: value for key, value in os.environ.items() if key != _NO_BYTE_CODE}
    environment["PYTHONPYCACHEPREFIX"] = byte_code
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    seconds = time.monotonic() - started
    return Cost(seconds, usage.ru_utime, usage.ru_stime, usage.ru_maxrss << 10)


def _text(cost: Cost) -> str:
    gigabytes = cost.resident / 1e9
    return f"{cost.wall:6.2f} s, CPU {cost.user:5.2f} + {cost.system:5.2f} s, {gigabytes:.2f} GB"


if __name__ == "__main__":
    main()
