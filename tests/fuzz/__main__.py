"""``python -m fuzz``: bad input, generated; every reader by every damage by every verb."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz.outputs import argument_tries, output_tries
from fuzz.running import run_all
from fuzz.trying import Tried, Try, all_tries
from fuzz.worlds import build_worlds

from mprof.io.printable import printable

__all__ = ["chosen"]


def chosen(seed: int, runs: int | None) -> list[Try]:
    """All tries of a seed, or as many of them as wanted, drawn by the seed."""
    tries = list(all_tries(seed, [*argument_tries(), *output_tries()]))
    if runs is None or runs >= len(tries):
        return tries
    return random.Random(seed).sample(tries, runs)


def main() -> None:
    """Run, print what is bad, and a summary; exit with 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the damages; default: 1")
    parser.add_argument("--runs", type=int, help="as many, drawn by the seed; default: all")
    parser.add_argument("--skip", type=int, default=0, help="the first so many, tried before")
    parser.add_argument("--servers", type=int, default=2, help="processes beside each other")
    parser.add_argument("--only", default="", help="only tries whose description contains this")
    parser.add_argument("--show", action="store_true", help="print what the bad ones printed")
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-worlds-") as folder:
        drawn = chosen(given.seed, given.runs)[given.skip :]
        tries = [one for one in drawn if given.only in str(one)]
        done = []
        for tried in run_all(tries, build_worlds(Path(folder)), servers=given.servers):
            done.append(tried)
            if tried.problems:
                _print(tried, whole=given.show)
    bad = [tried for tried in done if tried.problems]
    kinds = Counter(problem for tried in bad for problem in tried.problems)
    for problem, count in kinds.most_common(30):
        print(f"{count:6}  {problem[:100]}")
    slowest = max(done, key=lambda tried: tried.outcome.seconds)
    largest = max(done, key=lambda tried: tried.outcome.peak_bytes)
    codes = Counter(tried.outcome.code for tried in done)
    print(
        f"seed {given.seed}: {len(done)} inputs tried in {time.monotonic() - started:.0f} s, "
        f"{len(bad)} bad\n"
        f"exit codes: {', '.join(f'{code}: {count}' for code, count in sorted(codes.items()))}\n"
        f"longest: {slowest.outcome.seconds:.1f} s ({slowest.one})\n"
        f"most memory: {largest.outcome.peak_bytes >> 20} MB ({largest.one})"
    )
    sys.exit(1 if bad else 0)


def _print(tried: Tried, *, whole: bool) -> None:
    print(f"{tried.one}: {'; '.join(tried.problems)}", flush=True)
    if whole:
        for text in (tried.outcome.stdout, tried.outcome.stderr):
            print("    " + printable(text[-1500:].decode(errors="replace")).replace("\n", "\n    "))


if __name__ == "__main__":
    main()
