"""What the views show of a cluster: jobs, nodes, cells and their order, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.findings import NodeFindings
from mprof.peers.tables.job_scores import critical_robust_z, critical_z, score_nodes
from mprof.triage import Cluster, Finding, problems_of
from mprof.views.columns import MOST_LEVEL, NOT_KNOWN, NOT_RUN, level_of
from mprof.views.stripes import attempt_levels, stripes_of

__all__ = ["COLOURS", "KINDS", "Picture", "heat_of", "picture_of"]

KINDS: Final = ("map", "reduce")
_KINDS: Final = pd.Index(KINDS)
COLOURS: Final = ("score", "duration", "volume", "failures", "robust")
"""What a cell of the heatmap may be coloured by."""

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Picture:
    """All that the pages show.

    Attributes:
        jobs: a row a job, in order of start: the columns of the store's table, and ``began_s``,
            ``ended_s``.
        hosts: names of the nodes, in natural order; cells name them by their number.
        racks: of each host, None where it is not known.
        cells: a row a job, kind and host: the columns of `score_nodes`, with ``job_number``,
            ``kind_number``, ``host_number`` and the five ``stripe_N``; in order of job, kind and
            falling volume, what has none last.
        attempts: a row an attempt, in the order of ``cells``: the columns of the store's table,
            with ``cell`` and ``level``.
        findings: what is wrong, and what may be; of nodes, of jobs that fail, of skewed data.
        orders: name of an order of nodes -> numbers of the hosts in that order.
    """

    jobs: pd.DataFrame
    hosts: tuple[str, ...]
    racks: tuple[str | None, ...]
    cells: pd.DataFrame
    attempts: pd.DataFrame
    findings: tuple[Finding, ...]
    orders: dict[str, NDArray[np.int64]]


def picture_of(cluster: Cluster, nodes: NodeFindings | None = None) -> Picture:
    """Score the nodes, find what is wrong, and put everything into order.

    Args:
        cluster: what is shown.
        nodes: what `mprof nodes` says of its store; None where it was not asked.
    """
    scores = score_nodes(cluster.attempts)
    findings = problems_of(cluster, scores, nodes)
    jobs = _jobs(cluster, scores)
    hosts = cluster.hosts
    numbers = _Numbers(pd.Index(jobs["job"]), pd.Index(hosts))
    job_number, kind_number, host_number = numbers.of(scores)
    cells = scores.assign(
        job_number=job_number, kind_number=kind_number, host_number=host_number
    ).sort_values(
        ["job_number", "kind_number", "volume", "host_number"],
        ascending=[True, True, False, True],
        na_position="last",
    )
    cells = cells.reset_index(drop=True)
    attempts = _attempts(cluster.attempts, cells, numbers)
    stripes = stripes_of(
        attempts, attempts["cell"].to_numpy(), attempts["level"].to_numpy(), len(cells)
    )
    return Picture(
        jobs=jobs,
        hosts=hosts,
        racks=tuple(rack if isinstance(rack := cluster.racks.get(host), str) else None
                    for host in hosts),
        cells=cells.assign(**{f"stripe_{i}": stripes[:, i] for i in range(stripes.shape[1])}),
        attempts=attempts,
        findings=findings,
        orders=_orders(cluster, cells, findings),
    )  # fmt: skip


def heat_of(picture: Picture, colour: str, kind: int) -> NDArray[np.uint8]:
    """Levels of darkness of the heatmap: a row a host, a column a job.

    Args:
        picture: with the cells.
        colour: one of `COLOURS`.
        kind: number of the kind of task, in `KINDS`.
    """
    cells = picture.cells[picture.cells["kind_number"] == kind]
    levels = _levels(cells, colour)
    # Where nothing of it can be compared, that something ran is still to be seen.
    heat = np.full((len(picture.hosts), len(picture.jobs)), NOT_RUN, dtype=np.uint8)
    heat[cells["host_number"].to_numpy(), cells["job_number"].to_numpy()] = levels
    return heat


def _levels(cells: pd.DataFrame, colour: str) -> NDArray[np.uint8]:
    nodes = cells["nodes"].to_numpy(dtype=np.float64)
    match colour:
        case "score":
            return level_of(cells["score"], critical_z(np.maximum(nodes, 3)))
        case "duration":
            return level_of(cells["z_duration"], critical_z(np.maximum(nodes, 3)))
        case "volume":
            return level_of(cells["z_volume"].abs(), critical_z(np.maximum(nodes, 3)))
        case "robust":
            return level_of(cells["robust_score"], critical_robust_z(np.maximum(nodes, 3)))
        case "failures":  # the ratio itself: a job that fails everywhere has no outlier
            ratio = cells["failure_ratio"].to_numpy(dtype=np.float64)
            levels = np.rint(ratio * MOST_LEVEL)
            return np.where(np.isnan(levels), NOT_KNOWN, levels).astype(np.uint8)
    raise KeyError(colour)


def _jobs(cluster: Cluster, scores: pd.DataFrame) -> pd.DataFrame:
    """The jobs by start; one of which only attempts are known is there too."""
    times = scores.groupby("job").agg(first=("started_s", "min"), last=("finished_s", "max"))
    known = cluster.jobs.set_index("job")
    jobs = known.reindex([*known.index, *times.index.difference(known.index)])
    began = jobs["launched_s"].fillna(jobs["submitted_s"]).fillna(times["first"])
    jobs = jobs.assign(began_s=began, ended_s=jobs["finished_s"].fillna(times["last"]))
    return jobs.rename_axis("job").sort_values("began_s", kind="stable").reset_index()


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers of jobs and hosts, by their places: texts would be compared a dozen times."""

    jobs: pd.Index
    hosts: pd.Index

    def of(self, rows: pd.DataFrame) -> tuple[Places, Places, Places]:
        """Of the job, the kind and the host of each row; -1 of one that is not known."""
        return (
            self.jobs.get_indexer(pd.Index(rows["job"])),
            _KINDS.get_indexer(pd.Index(rows["kind"])),
            self.hosts.get_indexer(pd.Index(rows["host"])),
        )

    def of_cell(self, job: Places, kind: Places, host: Places) -> Places:
        """One number of all three; -1 where one of them is not known."""
        number = (job * len(_KINDS) + kind) * len(self.hosts) + host
        return np.where((job < 0) | (kind < 0) | (host < 0), -1, number)


