"""``python -m reliability.jvms --seed S --jobs N``: real jobs of known truth, kept line by line."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mprof.errors import MprofError
from mprof.hadoop import connect
from reliability.jvms.kept import append, done, read
from reliability.jvms.one_job import run_one
from reliability.jvms.page import jvms_page
from reliability.jvms.real import build_jar

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the jobs that are not among the results yet, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m reliability.jvms", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=10, help="jobs of the seed, from index 0 on")
    parser.add_argument("--only", type=int, nargs="+", help="of these jobs")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no job after so many")
    parser.add_argument("--results", type=Path, default=Path("reliability/jvms/results.jsonl"))
    parser.add_argument("--work", type=Path, default=Path("build/reliability-jvms"),
                        help="inputs, and the captures of jobs with a wrong verdict")  # fmt: skip
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    given = parser.parse_args(arguments)
    _run(given)
    if given.page:
        given.page.write_text(jvms_page(read(given.results)), encoding="utf-8")
    return 0


def _run(given: argparse.Namespace) -> None:
    had = done(read(given.results))
    asked = given.only or range(given.jobs)
    wanted = [one for one in asked if (given.seed, one) not in had]
    if not wanted:
        return
    until = time.monotonic() + 60 * given.minutes
    work = given.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    jar = build_jar(work / "scripted.jar")
    with connect(embedded=True):  # for all of them, so that they use one cluster
        for index in wanted:
            sys.stdout.flush()
            if time.monotonic() > until:
                break
            folder = work / f"{given.seed}-{index}"
            try:
                line = run_one(given.seed, index, jar, folder, print)
            except (MprofError, RuntimeError) as error:  # not run: tried again the next time
                print(f"  failed: {error}")
                continue
            append(given.results, line)
            for fault in line.get("faults", ()):
                print("  wrong:", *fault)
            print(f"  {line.get('seconds', 0)} s; true: {', '.join(line.get('true', ()))}")


if __name__ == "__main__":
    sys.exit(main())
