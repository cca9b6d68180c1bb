"""Every verdict on every recording."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Final

from testbed.campaign import RECORDINGS
from testbed.judging import ALL, Tally, Verdict, judge, profiles_for, tally
from testbed.recorded import Recorded, read_recordings, slowdowns
from testbed.simpler import simpler_verdicts

__all__ = ["Evaluation", "Verdicts", "evaluate"]

_ORDER: Final = (
    "cpu-hog", "disk-hog", "disk-full", "packet-loss-1", "packet-loss-5", "packet-loss-50",
    "slow-network", "map-hang", "map-stop", "reduce-hang", "reduce-stop", "checksum-error",
    "node-manager-stop", "node-down", "resource-manager-stop",
)  # fmt: skip

Verdicts = Mapping[str, Mapping[str, Verdict]]
"""By rule and recording."""


class Evaluation:
    """All verdicts on all recordings.

    Attributes:
        faults: the recordings of each fault, in the order of the tables.
        controls: those without one that are judged.
        detectors: verdicts by detector and recording; the last of all together.
        simpler: verdicts by simpler rule and recording.
        otherwise: verdicts of the detectors by other thresholds, by a name for these.
        slowdowns: what each recording's fault cost.
    """

    def __init__(
        self,
        recordings: Sequence[Recorded],
        *,
        controls: Collection[str] | None,
        with_delays: bool,
        otherwise: Mapping[str, Mapping[str, float]],
        workers: Executor,
    ) -> None:
        of_no_fault = [one for one in recordings if one.fault is None]
        self.controls = [one for one in of_no_fault if controls is None or one.name in controls]
        self.faults: Mapping[str, Sequence[Recorded]] = {
            fault: found
            for fault in _ORDER
            if (found := [one for one in recordings if one.fault == fault])
        }
        slowed = slowdowns(recordings)
        recordings = self.recordings
        profiles = profiles_for(recordings, of_no_fault, workers)

        def judged(*, with_delays: bool, thresholds: Mapping[str, float]) -> Verdicts:
            one = partial(judge, with_delays=with_delays, thresholds=thresholds)
            found = workers.map(one, recordings, [profiles[each.name] for each in recordings])
            return _by_detector({each.name: of for each, of in zip(recordings, found, strict=True)})

        self.detectors: Verdicts = judged(with_delays=with_delays, thresholds={})
        self.otherwise: Mapping[str, Verdicts] = {
            name: judged(with_delays=False, thresholds=thresholds)
            for name, thresholds in otherwise.items()
        }
        self.simpler: Verdicts = simpler_verdicts(recordings)
        self.slowdowns = slowed

    @property
    def recordings(self) -> list[Recorded]:
        """All of them."""
        return [*self.controls, *(one for found in self.faults.values() for one in found)]

    @property
    def rules(self) -> Verdicts:
        """The detectors, and the simpler rules."""
        return {**self.detectors, **self.simpler}

    def tallies(self, recordings: Sequence[Recorded]) -> dict[str, Tally]:
        """By rule, its verdicts on some recordings."""
        return {name: tally(recordings, verdicts) for name, verdicts in self.rules.items()}

    @property
    def missed(self) -> list[Recorded]:
        """Recordings with a sick slave that nothing names."""
        verdicts = self.detectors[ALL]
        return [
            one
            for recordings in self.faults.values()
            for one in recordings
            if one.sick and not one.sick & verdicts[one.name].named
        ]

    @property
    def accused(self) -> list[tuple[Recorded, str]]:
        """Healthy nodes that are named, each with the recording."""
        verdicts = self.detectors[ALL]
        return [
            (one, host)
            for one in self.recordings
            for host in sorted(verdicts[one.name].named - one.sick)
        ]


def _by_detector(judged: Mapping[str, Mapping[str, Verdict]]) -> Verdicts:
    """The same by detector and recording; of one that says nothing, nobody."""
    names = dict.fromkeys(name for verdicts in judged.values() for name in verdicts)
    return {
        name: {
            one: verdicts.get(name, Verdict(frozenset(), frozenset()))
            for one, verdicts in judged.items()
        }
        for name in names
    }


def evaluate(
    folder: Path = RECORDINGS,
    *,
    controls: Collection[str] | None = None,
    with_delays: bool = True,
    otherwise: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
) -> Evaluation:
    """Judge every recording of a folder.

    Args:
        folder: with one folder a recording.
        controls: those to judge, by name; all, where it is None. The others are learnt of.
        with_delays: look at each recording as it was every 15 s, too, which takes most of the time.
        otherwise: other thresholds to judge them by too, by a name for these.
    """
    with (
        tempfile.TemporaryDirectory(prefix="mprof-stores-") as stores,
        # Started anew: what is forked of a process with threads may wait for a lock for ever.
        ProcessPoolExecutor(mp_context=get_context("spawn")) as workers,
    ):
        recordings = read_recordings(folder, Path(stores), workers)
        return Evaluation(
            recordings,
            controls=controls,
            with_delays=with_delays,
            otherwise=otherwise,
            workers=workers,
        )
