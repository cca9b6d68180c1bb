"""Records runs one after the other, on one cluster as long as it is well."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from testbed.cluster import MASTER, Cluster
from testbed.faults import UNMENDED
from testbed.machine import Machine
from testbed.run import Planned, record
from testbed.workloads import write_input

__all__ = ["SIX", "TEN", "Size", "recorder"]

_SHARE_OF_MASTER: Final = 0.5
_MOST_RUNS: Final = 8
"""Of one cluster: its logs grow, and its blocks wander."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many slaves a cluster has.

    Attributes:
        slaves: how many.
        share: of a processor, that each of them has.
    """

    slaves: int
    share: float


SIX: Final = Size(6, 0.25)
TEN: Final = Size(10, 0.12)


@contextmanager
def recorder(
    size: Size = SIX, *, keep_logs: Path | None = None
) -> Iterator[Callable[[Planned, Path], None]]:
    """Gives a function that records a run into a new folder.

    Args:
        size: of the cluster.
        keep_logs: folder for the logs of every process; None if they are not to be kept.
    """
    with contextlib.ExitStack() as stack:
        cluster: Cluster | None = None
        runs = 0

        def run(planned: Planned, folder: Path) -> None:
            nonlocal cluster, runs
            if cluster is None:
                began = time.monotonic()
                cluster, runs = stack.enter_context(_cluster(size, keep_logs)), 0
                print(f"cluster ready after {time.monotonic() - began:.0f} s", flush=True)
            is_whole = False
            try:
                is_whole = record(cluster, planned, folder, runs_before=runs)
            finally:
                runs += 1
                if not is_whole or UNMENDED.intersection(planned.faults) or runs >= _MOST_RUNS:
                    cluster = None
                    stack.close()

        yield run


@contextmanager
def _cluster(size: Size, keep_logs: Path | None) -> Iterator[Cluster]:
    names = [MASTER, *(f"n{number}" for number in range(1, size.slaves + 1))]
    with (
        tempfile.TemporaryDirectory(prefix="mprof-testbed-") as scratch,
        Machine(Path(scratch), names) as machine,
    ):
        cluster = Cluster(machine, share=size.share, share_of_master=_SHARE_OF_MASTER)
        try:
            cluster.start()
            write_input(cluster)
            yield cluster
        finally:
            if keep_logs is not None:
                for name in names:
                    logs = Path(scratch) / name / "logs"
                    shutil.copytree(logs, keep_logs / name, dirs_exist_ok=True)
