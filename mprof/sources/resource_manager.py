"""What a YARN ResourceManager says of its nodes and applications, by its REST interface.

``org.apache.hadoop.yarn.server.resourcemanager.webapp.RMWebServices``. It lists the nodes that
should be there, and how it finds each: ``LOST`` when no heartbeat has come for ten minutes,
``UNHEALTHY`` when the node's own check of its disks or script fails, ``DECOMMISSIONED`` when an
administrator has taken it out. Answers that somebody saved with ``curl`` are read too; without the
time at which they were asked for, the latest report of any node stands for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mprof.history import listed_in
from mprof.sources.json_objects import json_object, json_objects
from mprof.sources.reader import Losses, Part, Reader, as_count, as_figure, as_text
from mprof.sources.server import Server, ServerKind, why_unread
from mprof.store import frame_of

__all__ = ["RESOURCE_MANAGER", "RESOURCE_MANAGER_ANSWERS", "answers_of_resource_manager",
           "standing_in"]  # fmt: skip

RESOURCE_MANAGER: Final = ServerKind(
    name="a ResourceManager",
    example="--resource-manager http://host:8088",
    variable="MPROF_HADOOP_HEADER",
    fewer="ask for less time with --since and --until",
    parameters=frozenset({"user.name"}),
)

_NODES: Final = "/ws/v1/cluster/nodes"
_APPS: Final = "/ws/v1/cluster/apps"
# Hadoop 2 leaves these out where they are not asked for, and refuses names that came later.
_NOT_WELL: Final = "UNHEALTHY,LOST,DECOMMISSIONED,REBOOTED"
_LIVE: Final = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
_MOST_APPS: Final = 10_000  # as many as it keeps (yarn.resourcemanager.max-completed-applications)
_STANDBY: Final = b"This is standby RM"
_OUT: Final = frozenset({"DECOMMISSIONED", "SHUTDOWN"})
_ENDS: Final = {"SUCCEEDED": "succeeded", "FAILED": "failed", "KILLED": "killed"}
_MIB: Final = 1 << 20
_APPLICATION: Final = re.compile(r"application_([0-9]{1,20}_[0-9]{1,10})")
_HEAD: Final = re.compile(
    rb'\s*\{\s*(?:"mprofAskedAt"\s*:|"nodes"\s*:\s*\{\s*"node"|"apps"\s*:\s*\{\s*"app")'
)


def answers_of_resource_manager(
    server: Server, *, since_s: float, until_s: float, now_s: float
) -> bytes:
    """Ask for all nodes as they are now, and for the applications of a time.

    Args:
        server: whom to ask.
        since_s: applications that ended from this second on, beside those that run.
        until_s: up to this one.
        now_s: the time of the answers, seconds since 1970 UTC.

    Returns:
        The answers, one after the other, behind the time.

    Raises:
        EvidenceError: if it does not answer, refuses, is the one that stands by, or answers what no
            ResourceManager does.
    """
    ended = {"finishedTimeBegin": int(since_s * 1000), "finishedTimeEnd": int(until_s * 1000)}
    texts = [
        json.dumps({"mprofAskedAt": round(now_s, 3)}).encode(),
        _asked(server, _NODES, {}, "nodes"),
        _asked(server, _NODES, {"states": _NOT_WELL}, "nodes"),
        _asked(server, _APPS, {"states": _LIVE, "limit": _MOST_APPS}, "apps"),
        _asked(server, _APPS, {**ended, "limit": _MOST_APPS}, "apps"),
    ]
    return b"\n".join(texts) + b"\n"


def standing_in(text: bytes) -> frozenset[tuple[str, ...]]:
    """How nodes and applications stand by answers: the same where nothing has become of any."""
    found: set[tuple[str, ...]] = set()
    for line in text.splitlines():
        answer = json_object(line) or {}
        for one in listed_in(answer, "nodes", "node"):
            words = (one.get(name) for name in ("id", "state", "healthReport"))
            found.add(("node", *(str(word) for word in words)))
        for one in listed_in(answer, "apps", "app"):
            found.add(("app", str(one.get("id")), str(one.get("state"))))
    return frozenset(found)


def _asked(server: Server, path: str, words: Mapping[str, object], name: str) -> bytes:
    text = server.asked(path, words)
    if text.lstrip().startswith(_STANDBY):
        raise why_unread(server, "it is the ResourceManager that stands by")
    answer = json_object(text)
    if answer is None or name not in answer:
        raise why_unread(server, "its answer is none of a ResourceManager")
    return json.dumps(answer, separators=(",", ":")).encode()


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    asked_s: float | None = None
    nodes: dict[str, Mapping[str, Any]] = {}
    apps: dict[str, dict[str, Any]] = {}
    for answer in json_objects(path, losses):
        asked_s = as_figure(answer.get("mprofAskedAt")) or asked_s
        for one in listed_in(answer, "nodes", "node"):
            name, host = as_text(one.get("id")), as_text(one.get("nodeHostName"))
            if name is None or host is None or as_text(one.get("state")) is None:
                losses.add("a node has no id, host or state", one)
            else:
                nodes[name] = one
        for one in listed_in(answer, "apps", "app"):
            row = _job(one)
            if row is not None:
                apps[row["job"]] = row
    reports = [heard for one in nodes.values() if (heard := _seconds(one.get("lastHealthUpdate")))]
    at_s = asked_s or max(reports, default=None)
    hosts = _by_host(nodes)
    states = [_state(host, one, at_s) for host, one in hosts.items()]
    yield "node_states", frame_of("node_states", states)
    there = {host: one for host, one in hosts.items() if one["state"] not in _OUT}
    listed = [
        {"host": host, "rack": (as_text(one.get("rack")) or "").lstrip("/") or None,
         "known_from": "ResourceManager"}
        for host, one in there.items()
    ]  # fmt: skip
    yield "nodes", frame_of("nodes", listed)
    yield "hardware", frame_of("hardware", [row for each in there.items() for row in _room(*each)])
    yield "jobs", frame_of("jobs", list(apps.values()))


def _by_host(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """One node of each host: one that came back has a new port, and the old one is lost for ever.

    That which runs counts, else that which was heard of last.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for one in nodes.values():
        before = found.get(one["nodeHostName"])
        if before is None or _rank(one) > _rank(before):
            found[one["nodeHostName"]] = one
    return found


