"""All that the tables of a store say of its nodes: every detector on every kind of evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from mprof.errors import EvidenceError
from mprof.peers.calibration.values import NOTHING_SET, Calibration
from mprof.peers.comparison import Look, NodeStanding
from mprof.peers.detectors.registry import DETECTORS, Detector
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.synthesis.sickness import Sickness, sicknesses
from mprof.peers.verdict.clocks import by_one_clock
from mprof.peers.verdict.comparability import Comparability, comparability
from mprof.peers.verdict.confidence import Confidence, confidence
from mprof.peers.verdict.heard_otherwise import without_false_silence
from mprof.peers.verdict.islands import (
    Islands,
    islands_by_hardware,
    islands_by_rack,
    islands_of_list,
)
from mprof.peers.verdict.many_looks import by_number_of_looks
from mprof.peers.verdict.racks import with_racks
from mprof.peers.verdict.reported import Reported, reported_nodes
from mprof.peers.verdict.sides import Side, side_of
from mprof.peers.verdict.waiting import without_waiting
from mprof.pieces import Engine, LocalEngine
from mprof.store import MOMENTS, Scope, ScopedStore, Store, Tables, UnfinishedImport
from mprof.threshold import thresholds_moved

__all__ = [
    "NodeFindings", "NothingComparedError", "Suspect", "Waiting",
    "find_sick_nodes", "look_at_nodes", "suspects",
]  # fmt: skip

_NOTHING: Mapping[str, str] = {}
_ROWS_AT_ONCE: Final = 1_000_000


class NothingComparedError(EvidenceError):
    """There is nothing of any node; what is damaged is another `EvidenceError`."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A node that at least one detector indicts.

    Attributes:
        host: its name.
        looks: in which it is indicted, the most telling first.
        compared: number of looks in which it was compared.
        hardware: what it is made of, where that is not what its peers are made of; else None.
    """

    host: str
    looks: tuple[tuple[Look, NodeStanding], ...]
    compared: int
    hardware: str | None = None

    @property
    def since_s(self) -> float | None:
        """Start of the first window in which it differed; None where no window tells."""
        return min(
            (node.since_s for _, node in self.looks if node.since_s is not None), default=None
        )

    @property
    def until_s(self) -> float | None:
        """Start of the last window in which it differed; None where no window tells."""
        return max(
            (node.until_s for _, node in self.looks if node.until_s is not None), default=None
        )

    @property
    def score(self) -> float:
        """The largest of its scores."""
        return max(node.score for _, node in self.looks)

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides of it that are sick, as far as that can be told."""
        return side_of(self.looks)

    @property
    def views(self) -> tuple[str, ...]:
        """The tables that indict it."""
        return tuple(sorted({look.of for look, _ in self.looks}))

    @property
    def confidence(self) -> Confidence:
        """How sure it is that the node is sick."""
        # The same evidence may be compared twice: within racks too, or as a job and in its time.
        once = {
            (look.of, look.comparison.detector, look.evidence): node.jobs
            for look, node in self.looks
        }
        comparisons: Counter[tuple[str, str]] = Counter()
        for (of, detector, _), jobs in once.items():
            comparisons[of, detector] += jobs
        lasted_s = 0.0
        if self.since_s is not None and self.until_s is not None:
            lasted_s = self.until_s - self.since_s
        return confidence(
            views=len(self.views),
            score=self.score,
            lasted_s=lasted_s,
            comparisons=max(comparisons.values()),
            like_its_peers=self.hardware is None,
            chance=min(
                (node.chance for _, node in self.looks if node.chance is not None), default=1.0
            ),
        )


@dataclass(frozen=True, slots=True)
class Waiting:
    """A node that is slow, and only in company of suspects.

    Attributes:
        host: its name.
        because_of: the suspects.
        looks: that show it.
    """

    host: str
    because_of: tuple[str, ...]
    looks: tuple[Look, ...]