def _attempts(attempts: pd.DataFrame, cells: pd.DataFrame, numbers: _Numbers) -> pd.DataFrame:
    of_cells = (cells[name].to_numpy() for name in ("job_number", "kind_number", "host_number"))
    known = pd.Index(numbers.of_cell(*of_cells))
    cell = known.get_indexer(pd.Index(numbers.of_cell(*numbers.of(attempts))))
    has_one = cell >= 0  # others stand on no node that the cluster's tables know
    attempts = attempts[has_one]
    placed = attempts.assign(cell=cell[has_one], level=attempt_levels(attempts))
    return placed.sort_values(["cell", "started_s"], kind="stable").reset_index(drop=True)


def _orders(
    cluster: Cluster, cells: pd.DataFrame, findings: tuple[Finding, ...]
) -> dict[str, NDArray[np.int64]]:
    number = len(cluster.hosts)
    hosts = pd.RangeIndex(number)
    volume = cells.groupby("host_number")["volume"].sum().reindex(hosts, fill_value=0.0)
    score = cells.groupby("host_number")["score"].mean().reindex(hosts).fillna(-1.0)
    place = {host: at for at, host in enumerate(cluster.hosts)}
    trouble = np.zeros(number)
    of_nodes = [one for one in findings if one.job is None]
    for rank, one in enumerate(of_nodes):
        for host in one.hosts:
            if host in place:  # one of which metrics alone are known is not shown
                trouble[place[host]] = max(trouble[place[host]], len(of_nodes) - rank)
    racks = cluster.racks.reindex(cluster.hosts)
    # Hosts are numbered in natural order, which ties keep.
    by_rack = racks.reset_index(drop=True).sort_values(kind="stable", na_position="last").index
    return {
        "data": np.argsort(-volume.to_numpy(), kind="stable"),
        "name": np.arange(number),
        "rack": by_rack.to_numpy(),
        "trouble": np.lexsort((-score.to_numpy(), -trouble)),
    }
