"""Whether the agent harms the tasks that it is in, asked again with every job that ends.

If it does nothing to a task, then an attempt that ended badly is one of the agent's share with
exactly the chance that the share says: the draw knew nothing of the end. If it makes bad ends more
frequent (their odds ``r`` times as large), that chance is larger. The ratio of both chances,
multiplied over all attempts that ended badly, is the *evidence*. While the agent is harmless it is
expected to stay at 1, and the chance that it ever reaches ``1 / a`` is ``a`` at most (Ville's
inequality), so that it may be looked at after every job and acted upon at once (e-processes: Ramdas
et al., "Game-Theoretic Statistics and Safe Anytime-Valid Inference", Statistical Science 2023).

``r`` is not known: the mean over `ODDS_RATIOS` is as valid. Neither is when the harm begins, since
another JDK or Hadoop may make an agent harmful that was not: the evidence is a weighted mean over
all beginnings, one at each job with bad ends, the weights ``1 / (n (n + 1))`` of which have the
sum 1. And it is the mean over the kinds of bad ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.runs.switch.trial import OUTCOMES, Arms, Trial

__all__ = ["FALSE_ALARMS", "LIMIT", "Harm", "harm_in"]

FALSE_ALARMS: Final = 0.01
"""The chance that a harmless agent is ever switched off, at most."""

LIMIT: Final = 1 / FALSE_ALARMS
"""Evidence at which harm counts as shown."""

ODDS_RATIOS: Final = (2.0, 5.0, 20.0, 100.0)
"""Times as large as without the agent: from a harm that is just worth a switch to one that hits
nearly every task. What lies between is shown nearly as fast.
"""


@dataclass(frozen=True, slots=True)
class Harm:
    """What the jobs with one agent show.

    Attributes:
        agent: checksum and length of its jar.
        outcomes: of these, how many ended in each of the ways.
        evidence: the largest that it has been after any of the jobs.
        limit: the evidence at which harm counts as shown.
    """

    agent: str
    jobs: int
    attempts: Arms
    outcomes: dict[str, Arms]
    evidence: float
    limit: float

    @property
    def is_shown(self) -> bool:
        """Whether the agent harms tasks: wrong for one harmless agent in a hundred at most."""
        return self.evidence >= self.limit


def harm_in(trials: Sequence[Trial], agent: str) -> Harm:
    """The harm that an agent is shown to do."""
    own = [each for each in trials if each.agent == agent]
    return Harm(
        agent=agent,
        jobs=len(own),
        attempts=_total(each.attempts for each in own),
        outcomes={name: _total(each.outcomes[name] for each in own) for name in OUTCOMES},
        evidence=math.exp(min(700.0, largest_log_evidence(own))),
        limit=LIMIT,
    )


def largest_log_evidence(trials: Iterable[Trial]) -> float:
    """The logarithm of the largest evidence after any of the jobs; 0 before the first one."""
    kinds = {name: _Kind() for name in OUTCOMES}
    largest = 0.0
    for trial in trials:
        for name, kind in kinds.items():
            kind.add(trial.share, trial.outcomes[name])
        largest = max(largest, float(np.logaddexp.reduce([each.log for each in kinds.values()])))
    # Divided by the number of kinds, but not below the 1 at which it begins.
    return max(0.0, largest - math.log(len(OUTCOMES)))


class _Kind:
    """The evidence of one kind of bad ends."""

    def __init__(self) -> None:
        self._begun: NDArray[np.float64] = np.full(len(ODDS_RATIOS), -np.inf)
        self._jobs = 0
        self.log = 0.0

    def add(self, share: float, bad: Arms) -> None:
        """A job with so many bad ends; one without any tells nothing."""
        if not bad.watched + bad.others:
            return
        self._jobs += 1
        odds = np.array(ODDS_RATIOS)
        expected = share * odds / (share * odds + 1 - share)
        weight = -math.log(self._jobs * (self._jobs + 1))
        self._begun = (
            np.logaddexp(self._begun, weight)
            + bad.watched * np.log(expected / share)
            + bad.others * np.log((1 - expected) / (1 - share))
        )
        mean = float(np.logaddexp.reduce(self._begun)) - math.log(len(ODDS_RATIOS))
        self.log = float(np.logaddexp(mean, -math.log(self._jobs + 1)))  # and those not begun


def _total(arms: Iterable[Arms]) -> Arms:
    each = list(arms)
    return Arms(sum(one.watched for one in each), sum(one.others for one in each))