@dataclass(frozen=True, slots=True)
class NodeFindings:
    """What the tables say of the nodes.

    Attributes:
        looks: every comparison.
        suspects: nodes that are indicted, the most suspect first.
        waiting: nodes that are slow because of suspects, and not indicted.
        comparable: whether the nodes were comparable at all, by what they completed.
        islands: within which nodes were compared; None where all were compared with each other.
        kinds: what the calibration's tree says of each node; empty without one, and of a job or a
            part of the time.
        disputed_s: seconds in which lie most of the rows that were compared at once where nodes
            differ and neither side is the exception; None where there is no such comparison but of
            jobs.
        unfinished: imports into the store that have not ended, whose rows may be missing.
        as_published: what detectors say that are as their papers describe them; no suspect is of
            them.
        ours_asked: whether any detector of ours was asked.
        reported: nodes that the ResourceManager does not call well; one that was taken out of
            service is no suspect.
    """

    looks: tuple[Look, ...]
    suspects: tuple[Suspect, ...]
    waiting: tuple[Waiting, ...]
    comparable: Comparability
    islands: Islands | None
    kinds: tuple[Sickness, ...] = ()
    disputed_s: float | None = None
    unfinished: tuple[UnfinishedImport, ...] = ()
    as_published: tuple[Look, ...] = ()
    ours_asked: bool = True
    reported: tuple[Reported, ...] = ()


@dataclass(frozen=True, slots=True)
class _Looked:
    """The comparisons of a store, the part of it that was compared, and within which nodes."""

    asked: Asked
    looks: tuple[Look, ...]
    as_published: tuple[Look, ...]
    division: Islands | None
    reported: tuple[Reported, ...] = ()


def find_sick_nodes(
    store: Store,
    *,
    job: str | None = None,
    hosts: Iterable[str] = (),
    scope: Scope | None = None,
    islands: Mapping[str, str] | None = None,
    calibration: Calibration = NOTHING_SET,
    detectors: Sequence[Detector] = DETECTORS,
    engine: Engine | None = None,
) -> NodeFindings:
    """Compare the nodes of a store with each other.

    Args:
        store: with the tables.
        job: compare attempts of this job only; all jobs, transfers and metrics where None.
        hosts: nodes that should be there, beside those of the table ``nodes``.
        scope: the rows that count; all where None.
        islands: the island of each host, as the user lists them; where None, nodes are divided by
            their hardware if that is known.
        calibration: thresholds, profiles and a tree of the cluster's own runs.
        detectors: that are asked. Those of papers compare all nodes with each other, as published,
            and name no suspect.
        engine: what compares pieces of the tables; this process where None.

    Raises:
        NothingComparedError: if the store has no such job, or nothing of any node.
        EvidenceError: if a file of the store is damaged.
    """
    scope = scope or Scope()
    unfinished = store.unfinished()
    with thresholds_moved(calibration.thresholds):
        looked = _looked(
            store, job=job, hosts=hosts, scope=scope, islands=islands,
            calibration=calibration, detectors=detectors, engine=engine,
        )  # fmt: skip
        kinds: tuple[Sickness, ...] = ()
        # A tree is learnt of whole recordings, and of what all detectors say.
        is_whole = job is None and scope.is_everything and set(DETECTORS) <= set(detectors)
        if calibration.tree is not None and is_whole:
            kinds = sicknesses(calibration.tree, looked.looks, hosts=looked.asked.hosts)
    told, division = by_number_of_looks(looked.looks), looked.division
    attempts = looked.asked.store.read("attempts", columns=["job", "attempt", "kind", "host",
                                                            "state", "finished_s"])  # fmt: skip
    if job is not None:
        attempts = attempts[attempts["job"] == job]
    apart = division.apart if division is not None else _NOTHING
    taken_out = {one.host for one in looked.reported if one.is_taken_out}
    named = tuple(one for one in suspects(told, apart=apart) if one.host not in taken_out)
    return NodeFindings(
        looks=told,
        suspects=named,
        waiting=_waiting(told, {one.host for one in named}),
        comparable=comparability(attempts),
        islands=division,
        kinds=kinds,
        disputed_s=_disputed_s(told, looked.asked.store),
        # One may have ended, another one started, while the rows were read.
        unfinished=tuple(dict.fromkeys((*unfinished, *store.unfinished()))),
        as_published=looked.as_published,
        ours_asked=any(each.paper is None for each in detectors),
        reported=looked.reported,
    )