def _rank(one: Mapping[str, Any]) -> tuple[bool, float]:
    return one["state"] == "RUNNING", _seconds(one.get("lastHealthUpdate")) or 0.0


def _state(host: str, one: Mapping[str, Any], at_s: float | None) -> dict[str, Any]:
    return {
        "host": host,
        "at_s": at_s,
        "state": one["state"],
        "heard_s": _seconds(one.get("lastHealthUpdate")),
        "report": as_text(one.get("healthReport")),
        "containers": as_count(one.get("numContainers")),
    }


def _room(host: str, one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a node that runs may give to containers: of a lost one nothing is said any more."""
    for what, used, free, unit in (
        ("YARN memory", "usedMemoryMB", "availMemoryMB", _MIB),
        ("YARN processors", "usedVirtualCores", "availableVirtualCores", 1),
    ):
        amounts = as_count(one.get(used)), as_count(one.get(free))
        if None not in amounts and (total := sum(each or 0 for each in amounts)):
            yield {"host": host, "what": what, "amount": float(total * unit)}


def _job(one: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row of a MapReduce application; None of others.

    Without the time at which it ended, which is later than in its history: that counts where both
    are there (`mprof.store.once`).
    """
    found = _APPLICATION.fullmatch(str(one.get("id")))
    if found is None or one.get("applicationType") != "MAPREDUCE":
        return None
    return {
        "job": f"job_{found[1]}",
        "name": as_text(one.get("name")),
        "user": as_text(one.get("user")),
        "submitted_s": _seconds(one.get("startedTime")),
        "state": _ENDS.get(str(one.get("finalStatus")), "running"),
    }


def _seconds(milliseconds: Any) -> float | None:
    known = as_figure(milliseconds)
    return known / 1000 if known else None


RESOURCE_MANAGER_ANSWERS: Final = Reader(
    kind="ResourceManager answers",
    recognises=lambda _, head: _HEAD.match(head) is not None,
    read=_read,
    tables=("node_states", "nodes", "hardware", "jobs"),
)
