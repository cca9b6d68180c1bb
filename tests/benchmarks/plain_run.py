"""Wall time of a case's job without mprof, beside that of a capture's runs of the same job.

Run it as ``python tests/benchmarks/plain_run.py SLUG [--scale paper] [--capture CAPTURE]``. The job
dies as it does in the case; what is measured is the user's command on the embedded cluster, from
its start to its end, which is also what ``run.json`` of a capture tells (``seconds.run``).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from mprof.catalogue import at_scale, cases_root, find_case
from mprof.catalogue.build import build_jar
from mprof.catalogue.inputs import make_input
from mprof.catalogue.running import job_command
from mprof.hadoop import connect
from mprof.runs import open_capture


def main() -> None:
    """Measure and print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slug")
    parser.add_argument("--scale")
    parser.add_argument("--capture", type=Path)
    given = parser.parse_args()
    case = find_case(cases_root(None), given.slug)
    if given.scale:
        case = at_scale(case, given.scale)
    with connect(embedded=True) as cluster, tempfile.TemporaryDirectory() as scratch:
        jar, output = Path(scratch, "job.jar"), Path(scratch, "output")
        build_jar(case, jar, fixed=False)
        source = make_input(case, seed=case.input.seed)
        command = job_command(case, jar, source, output, changed={})
        start = time.monotonic()
        submission = cluster.submit(command, overlay={}, append={}, on_line=_ignore)
        (job,) = cluster.wait(submission.job_ids)
        print(f"{'plain':<9}{time.monotonic() - start:7.1f} s, the job {job.state.lower()}")
    runs = open_capture(given.capture).runs if given.capture else ()
    for run in runs:
        record = run.record
        print(f"{record.mode:<9}{record.seconds['run']:7.1f} s, {record.why}")


def _ignore(line: str) -> None:
    del line


if __name__ == "__main__":
    main()