def look_at_nodes(
    store: Store,
    *,
    job: str | None = None,
    hosts: Iterable[str] = (),
    profiles: ProfileModel | None = None,
    detectors: Sequence[Detector] = DETECTORS,
    engine: Engine | None = None,
) -> tuple[Look, ...]:
    """The comparisons of `find_sick_nodes` alone, by some of the detectors.

    Raises:
        NothingComparedError: if the store has no such job, or nothing of any node for these
            detectors.
        EvidenceError: if a file of the store is damaged.
    """
    return _looked(
        store, job=job, hosts=hosts, scope=Scope(), islands=None,
        calibration=replace(NOTHING_SET, profiles=profiles), detectors=detectors, engine=engine,
    ).looks  # fmt: skip


def _looked(
    store: Store, *, job: str | None, hosts: Iterable[str], scope: Scope,
    islands: Mapping[str, str] | None, calibration: Calibration,
    detectors: Sequence[Detector], engine: Engine | None,
) -> _Looked:  # fmt: skip
    tables = ScopedStore(store, scope)
    reported = reported_nodes(tables) if job is None else ()
    known = frozenset(
        {*store.hosts_called(hosts), *tables.read("nodes", columns=["host"])["host"].dropna()}
        - {one.host for one in reported if one.is_taken_out}
    )
    asked = Asked(
        tables, job, known, calibration.profiles, engine or LocalEngine(),
        calibration.profiles_as_published,
    )  # fmt: skip
    if islands is not None:
        names = store.names_in_tables(islands)
        islands = {names[host]: island for host, island in islands.items()}
    division = _division(tables, known, islands)
    ours = [each for each in detectors if each.paper is None]
    looks = list(_looks(store, scope, asked, division, ours))
    as_published = tuple(
        look for each in detectors if each.paper is not None for look in each.looks(asked)
    )
    if not looks and not as_published and not reported:
        raise _nothing(store, job, scope, expected=len(asked.hosts))
    told = without_waiting(_by_other_sources(looks, asked), tables)
    return _Looked(asked, told, as_published, division, reported)


def _by_other_sources(looks: Sequence[Look], asked: Asked) -> tuple[Look, ...]:
    """The looks, without what is only a clock or a collector that is wrong, or another name."""
    told = by_one_clock(looks, asked)
    nodes = (node for look in told for node in look.comparison.nodes)
    if not any(spell.what == "silent" for node in nodes for spell in node.spells):
        return told
    attempts = asked.store.read("attempts", columns=("host", "state", "started_s", "finished_s"))
    return without_false_silence(told, attempts, asked.hosts)


def suspects(looks: Iterable[Look], *, apart: Mapping[str, str] = _NOTHING) -> tuple[Suspect, ...]:
    """The nodes that are indicted in any look, those with most looks and highest scores first.

    Args:
        looks: of all detectors.
        apart: nodes whose hardware is not that of their peers, and what it is.
    """
    by_host: dict[str, list[tuple[Look, NodeStanding]]] = {}
    compared: dict[str, int] = {}
    for look in looks:
        for node in look.comparison.nodes:
            compared[node.host] = compared.get(node.host, 0) + (node.indicted is not None)
            if node.indicted:
                by_host.setdefault(node.host, []).append((look, node))
    found = (
        Suspect(
            host,
            tuple(sorted(every, key=lambda one: -one[1].score)),
            compared[host],
            apart.get(host),
        )
        for host, every in by_host.items()
    )
    return tuple(sorted(found, key=lambda one: (-len(one.looks), -one.score, one.host)))


def _division(
    tables: Tables, known: frozenset[str], islands: Mapping[str, str] | None
) -> Islands | None:
    """How nodes are divided before they are compared; None where they are not."""
    hardware = tables.read("hardware")
    if islands is None and hardware.empty:
        return None
    hosts = known | _seen(tables)
    if islands is not None:
        return islands_of_list(islands, hosts)
    return islands_by_hardware(hardware, hosts)


