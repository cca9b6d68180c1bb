"""Moves each threshold that decides of nodes, jobs and machines: ``python -m testbed.sweep``.

Evidence are recordings of the testbed, and simulated clusters and jobs, since what ran on six nodes
says nothing of racks, of several users or of a job's settings. Each detector is asked by itself;
what is made of their comparisons is asked of all of them. With ``--page`` it writes
`docs/reference/thresholds-of-nodes.md`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import pandas as pd

from development.sweep import Swept, Verdicts, sweep, sweep_rows
from mprof.peers.detectors.registry import DETECTORS, Detector
from mprof.peers.detectors.repeated_alarms import (
    ALARMS_BY_CHANCE,
    ALARMS_OF_SEVERAL,
    FEWEST_NODES,
    LEAST_SEEN,
    LONGEST_CLUMP,
    MOST_INCOMPARABLE,
    MOST_INDICTED,
    ONE_SPELL,
    QUIET_CLUMP,
    ROUNDS_TO_A_CLUMP,
)
from mprof.peers.detectors.request import Asked
from mprof.peers.detectors.wb_jobs import compare_jobs
from mprof.peers.findings import find_sick_nodes
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import THRESHOLDS_OF_TRAINING, train
from mprof.peers.statistics.least_difference import LEAST_DIFFERENCE
from mprof.peers.tables.job_scores import score_nodes
from mprof.peers.verdict import (
    clocks,
    comparability,
    confidence,
    islands,
    many_looks,
    racks,
    waiting,
)
from mprof.store import Store
from mprof.threshold import Threshold
from mprof.triage import Branch, Cluster, application, failing_jobs, node, settings, skew
from mprof.triage.facts import JobFacts, facts_of
from mprof.triage.ranking import triage_job
from simulation.run import Run
from testbed.campaign import RECORDINGS
from testbed.recorded import Recorded, read_recordings
from tests.builders.job_histories import Job, Machine, SimulatedCluster
from tests.builders.troubled_jobs import APPLICATION_ERROR, TroubledJob, add_rows
from tests.builders.witnesses import Said

__all__ = ["SWEPT", "Part", "parts", "recordings_for"]

SWEPT: Final = (
    "checksum-error-sort-2-speculation", "cpu-hog-sort-10-speculation", "cpu-hog-word-count-1",
    "disk-full-pig-1", "disk-hog-pig-2", "map-stop-sort-1", "node-manager-stop-pig-2",
    "none-pig-11", "none-sort-6", "packet-loss-50-pig-1-speculation", "reduce-hang-sort-1",
    "slow-network-sort-2",
)  # fmt: skip
"""Recordings of the faults that detectors are for, and two controls."""

_OF_ALL: Final = ("cpu-hog-word-count-1", "none-sort-6")
"""Those of which all detectors together are asked."""

FARTHEST: Final = 2.0
"""Times (or parts of) its value by which each is moved at most: it takes half an hour so."""

_MOST_LEARNT: Final = 2
"""Recordings for which profiles are learnt anew, a second each time."""

OF_VERDICTS: Final = (
    *confidence.THRESHOLDS, *comparability.THRESHOLDS, *islands.THRESHOLDS, *racks.THRESHOLDS,
    *waiting.THRESHOLDS, *many_looks.THRESHOLDS, *clocks.THRESHOLDS,
)  # fmt: skip
"""Of what is made of the detectors' comparisons."""

_COMMAND: Final = "python -m testbed.sweep --page docs/reference/thresholds-of-nodes.md"

