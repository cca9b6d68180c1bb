"""The pages on disk: one that works alone, and parts that it takes in as they are looked at.

``index.html`` carries names, findings and the heatmap. Figures of cells (``cells/``), other
colours of the heatmap (``heat/``) and tasks of jobs (``tasks/``) are scripts beside it: a page that
was opened from a disk may load a script from there, and nothing else.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from mprof.peers.tables.job_scores import critical_z
from mprof.report.markup import script_data
from mprof.report.page import templates
from mprof.triage import Finding
from mprof.version import __version__
from mprof.views.alarms import Alarms
from mprof.views.columns import LEVELS_A_UNIT, MOST_LEVEL, packed, size_code
from mprof.views.picture import COLOURS, KINDS, Picture, heat_of
from mprof.views.stripes import STRIPES
from mprof.views.tasks import tasks_of

__all__ = ["PAGE", "PARTS", "Site", "write_site"]

PAGE: Final = "index.html"
PARTS: Final = ("cells", "heat", "tasks")
"""Folders of the parts that the page takes in."""

_CELLS_A_PART: Final = 20_000
_PARTS_AT_ONCE: Final = 32
_SCRIPTS: Final = ("data", "colours", "state", "plate", "figures", "heatmap", "stream", "detail",
                   "tasks", "alarms", "panel", "keys", "main")  # fmt: skip
_STATES: Final = ("succeeded", "failed", "killed", "running")


@dataclass(frozen=True, slots=True)
class Site:
    """What is to be written.

    Attributes:
        name: of the cluster or store, for headings.
        picture: of the cluster.
        alarms: of the detectors; None where they were not asked.
        memory: attempt -> page with its memory diagnosis, relative to the site.
        live: stamp of what the pages are made of, where they are served and made anew.
    """

    name: str
    picture: Picture
    alarms: Alarms | None = None
    memory: Mapping[str, str] | None = None
    live: str | None = None


def write_site(site: Site, folder: Path) -> None:
    """Write the pages into a folder that is there; files of an earlier writing are replaced."""
    for name in PARTS:
        (folder / name).mkdir(exist_ok=True)
    picture = site.picture
    parts = _parts(picture.cells)
    hosts, kinds = (picture.cells[name].to_numpy() for name in ("host_number", "kind_number"))
    job_number = picture.cells["job_number"].to_numpy()[picture.attempts["cell"]]
    tasks = tasks_of(picture.attempts, job_number, hosts, kinds, site.memory or {})
    _write_parts(
        folder,
        chain(
            (
                (f"cells/{number}", partial(_cells, picture.cells.iloc[first:last]))
                for number, (first, last) in enumerate(parts)
            ),
            (
                (f"heat/{colour}", partial(_heat, picture, colour))
                for colour in set(COLOURS) - {"duration", "failures"}
            ),
            ((f"tasks/{one.job}", one.as_json) for one in tasks),
        ),
    )
    (folder / PAGE).write_text(_page(site, parts), encoding="utf-8")


def _write_parts(folder: Path, parts: Iterable[tuple[str, Callable[[], Any]]]) -> None:
    """Write scripts by their names, some at once: most of the time goes into deflating them."""

    def write(name: str, value: Callable[[], Any]) -> None:
        text = f"mprofPart({script_data(name)},{script_data(value())});\n"
        (folder / f"{name}.js").write_text(text, encoding="utf-8")

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running: deque[Future[None]] = deque()
        for name, value in parts:
            running.append(pool.submit(write, name, value))
            if len(running) > _PARTS_AT_ONCE:  # what waits is in memory
                running.popleft().result()
        for each in running:
            each.result()


def _page(site: Site, parts: list[tuple[int, int]]) -> str:
    return templates("mprof.views", "page").get_template("view.html.j2").render(
        title=f"mprof: {site.name}",
        name=site.name,
        live=site.live is not None,
        facts=script_data(_facts(site, parts)),
        durations=_heat(site.picture, "duration"),
        failures=_heat(site.picture, "failures"),
        scripts=_SCRIPTS,
        version=__version__,
    )  # fmt: skip


def _parts(cells: pd.DataFrame) -> list[tuple[int, int]]:
    """First and last cell of each part: whole jobs, about as many cells each."""
    ends = cells.groupby("job_number", sort=True).size().cumsum().tolist()
    parts, first = [], 0
    for end in ends:
        if end - first >= _CELLS_A_PART or end == len(cells):
            parts.append((first, end))
            first = end
    return parts


def _cells(cells: pd.DataFrame) -> str:
    return packed(_cell_columns(cells))


def _cell_columns(cells: pd.DataFrame) -> list[tuple[Any, str]]:
    """In the order in which ``data.js`` takes them apart."""

    def hundredths(name: str) -> Any:
        codes = np.rint(cells[name].to_numpy(dtype=np.float64) * 100)
        return np.where(np.isnan(codes), -32768, np.clip(codes, -32767, 32767))

    return [
        (cells["host_number"], "u4"),
        *((cells[state].clip(upper=0xFFFF), "u2") for state in _STATES),
        (cells["survived"].clip(upper=0xFFFF), "u2"),
        *((size_code(cells[name]), "u2")
          for name in ("seconds", "attempt_seconds", "read_bytes", "written_bytes", "volume")),
        *((hundredths(name), "i2")
          for name in ("z_duration", "z_volume", "z_failures", "score", "robust_duration")),
        *((cells[f"stripe_{number}"], "u1") for number in range(STRIPES)),
    ]  # fmt: skip


def _heat(picture: Picture, colour: str) -> str:
    return packed([(heat_of(picture, colour, kind), "u1") for kind in range(len(KINDS))])


def _facts(site: Site, parts: list[tuple[int, int]]) -> dict[str, Any]:
    picture = site.picture
    jobs, cells = picture.jobs, picture.cells
    racks = sorted({rack for rack in picture.racks if rack is not None})
    users = sorted(set(jobs["user"].dropna()))
    groups = cells.groupby(["job_number", "kind_number"], sort=True)
    sizes = groups.size()
    rack_number = {rack: number for number, rack in enumerate(racks)}
    user_number = {user: number for number, user in enumerate(users)}
    return {
        "name": site.name,
        "version": __version__,
        "hosts": list(picture.hosts),
        "racks": racks,
        "rackOf": [rack_number.get(rack, -1) if rack is not None else -1 for rack in picture.racks],
        "users": users,
        "attempts": len(picture.attempts),
        "compared": bool(cells["z_duration"].notna().any()),
        "stamp": site.live,
        "levels": {"unit": LEVELS_A_UNIT, "most": MOST_LEVEL},
        "jobs": {
            "id": jobs["job"].tolist(),
            "name": _texts(jobs["name"]),
            "user": [user_number.get(user, -1) for user in jobs["user"]],
            "state": _texts(jobs["state"]),
            "began": _times(jobs["began_s"]),
            "ended": _times(jobs["ended_s"]),
            "maps": _numbers(jobs["maps"]),
            "reduces": _numbers(jobs["reduces"]),
        },
        "groups": {
            "job": [int(job) for job, _ in sizes.index],
            "kind": [int(kind) for _, kind in sizes.index],
            "cells": sizes.tolist(),
            "critical": [_rounded(each) for each in critical_z(np.maximum(sizes.to_numpy(), 3))],
            "volume": [_rounded(each) for each in groups["volume"].sum(min_count=1)],
        },
        "parts": [list(part) for part in parts],
        "orders": {name: order.tolist() for name, order in picture.orders.items()},
        "findings": _findings(picture),
        "alarms": None if site.alarms is None else site.alarms.as_json(picture.hosts),
    }


def _findings(picture: Picture) -> list[dict[str, Any]]:
    """What is wrong, as the page lists it: nodes, jobs, and data."""
    hosts = {host: number for number, host in enumerate(picture.hosts)}
    jobs = {job: number for number, job in enumerate(picture.jobs["job"])}
    ran = picture.cells.groupby("host_number")
    found = []
    for one in picture.findings:
        numbers = [hosts[host] for host in one.hosts if host in hosts]
        if one.job is not None:
            of_jobs, user = [jobs[one.job]], picture.jobs["user"].iloc[jobs[one.job]]
        else:
            of_jobs, user = sorted({j for h in numbers for j in _jobs_in_time(ran, h, one)}), None
        racks = {picture.racks[number] for number in numbers}
        rack = racks.pop() if len(numbers) > 1 and len(racks) == 1 else None
        of, title = _TITLES[one.id]
        found.append(
            {
                "kind": of,
                "fires": one.confidence is not None,
                "title": title if one.confidence is None else f"{title} ({one.confidence})",
                "evidence": one.sentence,
                "whyNot": one.why_not,
                "jobs": of_jobs,
                "hosts": numbers,
                "users": [user] if isinstance(user, str) else [],
                "taskKind": None if one.kind is None else KINDS.index(one.kind),
                "subject": f"rack {rack}" if rack is not None else _names(one.hosts),
            }
        )
    return found


_TITLES: Final = {
    "sick_node": ("node", "Differs from its peers"),
    "nodes_that_may_be_sick": ("node", "Differs from its peers"),
    "failures.spread": ("application", "Fails wherever it runs"),
    "failures.one_task": ("application", "One task fails wherever it runs"),
    "large_map_tasks": ("skew", "Skewed data"),
    "large_reduce_tasks": ("skew", "Skewed data"),
}
"""Of each kind of finding: where the page lists it, and its title."""


def _names(hosts: Sequence[str]) -> str:
    return f"{hosts[0]} and {len(hosts) - 1:,} more" if len(hosts) > 1 else "".join(hosts)


def _jobs_in_time(ran: Any, host: int, finding: Finding) -> list[int]:
    """The jobs that ran on a host between the first and the last moment that tells of it."""
    if host not in ran.groups:
        return []
    cells = ran.get_group(host)
    since_s = -np.inf if finding.since_s is None else finding.since_s
    until_s = np.inf if finding.until_s is None else finding.until_s
    in_time = (cells["started_s"] <= until_s) & ~(cells["finished_s"] < since_s)
    return [int(job) for job in cells.loc[in_time, "job_number"].unique()]


def _texts(values: pd.Series[str]) -> list[str | None]:
    return [value if isinstance(value, str) else None for value in values]


def _times(values: pd.Series[float]) -> list[float | None]:
    return [None if pd.isna(value) else round(float(value), 3) for value in values]


def _numbers(values: pd.Series[int]) -> list[int | None]:
    return [None if pd.isna(value) else int(value) for value in values]


def _rounded(value: float) -> float | None:
    return float(f"{value:.5g}") if np.isfinite(value) else None
