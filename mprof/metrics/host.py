"""The back end ``host``: the counters of a whole machine."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import psutil

from mprof.metrics.proc import (
    PROC,
    counted_by_network,
    devices,
    named_numbers,
    read_text,
    run_queue,
)
from mprof.metrics.reading import Reading
from mprof.metrics.slow_measure import SlowMeasure
from mprof.metrics.sockets import largest_rto_ms

__all__ = ["BLOCK_BYTES", "HostReader", "network_totals"]

BLOCK_BYTES: Final = 512
_LOOPBACK: Final = "lo"
_BLOCK_DEVICES: Final = Path("/sys/block")
_INTERFACES: Final = Path("/sys/class/net")
_OF_TCP: Final = (
    ("tcp_abort_on_data", "netstat", b"TCPAbortOnData"),
    ("retrans", "snmp", b"RetransSegs"),
)
_OF_VMSTAT: Final = {"pgpgin": "pgpgin", "pgpgout": "pgpgout", "pgfault": "fault"}


class HostReader:
    """Reads the counters of the machine that it runs on."""

    def __init__(self) -> None:
        self._processors = psutil.cpu_count() or 1
        self._rto = SlowMeasure(largest_rto_ms)

    def read(self) -> Reading:
        """What the counters show now."""
        at_s, monotonic_s = time.time(), time.monotonic()
        totals: dict[str, float] = {}
        levels: dict[str, float] = {"ldavg_1": psutil.getloadavg()[0]}
        # First: the sampling itself runs while it is counted.
        queue = run_queue(read_text(PROC / "loadavg") or b"")
        if queue is not None:
            levels["runq_sz"], levels["plist_sz"] = queue
        _add_processor(totals)
        totals["ctxt"] = psutil.cpu_stats().ctx_switches
        memory = named_numbers(read_text(PROC / "vmstat") or b"")
        totals.update(
            (metric, memory[name]) for name, metric in _OF_VMSTAT.items() if name in memory
        )
        _add_disks(totals)
        totals.update(network_totals())
        rto_ms = self._rto.value()
        if rto_ms is not None:
            levels["rto_max"] = rto_ms
        return Reading(at_s, monotonic_s, self._processors, totals, levels)


def _add_processor(totals: dict[str, float]) -> None:
    """Processor seconds, as sar(1) sums them; of a low priority too, as a hog may have."""
    spent = psutil.cpu_times()
    totals["user"] = spent.user + getattr(spent, "nice", 0.0)
    totals["system"] = spent.system + getattr(spent, "irq", 0.0) + getattr(spent, "softirq", 0.0)
    if hasattr(spent, "iowait"):
        totals["iowait"] = spent.iowait


def _add_disks(totals: dict[str, float]) -> None:
    disks = psutil.disk_io_counters(perdisk=True) or {}
    whole = frozenset(name for name in disks if (_BLOCK_DEVICES / name).exists())
    chosen = devices(_BLOCK_DEVICES, whole or frozenset(disks))
    if chosen:
        totals["bread"] = sum(disks[name].read_bytes for name in chosen) / BLOCK_BYTES
        totals["bwrtn"] = sum(disks[name].write_bytes for name in chosen) / BLOCK_BYTES


def network_totals() -> dict[str, float]:
    """What the network counts, of the namespace of this process."""
    totals: dict[str, float] = {}
    interfaces = psutil.net_io_counters(pernic=True)
    chosen = devices(_INTERFACES, frozenset(interfaces) - {_LOOPBACK})
    if chosen:
        totals["eth_rxbyt"] = sum(interfaces[name].bytes_recv for name in chosen)
        totals["eth_txbyt"] = sum(interfaces[name].bytes_sent for name in chosen)
    for metric, file, counter in _OF_TCP:
        count = counted_by_network(read_text(PROC / "net" / file) or b"", counter)
        if count is not None:
            totals[metric] = count
    return totals