_ALARMS: Final = (
    FEWEST_NODES, MOST_INDICTED, MOST_INCOMPARABLE, LEAST_SEEN, ONE_SPELL, ALARMS_BY_CHANCE,
    ALARMS_OF_SEVERAL, LONGEST_CLUMP, ROUNDS_TO_A_CLUMP, QUIET_CLUMP,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """Thresholds, and the evidence on which they are moved."""

    name: str
    thresholds: tuple[Threshold, ...]
    witnesses: tuple[Said, ...]


def recordings_for(names: Sequence[str], folder: Path) -> Iterator[Recorded]:
    """Recordings of the testbed as tables.

    Args:
        names: of the recordings.
        folder: for the tables.
    """
    chosen = folder / "chosen"
    chosen.mkdir(exist_ok=True)
    for name in names:
        (chosen / name).symlink_to(RECORDINGS / name)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as workers:
        yield from read_recordings(chosen, folder / "stores", workers)


def parts(
    recordings: Sequence[Recorded], folder: Path, *, of_all: Sequence[str] | None = None
) -> tuple[Part, ...]:
    """All that is swept.

    Args:
        recordings: of the testbed, controls among them.
        folder: for tables of what is simulated.
        of_all: names of the recordings of which all detectors together are asked; all where None.
    """
    controls = [one.store.read("metrics") for one in recordings if one.fault is None]
    profiles = train(controls)
    together = [one for one in recordings if of_all is None or one.name in of_all]
    by_detector = {
        detector: tuple(
            Said(f"{one.name}, {detector.name}", partial(_by_detector, detector, one, profiles))
            for one in recordings
        )
        for detector in DETECTORS
    }
    wb_jobs = next(each for each in DETECTORS if each.name == "wb-jobs")
    # Recordings are of one user each.
    by_detector[wb_jobs] = _clusters(_of_several_users)
    learning = tuple(
        Said(one.name, partial(_by_learning, one, controls)) for one in recordings[:_MOST_LEARNT]
    )
    compared = tuple(Said(one.name, partial(_by_all, one.store, one.slaves)) for one in together)
    facts = {name: _facts(job, folder / name) for name, job in _JOBS.items()}
    of_node = {name: each for name, each in facts.items() if name in _OF_NODE}
    return (
        *(Part(each.name, _of(each), said) for each, said in by_detector.items()),
        Part("all detectors", _ALARMS, tuple(one for said in by_detector.values() for one in said)),
        Part("metrics", tuple(LEAST_DIFFERENCE.values()), _of_metrics(by_detector)),
        Part("learning of profiles", THRESHOLDS_OF_TRAINING, learning),
        Part("what is made of comparisons", OF_VERDICTS, (*compared, *_simulated(folder))),
        Part("failing jobs", failing_jobs.THRESHOLDS, _clusters(_failing)),
        Part("settings of a job", settings.THRESHOLDS, _asked(settings.settings_branch, facts)),
        Part("skew of a job", skew.THRESHOLDS, _asked(skew.skew_branch, facts)),
        Part(
            "application of a job", application.THRESHOLDS,
            _asked(application.application_branch, facts),
        ),
        Part("node of a job", node.THRESHOLDS, _asked(_node_branch, of_node)),
    )  # fmt: skip


def _of(detector: Detector) -> tuple[Threshold, ...]:
    """Its own; those that it shares with others, and those of profiles, are parts of their own."""
    shared = {*_ALARMS, *LEAST_DIFFERENCE.values(), *THRESHOLDS_OF_TRAINING}
    return tuple(one for one in detector.thresholds if one not in shared)


def _of_metrics(by_detector: Mapping[Detector, tuple[Said, ...]]) -> tuple[Said, ...]:
    return next(said for each, said in by_detector.items() if each.name == "bb-window")


def _by_learning(one: Recorded, controls: Sequence[pd.DataFrame]) -> Verdicts:
    (detector,) = (each for each in DETECTORS if each.name == "bb-profile")
    return _by_detector(detector, one, train(controls))


def _by_detector(detector: Detector, one: Recorded, profiles: ProfileModel | None) -> Verdicts:
    asked = Asked(one.store, None, frozenset(one.slaves), profiles)
    looks = list(detector.looks(asked))
    nodes = [node for look in looks for node in look.comparison.nodes]
    masters = [look.comparison.master for look in looks]
    said = {node.host: "named" for node in nodes if node.indicted}
    if any(master is not None and master.alarm for master in masters):
        said["the master"] = "named"
    if all(node.indicted is None for node in nodes):
        said["every node"] = "withheld"
    return said


def _by_all(store: Store, hosts: Iterable[str]) -> Verdicts:
    found = find_sick_nodes(store, hosts=hosts)
    said = {one.host: f"{one.confidence} {sorted(map(str, one.sides))}" for one in found.suspects}
    said |= {one.host: f"waits for {', '.join(one.because_of)}" for one in found.waiting}
    islands_ = () if found.islands is None else found.islands.names
    return said | {
        "comparability": found.comparable.in_words or "cannot tell",
        "islands": ", ".join(islands_) or "one",
    }


def _simulated(folder: Path) -> Iterator[Said]:
    """Runs with enough tasks to compare how nodes completed them, and nodes of two makes."""
    for name, run in (
        ("simulated control", Run(seed=11, jobs=4, maps_a_node=30)),
        ("simulated cpu-hog", Run(seed=12, jobs=4, maps_a_node=30, fault="cpu-hog")),
    ):
        store = Store.at(run.record(folder / name.replace(" ", "-")) / "store")
        yield Said(name, partial(_by_all, store, ()))
    run = Run(nodes=12, seed=13, jobs=1)
    store = Store.at(run.record(folder / "two-makes") / "store")
    makes = [
        {"host": f"n{number}", "what": "processors", "amount": 8.0 if number <= 6 else 32.0}
        for number in range(1, 13)
    ]
    add_rows(store, "hardware", {"hardware": makes})
    yield Said("simulated nodes of two makes", partial(_by_all, store, ()))


def _work(number: int, *, users: int = 3, **what: Any) -> list[Job]:
    return [Job(f"user{i % users}", 600.0 * i, **what) for i in range(number)]


def _clusters(said: Callable[[Cluster, pd.DataFrame], Verdicts]) -> tuple[Said, ...]:
    """Simulated clusters with one problem each, as in `tests/triage`."""
    failing = _work(8)
    failing[5] = Job("user9", 3000.0, maps=200, fails={"map": 0.9})
    one_task = Job("user9", 3000.0, reduces=60, failing_task={"reduce": 7})
    uneven = Job("user9", 3000.0, reduces=20, skewed={"reduce": (0, 12.0)})
    of_four = Job("user9", 0.0, maps=4, reduces=4, skewed={"reduce": (0, 20.0)})
    rack = {number: Machine(slower=4.0) for number in range(10)}
    clusters: Mapping[str, tuple[SimulatedCluster, list[Job]]] = {
        "healthy cluster": (SimulatedCluster(seed=1), _work(12)),
        "failing job": (SimulatedCluster(seed=2), failing),
        "failing task": (SimulatedCluster(seed=4), [*_work(4), one_task]),
        "uneven job": (SimulatedCluster(seed=5), [*_work(4), uneven]),
        "uneven job of four": (SimulatedCluster(nodes=4, slots=1, seed=6), [of_four]),
        "slow node": (SimulatedCluster(seed=7, machines={13: Machine(slower=4.0)}), _work(10)),
        "failing node": (SimulatedCluster(seed=7, machines={13: Machine(fails=0.7)}), _work(10)),
        "slow node, one user": (
            SimulatedCluster(seed=9, machines={13: Machine(slower=4.0)}), _work(10, users=1),
        ),
        "slow rack": (
            SimulatedCluster(nodes=40, seed=11, machines=rack), _work(8, maps=160, reduces=40),
        ),
    }  # fmt: skip
    ran = {name: cluster.run(work) for name, (cluster, work) in clusters.items()}
    # No threshold is read for the scores of nodes, which take longer than what is made of them.
    return tuple(
        Said(name, partial(said, cluster, score_nodes(cluster.attempts)))
        for name, cluster in ran.items()
    )


def _of_several_users(cluster: Cluster, scores: pd.DataFrame) -> Verdicts:
    users = dict(zip(cluster.jobs["job"], cluster.jobs["user"], strict=True))
    found = compare_jobs(scores, users)
    told = {one.host: str(one.indicted) for one in found.nodes if one.score > 1}
    return {**told, "withheld": str(found.withheld)}


def _failing(cluster: Cluster, scores: pd.DataFrame) -> Verdicts:
    failed = set(cluster.jobs.loc[cluster.jobs["state"] == "failed", "job"])
    found = failing_jobs.failing_jobs(scores, cluster.attempts, failed, sick_hosts=())
    return {f"{one.id} of {one.job}": str(one.confidence) for one in found}


_JOBS: Final = {
    "healthy job": TroubledJob(),
    "slow node of a job": TroubledJob(slower={3: 4}),
    "error on several nodes": TroubledJob(failing_tasks={("map", 60): APPLICATION_ERROR}),
    "error on one node": TroubledJob(failing_nodes={2: APPLICATION_ERROR}),
    "large reducer": TroubledJob(large_tasks={("reduce", 7): 9}),
    "large reducer of four": TroubledJob(reduces=4, large_tasks={("reduce", 1): 9}),
    "two reducers": TroubledJob(reduces=2, reduce_s=600),
    "spilling maps": TroubledJob(spills=3),
    "collecting maps": TroubledJob(collecting=0.4),
    "duplicated maps": TroubledJob(duplicates=60),
    "short maps": TroubledJob(maps=400, map_s=2),
}
"""One trouble each, as in `tests/triage`."""


_OF_NODE: Final = ("healthy job", "slow node of a job", "error on one node", "large reducer")
"""Nodes are compared anew each time, for which all detectors are asked."""


def _facts(job: TroubledJob, folder: Path) -> JobFacts:
    return facts_of(job.into(Store(folder)), job.id, diagnose_command="")


def _asked(branch: Callable[[JobFacts], Branch], facts: Mapping[str, JobFacts]) -> tuple[Said, ...]:
    return tuple(Said(name, partial(_of_branch, branch, each)) for name, each in facts.items())


def _of_branch(branch: Callable[[JobFacts], Branch], facts: JobFacts) -> Verdicts:
    found = branch(facts)
    said = {one.id: str(one.confidence) for one in found.findings}
    return {found.name: found.verdict, **said}


def _node_branch(facts: JobFacts) -> Branch:
    return triage_job(facts).branch("node")


def page(swept: Sequence[tuple[Part, Sequence[Swept]]], others: Sequence[Part] = ()) -> str:
    """The page of `docs/reference`.

    Args:
        swept: parts, each with what was found.
        others: parts that were not moved as far.
    """
    names = "".join(f' --part "{part.name}"' for part, _ in swept) if others else ""
    lines = [
        "# Thresholds of nodes, jobs and machines, and how far each can be moved",
        "",
        f"Made by `{_COMMAND}{names}`; do not edit.",
        "",
        "Between the two values nothing else is said: of a detector which nodes it names, of all",
        "together how sure that is and which side of the node is sick, of jobs and triage",
        "what fires.",
        f"A threshold is moved by a factor of {FARTHEST:.0f} at most; `-`: nothing changed.",
        "*Read*: on how many sets of evidence it is come to at all.",
        "The reason for each value stands on the page of its [detector](detectors/), of",
        "[triage](triage.md).",
        "Numbers that say whose memory it is (`mprof.objects`) each have two heaps on either side",
        "of them, and 15 % to spare: `tests/objects/test_safe_intervals.py`.",
    ]
    for part, found in swept:
        lines += ["", f"## {part.name[0].upper()}{part.name[1:]}", ""]
        lines += [f"{len(part.witnesses)} sets of evidence.", "", *sweep_rows(found)]
    if others:
        lines += [
            "",
            "## Moved by 15 % only",
            "",
            f"In `tests/testbed/test_safe_intervals.py`: {', '.join(one.name for one in others)}.",
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(prog="python -m testbed.sweep", description=__doc__)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--part", action="append", help="only this part")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mprof-sweep-") as name:
        folder = Path(name)
        recordings = list(recordings_for(SWEPT, folder))
        every = parts(recordings, folder, of_all=_OF_ALL)
        chosen = [part for part in every if given.part is None or part.name in given.part]
        found = [
            (
                part,
                sweep(part.witnesses, part.thresholds, farthest=FARTHEST, on_threshold=print),
            )
            for part in chosen
        ]
    text = page(found, [part for part in every if part not in chosen])
    if given.page is not None:
        given.page.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
