"""What a heap dump costs by the collector whose heap it shows: one map, filled in the same way.

Run it as ``python tests/benchmarks/collectors_cost.py [--entries N] [--rounds N] [--jdk VERSION]
[--folder FOLDER] [--before CHECKOUT]``. A JVM for each collector fills a ``HashMap`` and is dumped,
unless the folder holds the dump already. Each round then runs ``mprof heap DUMP --json`` for each
dump, a process each, one after the other, so that drift of the machine hits all alike. Printed are
medians of CPU and wall time, and the median of the ratios to the dump of G1 in the same round.
``--before`` measures another checkout in the same rounds, too, and says whether the output is the
same.

ZGC of JDK 17 and 21 reserves 16 times as many addresses as the heap has bytes, with small objects
at the low end and large ones, beyond what the initial heap has room for, at the high end: from
``-Xmx2100m`` on they are more than 32 GB apart.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent))

from builders.jvm import compile_java, installed_jdks, running  # noqa: E402

_COLLECTORS = {
    "G1": ("-Xmx1g", "-XX:+UseG1GC"),
    "G1, wide references": ("-Xmx1g", "-XX:+UseG1GC", "-XX:-UseCompressedOops"),
    "Parallel": ("-Xmx1g", "-XX:+UseParallelGC"),
    "Serial": ("-Xmx1g", "-XX:+UseSerialGC"),
    "ZGC": ("-Xms32m", "-Xmx2200m", "-XX:SoftMaxHeapSize=1g", "-XX:+UseZGC"),
}
_FIRST = "G1"


@dataclass(frozen=True)
class Cost:
    """Of one process, in seconds, and what it printed."""

    wall: float
    cpu: float
    output: bytes


def main() -> None:
    """Make the dumps, measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", type=int, default=17)
    parser.add_argument("--folder", type=Path, help="where dumps are kept for another run")
    parser.add_argument("--before", type=Path, help="another checkout")
    parser.add_argument("--options", default="--json", help="of mprof heap")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        dumps = {name: _dump(folder, given.jdk, name, given.entries) for name in _COLLECTORS}
        checkouts = {"now": _HERE.parents[1]} | (
            {"before": given.before.resolve()} if given.before else {}
        )
        costs: dict[tuple[str, str], list[Cost]] = defaultdict(list)
        runs = [(version, name) for name in dumps for version in checkouts]
        for number in range(given.rounds + 1):
            # every other round backwards: what ran before leaves more or less memory to clear
            for version, name in runs[:: 1 if number % 2 else -1]:
                cost = _cost(checkouts[version], dumps[name], given.options.split())
                if number:  # the first brings kernels, byte code and files into memory
                    costs[version, name].append(cost)
    for version in checkouts:
        print(f"{version}: seconds, medians of {given.rounds} rounds")
        for name in dumps:
            print(_line(name, costs[version, name], costs[version, _FIRST]))
    for name in dumps if given.before else ():
        outputs = {cost.output for version in checkouts for cost in costs[version, name]}
        pairs = zip(costs["now", name], costs["before", name], strict=True)
        ratio = statistics.median(now.cpu / before.cpu for now, before in pairs)
        same = "the same" if len(outputs) == 1 else "NOT the same"
        print(f"{name}: CPU now beside before {ratio:.2f} (median), output {same}")


def _dump(folder: Path, jdk: int, name: str, entries: int) -> Path:
    path = folder / f"{jdk}-{name.replace(', ', '-').replace(' ', '-')}-{entries}.hprof"
    if path.exists():
        return path
    home = installed_jdks()[jdk]
    classes = compile_java(home, [_HERE / "java" / "LargeMap.java"], folder / f"classes-{jdk}")
    options = _COLLECTORS[name]
    with running(home, classes, "LargeMap", str(entries), options=options) as java:
        return java.dump(path.resolve())


def _cost(checkout: Path, dump: Path, options: list[str]) -> Cost:
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "mprof", "heap", str(dump), *options],
            stdout=output, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)},
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"mprof heap {dump} ended with {process.returncode}")
        output.seek(0)
        printed = output.read()
    return Cost(time.monotonic() - started, usage.ru_utime + usage.ru_stime, printed)


def _line(name: str, costs: list[Cost], first: list[Cost]) -> str:
    ratios = [one.cpu / other.cpu for one, other in zip(costs, first, strict=True)]
    cpu = statistics.median(cost.cpu for cost in costs)
    wall = statistics.median(cost.wall for cost in costs)
    return (
        f"  {name:20} CPU {cpu:6.2f} ({min(c.cpu for c in costs):.2f} to"
        f" {max(c.cpu for c in costs):.2f}), wall {wall:6.2f}, CPU beside {_FIRST}"
        f" {statistics.median(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    )


if __name__ == "__main__":
    main()
