"""What each detector, and each simpler rule beside it, says of each recording."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from mprof.peers.calibration.values import NOTHING_SET
from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import DETECTORS, Detector
from mprof.peers.detectors.request import Asked
from mprof.peers.findings import find_sick_nodes
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import train
from mprof.store import Store
from mprof.threshold import thresholds_moved
from testbed.moment import as_it_was
from testbed.recorded import Recorded

__all__ = ["ALL", "Tally", "Verdict", "judge", "profiles_for", "tally"]

ALL: Final = "mprof nodes"
"""Whom any detector names, without those that only wait for others."""

_STEP_S: Final = 15.0
"""How exactly a delay is told."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one recording.

    Attributes:
        named: the nodes that it names.
        judged: the nodes of which it says anything; empty where the verdict is withheld.
        alarm_rate: of the master, the share of nodes that show it; NaN where it looks at none.
        delay_s: from the begin of the fault until the sick node, or master, is named by what had
            been written by then; None where it never is, or was not asked.
    """

    named: frozenset[str]
    judged: frozenset[str]
    alarm_rate: float = math.nan
    delay_s: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Verdicts of one rule on several recordings, counted.

    Attributes:
        found: sick nodes that were named.
        sick: sick nodes.
        accused: healthy nodes that were named.
        healthy: healthy nodes.
        withheld: recordings in which nothing was said of any node.
        recordings: how many.
        delays_s: of those that were found.
        alarm_rates: of the master, a recording each.
    """

    found: int
    sick: int
    accused: int
    healthy: int
    withheld: int
    recordings: int
    delays_s: tuple[float, ...] = field(default=())
    alarm_rates: tuple[float, ...] = field(default=())


def profiles_for(
    recordings: Sequence[Recorded], controls: Sequence[Recorded], workers: Executor
) -> dict[str, ProfileModel | None]:
    """The profiles of healthy nodes by which each recording is judged, by its name.

    They are learnt of all controls; those by which a control is judged, of the other ones.

    Args:
        recordings: that are judged.
        controls: all there are.
        workers: learn them.
    """
    names = {one.name for one in recordings}
    judged = [one for one in controls if one.name in names]
    without = [[other for other in controls if other is not one] for one in judged]
    sets = [[one.store for one in learnt_of] for learnt_of in (controls, *without)]
    of_all, *of_others = workers.map(_profiles, sets)
    by_control = {one.name: found for one, found in zip(judged, of_others, strict=True)}
    return {one.name: by_control.get(one.name, of_all) for one in recordings}


def _profiles(controls: Sequence[Store]) -> ProfileModel | None:
    return train([store.read("metrics") for store in controls]) if controls else None


def judge(
    one: Recorded,
    profiles: ProfileModel | None,
    *,
    with_delays: bool,
    thresholds: Mapping[str, float],
) -> dict[str, Verdict]:
    """What each detector says of a recording, and all together.

    Args:
        one: the recording.
        profiles: of healthy nodes, for `bb-profile`.
        with_delays: whether to find out when the fault was seen.
        thresholds: that are not at their defaults.
    """
    with thresholds_moved(thresholds):
        return _verdicts(one, profiles, with_delays=with_delays)


def _verdicts(
    one: Recorded, profiles: ProfileModel | None, *, with_delays: bool
) -> dict[str, Verdict]:
    calibration = replace(NOTHING_SET, profiles=profiles)
    findings = find_sick_nodes(one.store, hosts=one.slaves, calibration=calibration)
    by_detector: dict[str, list[Look]] = {detector.name: [] for detector in DETECTORS}
    for look in findings.looks:
        by_detector.setdefault(look.comparison.detector, []).append(look)
    verdicts = {name: _of(looks) for name, looks in by_detector.items()}
    verdicts[ALL] = Verdict(
        named=frozenset(suspect.host for suspect in findings.suspects),
        judged=frozenset().union(*(each.judged for each in verdicts.values())),
        alarm_rate=_largest(each.alarm_rate for each in verdicts.values()),
    )
    delays = _delays_s(one, profiles) if with_delays and one.fault is not None else {}
    if delays:
        delays[ALL] = min(delays.values())
    return {
        name: Verdict(each.named, each.judged, each.alarm_rate, delays.get(name))
        for name, each in verdicts.items()
    }


def tally(recordings: Sequence[Recorded], verdicts: Mapping[str, Verdict]) -> Tally:
    """Count the verdicts of one rule.

    Args:
        recordings: of one kind.
        verdicts: of the rule, by the name of the recording.
    """
    pairs = [(one, verdicts[one.name]) for one in recordings]
    return Tally(
        found=sum(len(one.sick & verdict.named) for one, verdict in pairs),
        sick=sum(len(one.sick) for one, _ in pairs),
        accused=sum(len(verdict.named - one.sick) for one, verdict in pairs),
        healthy=sum(len(one.slaves) - len(one.sick) for one, _ in pairs),
        withheld=sum(not verdict.judged and not verdict.named for _, verdict in pairs),
        recordings=len(pairs),
        delays_s=tuple(v.delay_s for _, v in pairs if v.delay_s is not None),
        alarm_rates=tuple(v.alarm_rate for _, v in pairs if not math.isnan(v.alarm_rate)),
    )


def _of(looks: Iterable[Look]) -> Verdict:
    every = list(looks)
    nodes = [node for look in every for node in look.comparison.nodes]
    masters = (look.comparison.master for look in every)
    return Verdict(
        named=frozenset(node.host for node in nodes if node.indicted),
        judged=frozenset(node.host for node in nodes if node.indicted is not None),
        alarm_rate=_largest(master.rate for master in masters if master is not None),
    )


def _largest(rates: Iterable[float]) -> float:
    return max((rate for rate in rates if not math.isnan(rate)), default=math.nan)


def _delays_s(one: Recorded, profiles: ProfileModel | None) -> dict[str, float]:
    """When each detector names what is sick by what had been written, and goes on naming it."""
    times = [*np.arange(one.from_s + _STEP_S, one.until_s, _STEP_S), math.inf]
    naming: Sequence[Detector] = DETECTORS
    delays: dict[str, float] = {}
    for at_s in reversed(times):
        with tempfile.TemporaryDirectory(prefix="mprof-moment-") as folder:
            store = one.store if math.isinf(at_s) else as_it_was(one, at_s, Path(folder, "store"))
            asked = Asked(store, None, frozenset(one.slaves), profiles)
            naming = [each for each in naming if _names(one, list(each.looks(asked)))]
        delays |= {each.name: min(at_s, one.until_s) - one.from_s for each in naming}
        if not naming:
            break
    return delays


def _names(one: Recorded, looks: Sequence[Look]) -> bool:
    if one.master_is_sick:
        masters = [look.comparison.master for look in looks]
        return any(master is not None and bool(master.alarm) for master in masters)
    return any(one.sick & set(look.comparison.indicted) for look in looks)
