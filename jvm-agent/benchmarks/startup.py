"""Start-up cost of the agent: a JVM that does nothing, with and without it, in interleaved pairs.

    python jvm-agent/benchmarks/startup.py [--pairs 20] [--java java] [--classpath DIR] [JVM OPTIONS]

Prints the median and the quartiles of the paired differences, in CPU seconds (user and system of
the child) and wall milliseconds. Pairs are interleaved so that a drift of the machine hits both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "jvm-agent/bundle/target/mprof-agent.jar"
PROGRAM = "public class Nothing { public static void main(String[] a) { System.out.print(1); } }"


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and wall seconds of one child."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall


def quartiles(values: list[float], scale: float, unit: str) -> str:
    """Median and quartiles in one phrase."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle * scale:.0f} {unit} ({low * scale:.0f} to {high * scale:.0f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--java", default="java")
    parser.add_argument("--classpath", default="", help="added to the class path, Hadoop's say")
    parser.add_argument("--settings", default="")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Nothing.java")
        source.write_text(PROGRAM)
        subprocess.run(["javac", "--release", "8", "-nowarn", "-Xlint:-options", source], check=True)
        path = os.pathsep.join(filter(None, [folder, arguments.classpath]))
        plain = [arguments.java, *options, "-cp", path, "Nothing"]
        agent = f"-javaagent:{JAR}=dir={folder}{arguments.settings and ',' + arguments.settings}"
        with_agent = [arguments.java, *options, agent, "-cp", path, "Nothing"]
        pairs = []
        for i in range(arguments.pairs + 1):
            first, second = (plain, with_agent) if i % 2 else (with_agent, plain)
            one, other = run(first), run(second)
            pairs.append((one, other) if i % 2 else (other, one))
    pairs = pairs[1:]  # the first pair warms the page cache
    print(f"{len(pairs)} pairs, {' '.join([arguments.java, *options])}", file=sys.stdout)
    for i, (name, scale, unit) in enumerate([("CPU", 1000, "ms"), ("wall", 1000, "ms")]):
        base = quartiles([p[0][i] for p in pairs], scale, unit)
        more = quartiles([p[1][i] - p[0][i] for p in pairs], scale, unit)
        print(f"{name}: without {base}, the agent adds {more}")


if __name__ == "__main__":
    main()
