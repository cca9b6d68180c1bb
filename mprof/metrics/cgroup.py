"""The back end ``cgroup``: what the control groups of this process count, as on a node that is one.

Nodes that share a kernel, such as containers, have one ``/proc/stat`` and one load average. What is
taken instead, by metric:

- user, system: of the group, in per cent of its quota, or of all processors if it has none;
- iowait: the share of time in which some task of the group waited for a disk (pressure stall);
- ctxt, runq_sz, ldavg_1: of the group's threads, one by one;
- plist_sz: the group's count, or its threads;
- fault: of the group;
- pgpgin and bread, pgpgout and bwrtn: one count of the group, in two units;
- eth_rxbyt, eth_txbyt, tcp_abort_on_data, rto_max, retrans: of the network namespace of this
  process.

What the kernel does not count is missing, and is never taken from the whole machine.
"""

from __future__ import annotations

import os
import time
from typing import Final

import psutil

from mprof.errors import UsageError
from mprof.io.control_groups import group_folders
from mprof.metrics.groups import Groups
from mprof.metrics.host import BLOCK_BYTES, network_totals
from mprof.metrics.proc import PROC, read_text
from mprof.metrics.reading import Reading
from mprof.metrics.slow_measure import SlowMeasure
from mprof.metrics.sockets import largest_rto_ms
from mprof.metrics.tasks import Tasks
from mprof.units import KIB

__all__ = ["CgroupReader"]

_SHARE_OF_TASKS: Final = 0.004
"""Of one processor, for looking at every thread; half of it is left for the rest."""


class CgroupReader:
    """Reads the counters of the control groups that this process is in.

    Raises:
        UsageError: if this process is in the uppermost groups only, which are the whole machine.
    """

    def __init__(self, groups: Groups | None = None) -> None:
        own = PROC / "self"
        found = group_folders(read_text(own / "cgroup") or b"", read_text(own / "mountinfo") or b"")
        self._groups = groups or Groups([each.folder for each in found])
        if not self._groups.folders:
            raise UsageError(
                "this process is in no control group of its own",
                next_step="start it inside the group of the node, or use --back-end host",
            )
        tasks = Tasks(self._groups.processes, proc=PROC, own=os.getpid())
        self._tasks = SlowMeasure(tasks.look, share=_SHARE_OF_TASKS)
        self._rto = SlowMeasure(largest_rto_ms)
        self._most = psutil.cpu_count() or 1

    def read(self) -> Reading:
        """What the counters show now."""
        at_s, monotonic_s = time.time(), time.monotonic()
        groups = self._groups
        processors = groups.processors(self._most)
        waited_s, moved = groups.waited_s(), groups.moved_bytes()
        totals: dict[str, float | None] = {
            "user": groups.processor_s("user"),
            "system": groups.processor_s("system"),
            # a share of time, and not of processors
            "iowait": None if waited_s is None else waited_s * processors,
            "fault": groups.faults(),
        }
        if moved is not None:
            totals["pgpgin"], totals["pgpgout"] = (count / KIB for count in moved)
            totals["bread"], totals["bwrtn"] = (count / BLOCK_BYTES for count in moved)
        totals.update(network_totals())
        levels: dict[str, float | None] = {
            "plist_sz": groups.tasks(),
            "rto_max": self._rto.value(),
        }
        seen = self._tasks.value()
        if seen is not None:
            levels["ctxt"] = seen.switches_per_s
            levels["runq_sz"] = seen.runnable
            levels["ldavg_1"] = seen.load
            if levels["plist_sz"] is None:
                levels["plist_sz"] = seen.tasks
        return Reading(at_s, monotonic_s, processors, _known(totals), _known(levels))


def _known(values: dict[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}
