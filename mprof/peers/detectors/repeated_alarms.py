"""From alarms to a verdict: a single alarm is a suspicion, and only repeated ones indict a node.

Ganesha and Blimey both keep an exponentially weighted count of the alarms of each node, and indict
the node whose count passes a threshold. What they do not have is a verdict that is withheld.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, NodeStanding, Observation, Spell
from mprof.peers.statistics.clumps import chance_of_clumps, clump_lengths
from mprof.peers.statistics.silence import Silence
from mprof.threshold import Threshold

__all__ = [
    "FEWEST_NODES", "MOST_HEARD", "MOST_INDICTED", "Heard", "Rounds", "alarm_counts",
    "comparison_of", "too_few_nodes", "with_silences", "withheld",
]  # fmt: skip

FEWEST_NODES: Final = Threshold(
    "peers.fewest-nodes", 3, "nodes",
    "of two nodes that differ, neither has a majority on its side",
)  # fmt: skip

MOST_INDICTED: Final = Threshold(
    "peers.most-indicted", 0.25, "share of the nodes",
    "peers alone cannot tell a sick 40 % from a sick 60 %: a part as large as this that differs is"
    " as likely the healthy one, or another kind of machine; one node may always be indicted",
)  # fmt: skip

MOST_INCOMPARABLE: Final = Threshold(
    "peers.most-incomparable", 0.5, "share of the comparisons",
    "nodes that mostly have no majority that agrees were not doing the same work",
)  # fmt: skip

MOST_HEARD: Final = Threshold(
    "peers.most-heard", 0.75, "share of the nodes that were seen before",
    "where as many are seen at a time, it is the others that are silent, and not the recording that"
    " has a gap",
)  # fmt: skip

ONE_SPELL: Final = Threshold(
    "peers.one-spell", 4, "rounds from an alarm to the next one",
    "a window of bb-window has four: what is further apart has no sample in common",
)  # fmt: skip

ALARMS_BY_CHANCE: Final = Threshold(
    "peers.alarms-by-chance", 0.01, "chance that any node of a run has such alarms",
    "where healthy nodes are in alarm now and then, as with skewed work, one of them is in alarm"
    " for long by chance",
    most=1.0,
)  # fmt: skip

ROUNDS_TO_A_CLUMP: Final = Threshold(
    "peers.rounds-to-a-clump", 4000, "comparisons of a healthy node",
    "where no other node is in alarm: of 45,000 in simulated controls whose work is even eight"
    " clumps began",
)  # fmt: skip

QUIET_CLUMP: Final = Threshold(
    "peers.quiet-clump", 2, "alarms",
    "these eight had one to four, in the mean two: seven in a row are then no chance in a run of"
    " 20 nodes and half an hour",
)  # fmt: skip

ALARMS_OF_SEVERAL: Final = Threshold(
    "peers.alarms-of-several", 2, "nodes that are in alarm at times and not indicted",
    "one may be a neighbour of a sick node; of two the run shows that healthy nodes are in alarm",
)  # fmt: skip

LONGEST_CLUMP: Final = Threshold(
    "peers.longest-clump", 12, "rounds",
    "of bb-window seven minutes: what holds another node in alarm for longer is no straggling task,"
    " and a second sick node does not hide the first",
)  # fmt: skip

LEAST_SEEN: Final = Threshold(
    "peers.least-seen", 0.8, "share of the comparisons",
    "of a node that was silent for longer, the time that was seen says nothing of the rest",
)  # fmt: skip


_GAP_STEPS: Final = 1.5
_MINUTE_S: Final = 60.0
_MAY_BE_CHANCE: Final = "it differs for a time, and of so many nodes one does so by chance"


@dataclass(frozen=True, slots=True)
class Rounds:
    """Nodes compared again and again; a row a round, a column a node.

    Attributes:
        start_s: start of the time that each round looks at, seconds since the epoch.
        seen: enough was seen of the node to compare it.
        differs: the node is in alarm.
        agree: whether the nodes of a round have a majority to differ from; a round without one
            counts for nobody.
    """

    start_s: NDArray[np.float64]
    seen: NDArray[np.bool_]
    differs: NDArray[np.bool_]
    agree: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Heard:
    """Times that follow each other, and of which nodes anything was heard in each.

    Attributes:
        start_s: start of each time.
        step_s: its length.
        nodes: a row a time, a column a node.
        after_s: without a sign of life, that indict a node of which nearly all others are heard.
    """

    start_s: NDArray[np.float64]
    step_s: float
    nodes: NDArray[np.bool_]
    after_s: float


def withheld(
    detector: str, why: str, left_out: tuple[str, ...] = (), *, disputed: bool = False
) -> Comparison:
    """A verdict on no node."""
    return Comparison(detector, (), withheld=why, left_out=left_out, disputed=disputed)


def too_few_nodes(
    detector: str, number: int, left_out: tuple[str, ...] = (), *, that: str = ""
) -> Comparison:
    """No verdict, since so few nodes can be compared.

    Args:
        detector: its name.
        number: of nodes.
        left_out: metrics that were not compared.
        that: what they do, with a space before it, where nodes alone would not say it.
    """
    need = f"{FEWEST_NODES.value:.0f} nodes that a comparison needs"
    return withheld(detector, f"{number} of the {need}{that}", left_out)


def alarm_counts(
    differs: NDArray[np.bool_], counts: NDArray[np.bool_], half_life: float
) -> NDArray[np.float64]:
    """The exponentially weighted number of alarms of each node after each round.

    Args:
        differs: a row a round, a column a node.
        counts: where the round counts for the node; elsewhere its number stays as it is.
        half_life: rounds after which an alarm weighs half.
    """
    decay = 0.5 ** (1 / half_life)
    number = np.zeros(differs.shape[1])
    numbers = np.empty(differs.shape)
    for round_ in range(len(differs)):
        new = number * decay + differs[round_]
        number = np.where(counts[round_], new, number)
        numbers[round_] = number
    return numbers


def comparison_of(
    rounds: Rounds,
    *,
    detector: str,
    hosts: tuple[str, ...],
    half_life: float,
    indicted_above: float,
    observe: Callable[[int, NDArray[np.bool_]], tuple[Observation, ...]],
    left_out: tuple[str, ...] = (),
    heard: Heard | None = None,
    alarms_of_others: bool = False,
    usual: NDArray[np.bool_] | None = None,
) -> Comparison:
    """The verdict on all nodes, or why there is none.

    Args:
        rounds: of comparison, in the order of time.
        detector: its name.
        hosts: names of the nodes, as many as columns.
        half_life: of an alarm, in rounds.
        indicted_above: the weighted number of alarms that indicts.
        observe: what differs about a node, given its column and the rounds in which it did.
        left_out: metrics that were not compared.
        heard: when anything was heard of each node; None if not to be heard of tells nothing.
        alarms_of_others: a node that is in alarm for no longer than chance makes one, as often as
            the other nodes are, is not indicted; where a sick node puts others in alarm too, that
            says nothing.
        usual: where nodes are in alarm by what shows how often chance makes alarms; where None, by
            what indicts.
    """
    if not len(rounds.start_s):
        return withheld(
            detector,
            f"fewer than {FEWEST_NODES.value:.0f} nodes were seen at the same time",
            left_out,
        )
    number = len(rounds.start_s)
    apart = int((~rounds.agree).sum())
    if apart > MOST_INCOMPARABLE.value * number:
        return withheld(
            detector,
            f"in {apart} of {number} comparisons there is no majority of nodes that agree: they do"
            " not do the same work, or most of them are sick",
            left_out,
        )
    counted = rounds.seen & rounds.agree[:, None]
    alarms = rounds.differs & counted
    scores = alarm_counts(alarms, counted, half_life).max(axis=0) / indicted_above
    silent = _silent(heard)
    indicted = scores > 1
    judged = np.flatnonzero(rounds.seen.any(axis=0))
    shown = alarms if usual is None else usual & counted
    by_chance = _by_chance(alarms, shown, judged, indicted) if alarms_of_others else set()
    if indicted.sum() > max(1, MOST_INDICTED.value * len(judged)):
        return withheld(
            detector,
            f"{int(indicted.sum())} of {len(judged)} nodes differ from the others: these may as"
            " well be the sick ones, or another kind of machine",
            left_out,
            disputed=True,
        )
    nodes = []
    for column, host in enumerate(hosts):
        mine = alarms[:, column]
        seen = int(rounds.seen[:, column].sum())
        enough = seen >= LEAST_SEEN.value * number
        quiet = silent.get(column, ())
        is_chance = column in by_chance and not quiet
        differs = bool(indicted[column]) and column not in by_chance
        is_named = bool(differs or quiet)
        spells = [*quiet, *(_spells(rounds, mine) if differs else ())]
        when_s = [*rounds.start_s[mine].tolist(), *(each.begin_s for each in quiet)]
        last_s = [*rounds.start_s[mine].tolist(), *(each.end_s for each in quiet)]
        none = quiet and heard is not None and (_sign_of(heard, quiet[0], column),)
        score, why_not = float(scores[column]), None
        if quiet:
            score = math.inf
        elif is_chance:
            score, why_not = min(score, 1.0), _MAY_BE_CHANCE
        elif not (enough or differs):
            why_not = f"enough of it was seen for {seen} of {number} comparisons only"
        nodes.append(
            NodeStanding(
                host=host,
                indicted=True if is_named else (False if enough and not is_chance else None),
                score=score,
                since_s=min(when_s, default=None),
                until_s=max(last_s, default=None),
                observations=(*(none or ()), *(observe(column, mine) if mine.any() else ())),
                alarms_s=tuple(sorted(when_s)),
                spells=tuple(sorted(spells, key=lambda each: each.begin_s)),
                why_not=why_not,
            )
        )
    nodes.sort(key=lambda node: (-node.score, node.host))
    return Comparison(detector, tuple(nodes), windows=number, left_out=left_out)


def _by_chance(
    alarms: NDArray[np.bool_], shown: NDArray[np.bool_], judged: NDArray[np.intp],
    indicted: NDArray[np.bool_],
) -> set[int]:  # fmt: skip
    """The nodes that are in alarm for long, and no longer than chance makes one of so many.

    How often chance makes alarms is told by the nodes that are not indicted. Where several of them
    are in alarm at times, those that are indicted may be as healthy, and count for each other: else
    only what is short would tell of chance. A long time of alarm counts as one of
    `LONGEST_CLUMP` there, so that a second sick node does not hide the first.
    """
    together = int(ONE_SPELL.value)
    own = {int(one): clump_lengths(alarms[:, one], together) for one in judged}
    clumps = {int(one): clump_lengths(shown[:, one], together) for one in judged}
    usual = {one: each for one, each in clumps.items() if not indicted[one]}
    if sum(map(bool, usual.values())) >= ALARMS_OF_SEVERAL.value:
        longest = int(LONGEST_CLUMP.value)
        usual = {
            one: tuple(min(length, longest) for length in each) for one, each in clumps.items()
        }
    return {
        one
        for one, mine in own.items()
        if indicted[one]
        and len(own)
        * chance_of_clumps(
            mine,
            [each for other, each in usual.items() if other != one],
            usual_length=together,
            quiet_nodes=ROUNDS_TO_A_CLUMP.value / len(alarms),
            quiet_length=QUIET_CLUMP.value,
        )
        >= ALARMS_BY_CHANCE.value
    }


def with_silences(found: Comparison, silent: Iterable[Silence]) -> Comparison:
    """The comparison, in which nodes are indicted for their silence, too.

    Nothing is said of silences of as many nodes as others: the work may have gone to these.

    Args:
        found: of nodes by their names, which the numbers of the silences follow.
        silent: the silences.
    """
    if found.withheld is not None:
        return found
    names = sorted(node.host for node in found.nodes)
    by_host: dict[str, list[Silence]] = {}
    for each in silent:
        if 2 * each.silent < len(names):
            by_host.setdefault(names[each.node], []).append(each)
    nodes = []
    for node in found.nodes:
        quiet = by_host.get(node.host, [])
        spells = [Spell("silent", each.begin_s, each.end_s, each.lasts) for each in quiet]
        seen = [Observation("signs of work", 0.0, each.peers, "at least") for each in quiet[:1]]
        if quiet:
            begins = [each.begin_s for each in quiet]
            known = [] if node.since_s is None else [node.since_s]
            ends = [] if node.until_s is None else [node.until_s]
            node = replace(
                node,
                indicted=True,
                score=math.inf,
                since_s=min([*begins, *known]),
                until_s=max([*(each.end_s for each in quiet), *ends]),
                observations=(*seen, *node.observations),
                alarms_s=tuple(sorted([*begins, *node.alarms_s])),
                spells=tuple(sorted((*spells, *node.spells), key=lambda each: each.begin_s)),
                why_not=None,
                chance=min(each.chance for each in quiet),
            )
        nodes.append(node)
    nodes.sort(key=lambda node: (-node.score, node.host))
    return replace(found, nodes=tuple(nodes))


def _silent(heard: Heard | None) -> dict[int, tuple[Spell, ...]]:
    """The times in which nothing was heard of a node, and of nearly all others something was."""
    if heard is None:
        return {}
    ever = heard.nodes.any(axis=0)
    first = np.argmax(heard.nodes, axis=0)
    began = np.arange(len(heard.nodes))[:, None] >= first
    most = heard.nodes.sum(axis=1) > MOST_HEARD.value * ever.sum()
    # Time without any sample is no row: what lies on both sides of it is not one silence.
    follows = np.diff(heard.start_s, prepend=-math.inf) < _GAP_STEPS * heard.step_s
    missing = ~heard.nodes & began & ever & most[:, None]
    last = len(missing) - 1
    found = {}
    for column in np.flatnonzero(missing.any(axis=0)):
        places = np.flatnonzero(missing[:, column])
        apart = (np.diff(places, prepend=-2) > 1) | ~follows[places]
        spells = [
            Spell(
                "silent",
                float(heard.start_s[part[0]]),
                float(heard.start_s[part[-1]] + heard.step_s),
                lasts=bool(part[-1] == last),
            )
            for part in np.split(places, np.flatnonzero(apart)[1:])
        ]
        long = tuple(one for one in spells if one.end_s - one.begin_s >= heard.after_s)
        if long:
            found[int(column)] = long
    return found


def _sign_of(heard: Heard, quiet: Spell, column: int) -> Observation:
    inside = (heard.start_s >= quiet.begin_s) & (heard.start_s < quiet.end_s)
    others = np.delete(heard.nodes[inside], column, axis=1).sum(axis=0)
    minutes = float(np.median(others)) * heard.step_s / _MINUTE_S
    return Observation("time with samples", 0.0, minutes, "min")


def _spells(rounds: Rounds, mine: NDArray[np.bool_]) -> tuple[Spell, ...]:
    """Rounds of one spell are at most `ONE_SPELL` apart."""
    together = int(ONE_SPELL.value)
    places = np.flatnonzero(mine)
    parts = np.split(places, np.flatnonzero(np.diff(places) > together) + 1)
    last = len(mine) - 1
    return tuple(
        Spell(
            "differs",
            float(rounds.start_s[part[0]]),
            float(rounds.start_s[part[-1]]),
            lasts=bool(last - part[-1] < together),
        )
        for part in parts
        if len(part)
    )