def _looks(
    store: Store, scope: Scope, asked: Asked, division: Islands | None,
    detectors: Sequence[Detector],
) -> Iterator[Look]:  # fmt: skip
    if division is None:
        racks = _racks(asked.store, asked.hosts)
        for detector in detectors:
            looks = tuple(detector.looks(asked))
            if racks is None:
                yield from looks
            else:
                yield from with_racks(
                    detector, looks, store=store, scope=scope, asked=asked, racks=racks
                )
        return
    for name in division.names:
        nodes = division.nodes(name)
        hosts = asked.hosts & nodes
        if asked.hosts and not hosts and division.because != "list":
            continue  # clients, which are no nodes
        part = replace(asked, store=ScopedStore(store, scope.within(nodes)), hosts=hosts)
        for detector in detectors:
            for look in detector.looks(part):
                yield look if len(division.names) == 1 else _in(look, name)


def _in(look: Look, island: str) -> Look:
    return Look(look.evidence, look.comparison, look.of, look.kind, island, look.rows)


def _racks(tables: Tables, known: frozenset[str]) -> Islands | None:
    parts = [tables.read(name, columns=["host", "rack"]).dropna() for name in ("attempts", "nodes")]
    rows = pd.concat(parts)
    last = rows.drop_duplicates("host", keep="last").set_index("host")["rack"]
    of_hosts = last.reindex(rows["host"].unique())
    racks = {str(host): str(rack) for host, rack in of_hosts.items()}
    return islands_by_rack(racks, known or racks) if racks else None


def _seen(tables: Tables) -> frozenset[str]:
    """The hosts of which anything is known."""
    return frozenset(
        host
        for name in ("attempts", "transfers", "heartbeats", "metrics")
        for part in tables.rows(name, columns=["host"], by="host").batches(_ROWS_AT_ONCE)
        for host in part.read()["host"].dropna().unique()
    )


def _waiting(looks: Iterable[Look], indicted: set[str]) -> tuple[Waiting, ...]:
    found: dict[str, tuple[dict[str, None], list[Look]]] = {}
    for look in looks:
        for node in look.comparison.nodes:
            if node.because_of and node.host not in indicted:
                because, shown = found.setdefault(node.host, ({}, []))
                because |= dict.fromkeys(node.because_of)
                shown.append(look)
    return tuple(
        Waiting(host, tuple(because), tuple(shown))
        for host, (because, shown) in sorted(found.items())
    )


def _disputed_s(looks: Iterable[Look], tables: Tables) -> float | None:
    spans = [
        _span_s(look, tables) for look in looks if look.comparison.disputed and look.of in MOMENTS
    ]
    return max(spans, default=None)


def _span_s(look: Look, tables: Tables) -> float:
    """The time in which lie nine tenths of the rows: clocks may say anything."""
    column = MOMENTS[look.of]
    rows = look.rows or tables.rows(look.of, columns=[column], by=column)
    found = [part.read()[column] for part in rows.selecting(column).batches(_ROWS_AT_ONCE)]
    at_s = pd.concat(found).dropna() if found else pd.Series(dtype=float)
    return float(at_s.quantile(0.95) - at_s.quantile(0.05)) if len(at_s) else 0.0


def _nothing(store: Store, job: str | None, scope: Scope, *, expected: int) -> NothingComparedError:
    when = "" if scope.is_everything else " in that time"
    if job:
        return NothingComparedError(
            f"{store.folder} has no attempts of {job}{when}",
            next_step="mprof import the job's history into it, or name another job",
        )
    if expected:
        return NothingComparedError(
            f"there is no data from any of the {expected:,} nodes that should be there{when}",
            next_step="check that the cluster runs, and that what it records reaches the store",
        )
    return NothingComparedError(
        f"{store.folder} has no node{when}",
        next_step="ask for another time" if when
        else "mprof import logs or metrics of its nodes into it",
    )  # fmt: skip
