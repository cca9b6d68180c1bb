"""Dumps of ``/jmx``: what a daemon says of its heartbeats at one moment, and of its host.

``org.apache.hadoop.jmx.JMXJsonServlet``. A dump has no time of its own; it is that of the JVM, the
start of ``java.lang:type=Runtime`` plus its uptime. The averages of Hadoop's metrics are those
of the last period of its metrics system (``MutableRate``), in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mprof.sources.json_objects import json_objects
from mprof.sources.reader import Losses, Part, Reader, as_figure, as_text
from mprof.store import frame_of

__all__ = ["JMX"]

_RUNTIME: Final = "java.lang:type=Runtime"
_SYSTEM: Final = "java.lang:type=OperatingSystem"
_HOST: Final = "tag.Hostname"
_HEARTBEATS: Final = {
    # of a DataNode: the round trip, by its own clock
    "HeartbeatsAvgTime": ("HeartbeatsNumOps", "sendHeartbeat"),
    # of the masters: what a call costs them, in RpcDetailedActivityForPort...
    "NodeHeartbeatAvgTime": ("NodeHeartbeatNumOps", "nodeHeartbeat at the master"),
    "SendHeartbeatAvgTime": ("SendHeartbeatNumOps", "sendHeartbeat at the master"),
}
"""The average, the count that must not be 0, and the kind of heartbeat."""
_HARDWARE: Final = {
    "AvailableProcessors": "processors",
    "TotalPhysicalMemorySize": "memory",  # com.sun.management.OperatingSystemMXBean, to JDK 13
    "TotalMemorySize": "memory",
}


def _time_s(beans: Mapping[str, Mapping[str, Any]]) -> float | None:
    runtime = beans.get(_RUNTIME, {})
    started, uptime = as_figure(runtime.get("StartTime")), as_figure(runtime.get("Uptime"))
    return None if started is None or uptime is None else (started + uptime) / 1000


def _host(beans: Mapping[str, Mapping[str, Any]]) -> str | None:
    named = (as_text(bean.get(_HOST)) for bean in beans.values())
    return next((name for name in named if name is not None), None)


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    heartbeats: list[dict[str, Any]] = []
    metrics: list[dict[str, Any]] = []
    hardware: dict[tuple[str, str], float] = {}
    for dump in json_objects(path, losses):
        listed = dump.get("beans")
        if not isinstance(listed, list):
            losses.add("an object is no dump of /jmx", dump)
            continue
        beans = {
            bean["name"]: bean
            for bean in listed
            if isinstance(bean, dict) and isinstance(bean.get("name"), str)
        }
        at_s, host = _time_s(beans), _host(beans)
        if at_s is None or host is None:
            losses.add(
                f"a dump has no {'time' if at_s is None else 'host'}: fetch all of /jmx, without"
                " qry="
            )
            continue
        for bean in beans.values():
            for name, (count, kind) in _HEARTBEATS.items():
                average = as_figure(bean.get(name))
                if average is not None and as_figure(bean.get(count)):
                    heartbeats.append(
                        {"host": host, "at_s": at_s, "kind": kind, "round_trip_s": average / 1000}
                    )
        load = as_figure(beans.get(_SYSTEM, {}).get("SystemLoadAverage"))
        if load is not None:  # -1 where the JVM does not know it
            metrics.append({"host": host, "at_s": at_s, "ldavg_1": load})
        for name, what in _HARDWARE.items():
            amount = as_figure(beans.get(_SYSTEM, {}).get(name))
            if amount:
                hardware[host, what] = amount
    yield "heartbeats", frame_of("heartbeats", heartbeats)
    yield "metrics", frame_of("metrics", metrics)
    rows = [{"host": host, "what": what, "amount": of} for (host, what), of in hardware.items()]
    yield "hardware", frame_of("hardware", rows)


JMX: Final = Reader(
    kind="/jmx dump",
    recognises=lambda _, head: re.match(rb'\s*\{\s*"beans"\s*:', head) is not None,
    read=_read,
    tables=("heartbeats", "metrics", "hardware"),
)
