"""How sure it is that a node is sick: sure, likely or possible.

Three things count. *Views*: tables from independent sources, each of which alone indicts the node.
Two detectors of the same attempts are one view, since whatever misleads one, such as a job that
gave the node more data, misleads the other. *How far*: the largest score, or the smallest chance
that any node of a comparison looks like this. *How long*: the time from the first alarm to the
last; several comparisons of the same view, such as those of several jobs, also count as long.

| views | far | long | |
|---|---|---|---|
| 2 or more | either of them, or both | | sure |
| 2 or more | no | no | likely |
| 1 | yes | yes | likely |
| 1 | not both | | possible |

One view alone is never sure, however far and long: a node of another model, or one that was given
more to do, differs as far and as long. More evidence of any kind never makes the verdict less sure.
If other detectors find no difference, that does not count against the verdict: each of them is
blind to some faults, and only together do they see all (Blimey, section VII). A node whose hardware
is not that of its peers is possible at most.
"""

from __future__ import annotations

from typing import Final, Literal

from mprof.threshold import Threshold

__all__ = ["FAR", "LONG", "THRESHOLDS", "VIEWS", "Confidence", "confidence"]

Confidence = Literal["sure", "likely", "possible"]

VIEWS: Final = Threshold(
    "confidence.views", 2, "views",
    "what misleads one view, such as more data on a node, does not mislead another",
)  # fmt: skip
FAR: Final = Threshold(
    "confidence.far", 2.0, "times the threshold",
    "thresholds are set where healthy nodes end: no node of TraceBench's controls passes even one",
)  # fmt: skip
BEYOND_CHANCE: Final = Threshold(
    "confidence.beyond-chance", 1e-6, "chance that any node of a comparison looks so",
    "a difference that is this far beyond chance and beyond the margin of healthy nodes counts as"
    " far, however small it is: for example a node that was twice as slow for half an hour",
    most=1.0,
)  # fmt: skip
LONG: Final = Threshold(
    "confidence.long", 600.0, "s",
    "two windows of wb-durations: after that a garbage collection, a backup or a burst of work is"
    " over",
)  # fmt: skip
AGAIN: Final = Threshold(
    "confidence.again", 2, "comparisons of one view",
    "two jobs that both show the node have nothing but the node in common",
)  # fmt: skip

THRESHOLDS: Final = (VIEWS, FAR, BEYOND_CHANCE, LONG, AGAIN)


def confidence(
    *, views: int, score: float, lasted_s: float, comparisons: int, like_its_peers: bool = True,
    chance: float = 1.0,
) -> Confidence:  # fmt: skip
    """How sure it is that a node is sick.

    Args:
        views: tables that indict it.
        score: the largest, in thresholds; infinite of a node that is silent.
        lasted_s: time from its first alarm to its last.
        comparisons: that indict it, of the view that has most.
        like_its_peers: it is made of what they are made of, as far as that is known.
        chance: the smallest that any node looks so; 1 where no test says.
    """
    far = score >= FAR.value or chance <= BEYOND_CHANCE.value
    long = lasted_s >= LONG.value or comparisons >= AGAIN.value
    if not like_its_peers:
        return "possible"
    if views >= VIEWS.value:
        return "sure" if far or long else "likely"
    return "likely" if far and long else "possible"
