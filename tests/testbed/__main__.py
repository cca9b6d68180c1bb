"""``python -m testbed FAULT WORKLOAD``: one run, recorded."""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

from testbed.cluster import MASTER, Cluster
from testbed.faults import FAULTS, OF_MASTER
from testbed.machine import Machine
from testbed.recording import collecting, keep
from testbed.workloads import WORKLOADS, write_input

CONTROL: Final = "none"
_SLAVES: Final = 6
_SHARE: Final = 0.25
_QUIET_S: Final = 5.0
_FAULT_AFTER_S: Final = 60.0
_LONGEST_JOB_S: Final = 900.0


def main() -> int:
    """Run one workload with one fault, and record it."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder: Path = options.output
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="mprof-testbed-") as scratch:
        names = [MASTER, *(f"n{number}" for number in range(1, _SLAVES + 1))]
        with Machine(Path(scratch), names) as machine:
            cluster = Cluster(machine, share=_SHARE)
            began = time.monotonic()
            cluster.start()
            write_input(cluster)
            print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
            try:
                label = _run(cluster, folder, options)
            finally:
                if options.keep_logs:
                    _copy_logs(cluster, folder)
            keep(cluster, folder, label)
    imported = [sys.executable, "-m", "mprof.cli", "import"]
    kept = [folder / name for name in ("histories", "logs", "metrics", "workers")]
    subprocess.run([*imported, *kept, "--store", folder / "store"], check=True)
    print(label)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m testbed", description=__doc__)
    parser.add_argument("fault", choices=[CONTROL, *FAULTS])
    parser.add_argument("workload", choices=list(WORKLOADS))
    parser.add_argument("--seed", type=int, default=1, help="chooses the node")
    parser.add_argument("--jobs", type=int, default=4, help="one after the other")
    parser.add_argument("--keep-logs", action="store_true", help="of every process")
    parser.add_argument("-o", "--output", type=Path, required=True, help="new folder")
    return parser.parse_args()


def _run(cluster: Cluster, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Jobs one after the other; the fault comes after a minute, and stays until they are done."""
    fault: str | None = None if options.fault == CONTROL else options.fault
    node = None
    if fault is not None:
        chosen = random.Random(options.seed).choice(cluster.slaves)
        node = cluster.master if fault in OF_MASTER else chosen
    with collecting(cluster, folder), contextlib.ExitStack() as stack:
        time.sleep(_QUIET_S)
        started_s = time.time()
        ended = threading.Event()
        jobs: list[dict[str, Any]] = []

        def work() -> None:
            for number in range(options.jobs):
                name = f"{options.workload}-{number}"
                begin = time.time()
                code, seconds = WORKLOADS[options.workload](cluster, name)
                jobs.append({"name": name, "began_s": begin, "seconds": seconds, "code": code})
            ended.set()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        from_s = until_s = None
        if node is not None and fault is not None and not ended.wait(_FAULT_AFTER_S):
            from_s = time.time()
            stack.enter_context(FAULTS[fault](cluster, node))
        ended.wait(_LONGEST_JOB_S)
        if from_s is not None:
            until_s = time.time()
    return {
        "fault": fault,
        "node": node.name if node else None,
        "workload": options.workload,
        "seed": options.seed,
        "started_s": started_s,
        "fault_from_s": from_s,
        "fault_until_s": until_s,
        "ended": ended.is_set(),
        "jobs": jobs,
    }


def _copy_logs(cluster: Cluster, folder: Path) -> None:
    for node in (cluster.master, *cluster.slaves):
        for log in cluster.log(node, "x").parent.glob("*.log"):
            kept = folder / "all-logs" / node.name / log.name
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(log.read_bytes())


if __name__ == "__main__":
    raise SystemExit(main())
