"""What the agent takes of resident memory outside the heap, in interleaved pairs of one job.

Run it as ``python tests/benchmarks/agent_resident.py --jar JOB.jar --main MAIN --input IN``, with a
job of one map task. The task's heap is touched whole before it starts (``AlwaysPreTouch``), so that
what differs is native: metaspace, compiled code, stacks, malloc, mapped files. What is compared is
the most that the task's processes took, as Hadoop counts it (``MAP_PHYSICAL_MEMORY_BYTES_MAX``).
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path

from ending import end_as_by_ctrl_c

from mprof.hadoop import Cluster, connect
from mprof.runs.agent_archive import agent_checksum
from mprof.runs.agent_injection import inject_agent
from mprof.runs.staging import staged_agent
from mprof.units import MIB

TASK = "org.apache.hadoop.mapreduce.TaskCounter"
PEAK = "MAP_PHYSICAL_MEMORY_BYTES_MAX"


def main() -> None:
    """Measure and print each pair and the median."""
    end_as_by_ctrl_c()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jar", type=Path, required=True)
    parser.add_argument("--main", required=True)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--heap", default="150m", help="-Xms and -Xmx of the task")
    parser.add_argument("-D", dest="settings", action="append", default=[])
    given = parser.parse_args()
    options = f"-Xms{given.heap} -Xmx{given.heap} -XX:+AlwaysPreTouch"
    settings = [f"mapreduce.map.java.opts={options}", *given.settings]
    words = [word for pair in settings for word in ("-D", pair)]
    found = []
    with connect(embedded=True) as cluster, tempfile.TemporaryDirectory() as scratch:
        for number in range(given.pairs):
            sizes = []
            for mode in ("plain", "watch"):
                out = Path(scratch) / f"out-{number}-{mode}"
                job = ["hadoop", "jar", str(given.jar), given.main, *words]
                sizes.append(_peak(cluster, [*job, str(given.input), str(out)], mode == "watch"))
            found.append(sizes[1] - sizes[0])
            print(
                f"plain {sizes[0] / MIB:7.1f} MB   watched {sizes[1] / MIB:7.1f} MB   "
                f"more {found[-1] / MIB:6.1f} MB",
                flush=True,
            )
    low, mid, high = min(found), statistics.median(found), max(found)
    print(f"more: least {low / MIB:.1f}, median {mid / MIB:.1f}, most {high / MIB:.1f} MB")


def _peak(cluster: Cluster, command: list[str], watched: bool) -> int:
    with contextlib.ExitStack() as stack:
        overlay: Mapping[str, str] = {}
        append: Mapping[str, str] = {}
        if watched:
            staged = stack.enter_context(staged_agent(cluster, None, print))
            way = inject_agent(
                uuid.uuid4().hex,
                staged,
                jar_checksum=agent_checksum(),
                mode="watch",
                settings={},
                with_plan=False,
            )
            overlay, append = way.overlay, way.append
        done = cluster.submit(command, overlay=overlay, append=append, on_line=lambda _line: None)
        (job,) = cluster.wait(done.job_ids)
    if job.state != "SUCCEEDED":
        raise SystemExit(f"the job {job.state.lower()}: give it a heap that it fits")
    return job.counters[TASK][PEAK]


if __name__ == "__main__":
    main()
