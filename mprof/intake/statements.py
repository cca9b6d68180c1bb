"""Settings that texts state, beside what the ends say themselves -> the configuration of a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mprof.engines import is_of_hadoop_1
from mprof.history import JobConf
from mprof.history.deprecated import NEW_NAMES, OLD_NAMES
from mprof.intake.directions import Direction
from mprof.intake.settings import is_elsewhere, is_remedy
from mprof.intake.sides import CONTAINER_SIZE, XMX
from mprof.intake.stated import OF_ANOTHER_RUN, TWO_VALUES, Stated
from mprof.intake.unread_values import is_not_read, is_of_no_options
from mprof.messages import is_of_a_jobtracker
from mprof.stated_settings import StatedSettings
from mprof.trace import Trace
from mprof.units import MIB, format_bytes

__all__ = ["FromTexts", "Statements", "of_side"]

_SEVERAL: Final = "another text gives another value"
_OPTIONS_OF_BOTH: Final = "mapred.child.java.opts"
_NEW: Final = frozenset(NEW_NAMES.values())
_AS_ROUNDED: Final = 1.05  # sizes are printed with one decimal
_MOST_NORMALISED: Final = 1024 * MIB  # yarn.scheduler.minimum-allocation-mb, to which YARN rounds


@dataclass(frozen=True, slots=True)
class FromTexts:
    """What texts state of one job.

    Attributes:
        losses: where each value is from, and which are not used and why, a sentence each.
        side: of a task of which nothing but the text's own settings tells it.
    """

    settings: StatedSettings = field(default_factory=StatedSettings)
    losses: tuple[str, ...] = ()
    side: str | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """A value, the text that gives it, whether without its property, and of how many people."""

    stated: Stated
    text: str
    is_bare: bool = False
    of_several: bool = False

    @property
    def is_remedy(self) -> bool:
        """Whether one person alone writes, and gives it as a remedy."""
        return is_remedy(self.stated) and not (self.is_bare or self.of_several)


@dataclass(slots=True)
class Statements:
    """Takes in what texts state, by the jobs that they name.

    Attributes:
        texts: names of those that state anything.
    """

    texts: set[str] = field(default_factory=set)
    _by_job: dict[str | None, dict[str, list[_Told]]] = field(default_factory=dict)
    _directions: dict[str | None, list[Direction]] = field(default_factory=dict)

    def add(
        self,
        text: str,
        stated: Iterable[Stated],
        jobs: frozenset[str],
        *,
        of_several: bool = False,
    ) -> None:
        """What one text states.

        Args:
            text: its name.
            stated: the settings in it.
            jobs: that it names.
            of_several: whether several people speak in it: what one proposes there, another may
                refute.
        """
        for one in stated:
            self.texts.add(text)
            for job in jobs or (None,):
                same = self._by_job.setdefault(job, {})
                same.setdefault(NEW_NAMES.get(one.name, one.name), []).append(
                    _Told(one, text, of_several=of_several)
                )

    def add_directions(self, directions: Iterable[Direction], jobs: frozenset[str]) -> None:
        """What a text asks to change without a value, for the jobs that it names."""
        for job in jobs or (None,):
            self._directions.setdefault(job, []).extend(directions)

    def _asked_of(self, job: str | None, *, alone: bool) -> Sequence[Direction]:
        """The properties that a text about a job asks to change without a value, each one way."""
        of_it = [*self._directions.get(job, ())]
        of_it += self._directions.get(None, ()) if alone and job is not None else ()
        ways: dict[str, set[bool]] = {}
        for one in of_it:
            ways.setdefault(one.name, set()).add(one.is_up)
        return [*{one.name: one for one in of_it if len(ways[one.name]) == 1}.values()]

    def of_text(self, text: str) -> Mapping[str, str]:
        """The values of a text, each of a property of which it gives no other."""
        found: dict[str, set[tuple[str, str]]] = {}
        for by_name in self._by_job.values():
            for name, told in by_name.items():
                of_it = {(one.stated.name, one.stated.value) for one in told if one.text == text
                         and not one.stated.why_not}  # fmt: skip
                found.setdefault(name, set()).update(of_it)
        return dict(next(iter(one)) for one in found.values() if len(one) == 1)

    def of_job(self, job: str | None, traces: Sequence[Trace], *, alone: bool) -> FromTexts:
        """What was in force in a job, as far as texts state it and nothing contradicts them.

        Args:
            job: its id; None of what names none.
            traces: of its attempts.
            alone: whether it is the only one that was found, so that texts without an id are of it.
        """
        if job is None and len(traces) > 1 and not self._of_one_engine(traces):
            return FromTexts()  # of several texts, or of several processes
        told = dict(self._by_job.get(None, {})) if alone or job is None else {}
        told |= self._by_job.get(job, {})
        named = [one for one in self._by_job if one is not None]
        if job is None and alone and len(named) == 1:
            told |= self._by_job[named[0]]  # which a client names that died before it had one
        of_1 = is_of_a_jobtracker(job) or (job is None and any(map(_is_of_hadoop_1, traces)))
        if of_1:
            told = {name: [*map(_in_old_words, same)] for name, same in told.items()}
        side = _only_side(told, traces) if alone or job in self._by_job else None
        kept: list[_Told] = []
        denied: list[str] = []
        denied_values: list[_Told] = []
        tried_too: list[_Told] = []
        not_read: list[tuple[_Told, str]] = []
        denied_of: set[tuple[str | None, str, int]] = set()
        doubted: list[tuple[_Told, str]] = []
        known = [of_side(one, side) for one in traces]
        ran: list[_Told] = []
        for all_of_it in _with_bare(told, side, traces, of_hadoop_1=of_1):
            ran += (one for one in all_of_it if one.stated.outcome)
            same: list[_Told] = []
            for one in all_of_it:  # an end may decide between values
                why = _why_not_in(job, one.stated) or _contradiction(one.stated, known)
                if not why:
                    same.append(one)
                    continue
                # what became of a run with it is told instead
                has_run = one.stated.outcome and not _why_not_in(job, one.stated)
                if not has_run:
                    denied.append(
                        f"{one.text}, line {one.stated.line}, gives {one.stated.name}="
                        f"{one.stated.value}, {why}"
                    )
                if not _why_not_in(job, one.stated):
                    denied_values.append(one)
                    of_it = one.stated.why_not != OF_ANOTHER_RUN
                    if of_it and _side_in(one.stated.name) is not None:
                        denied_of.add((_side_in(one.stated.name), one.text, one.stated.fragment))
            if not same:
                continue
            sure = [
                one
                for one in same
                if not one.stated.why_not or _is_left(one, same, all_of_it, known)
            ]
            if len({one.stated.value for one in sure}) != 1:
                doubted += [(one, one.stated.why_not or _SEVERAL) for one in sure or same]
                continue
            one = sure[0]
            others = [each for each in same if each not in sure]
            tried_too += others
            not_read += [(each, each.stated.why_not) for each in others if _is_not_read(each)]
            if one.stated.name in {XMX, CONTAINER_SIZE}:
                doubted.append((one, "mprof cannot tell which process it belongs to"))
            elif side is None and _is_of_an_unknown_side(one.stated, traces):
                doubted.append((one, "mprof cannot tell whether a map or a reduce task died"))
            else:
                kept.append(one)
        unsure = [one for one in kept if _may_be_overridden(one, doubted, known)]
        doubted += [(one, _MAY_BE_OVERRIDDEN) for one in unsure]
        kept = [one for one in kept if one not in unsure]
        # what was written down beside it for that side is of another time
        kept = [
            one
            for one in kept
            if (_side_in(one.stated.name), one.text, one.stated.fragment) not in denied_of
        ]
        unused = [*(one for one, _ in doubted), *tried_too, *denied_values]
        asked = self._asked_of(job, alone=alone)
        settings = StatedSettings(
            in_force=dict(JobConf({one.stated.name: one.stated.value for one in kept}).shown_all()),
            doubted=_by_name(unused),
            not_read=tuple(_not_taken(unused)),
            driver_ignores_options=any(is_of_no_options(one.stated.why_not) for one in unused),
            died_with=_by_name(_of_other_runs(ran, kept, "died")),
            passed_with=_by_name(_of_other_runs(ran, kept, "passed")),
            was={
                NEW_NAMES.get(one.stated.name, one.stated.name): one.stated.was
                for one in kept
                if one.stated.was is not None and one.stated.was != one.stated.value
            },
            elsewhere=_by_name(_of_nobody_here(unused)),
            proposed=_by_name(one for one in unused if one.is_remedy),
            called=_old_names([one.stated.name for one in unused], asked),
            to_raise=tuple(one.name for one in asked if one.is_up),
            to_lower=tuple(one.name for one in asked if not one.is_up),
        )
        losses = (*_provenance(kept), *denied, *_not_used([*doubted, *not_read]))
        return FromTexts(settings, (*losses, *_of_the_side(side)), side)

    def _of_one_engine(self, traces: Sequence[Trace]) -> bool:
        """Whether all are executors of the one application of Spark that the one text tells of."""
        programs = {one.death.program.id for one in traces if one.death.program is not None}
        all_known = all(one.death.program is not None for one in traces)
        return all_known and programs == {"spark-executor"} and len(self.texts) == 1


_MAY_BE_OVERRIDDEN: Final = "the options of one side, which the text has as well, go before it"


def _may_be_overridden(
    one: _Told, doubted: Sequence[tuple[_Told, str]], traces: Sequence[Trace]
) -> bool:
    """Whether it has the options of both sides, and those of a side that failed may be in force.

    Of a task of which nothing tells the side, either may be.
    """
    if one.stated.name != _OPTIONS_OF_BOTH:
        return False
    sides = {trace.task_type for trace in traces if trace.failed} - {None}
    if any(map(_may_be_of_either, traces)):
        sides |= {"map", "reduce"}
    return any(
        each.stated.name.endswith("java.opts") and _side_in(each.stated.name) in sides
        for each, _ in doubted
        if not _is_not_read(each)
    )


def _old_names(names: Iterable[str], directions: Iterable[Direction]) -> dict[str, str]:
    """The old names of what a text calls by no other, by the new ones."""
    every: dict[str, set[str]] = {}
    for name in (*names, *(one.called for one in directions)):
        every.setdefault(NEW_NAMES.get(name, name), set()).add(name)
    return {new: min(olds) for new, olds in every.items() if olds and new not in olds}


def _by_name(told: Iterable[_Told]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one in told:
        if _is_not_read(one):
            continue
        name = NEW_NAMES.get(one.stated.name, one.stated.name)
        if one.stated.value not in found.get(name, ()):
            found[name] = (*found.get(name, ()), one.stated.value)
    return found


def _of_nobody_here(told: Sequence[_Told]) -> Iterable[_Told]:
    """Those of which every word tells of others, of long ago, or of what is only wanted."""
    here = {(one.stated.name, one.stated.value) for one in told if not is_elsewhere(one.stated)}
    yield from (one for one in told if (one.stated.name, one.stated.value) not in here)


def _of_other_runs(ran: Sequence[_Told], kept: Sequence[_Told], outcome: str) -> Iterable[_Told]:
    """The values of runs with that outcome, and with no other; not what was in force here.

    What died by itself, and went through in a row with another value, went through together.
    """
    here = {(one.stated.name, one.stated.value) for one in kept}
    became: dict[tuple[str, str], set[str]] = {}
    for one in ran:
        became.setdefault((one.stated.name, one.stated.value), set()).add(one.stated.outcome)
    passed = {
        (one.text, one.stated.line)
        for one in ran
        if became[one.stated.name, one.stated.value] == {"passed"}
    }
    for one in ran:
        pair = one.stated.name, one.stated.value
        is_of_both = outcome == one.stated.outcome == "passed" and (
            (one.text, one.stated.line) in passed
        )
        if (became[pair] == {outcome} or is_of_both) and pair not in here:
            yield one


def _not_taken(told: Iterable[_Told]) -> Iterable[str]:
    """Of values of a command, by why Hadoop did not take them."""
    by_reason: dict[str, list[str]] = {}
    for one in told:
        if _is_not_read(one):
            name = one.stated.name
            value = JobConf({name: one.stated.value}).shown(name)
            by_reason.setdefault(one.stated.why_not, []).append(f"{name}={value}")
    for why, values in by_reason.items():
        yield f"{' and '.join(values)} {'was' if len(values) == 1 else 'were'} not in force: {why}."


def _is_not_read(one: _Told) -> bool:
    """Whether Hadoop itself did not take it."""
    return is_not_read(one.stated.why_not)


def _is_left(
    one: _Told, same: Sequence[_Told], all_of_it: Sequence[_Told], traces: Sequence[Trace]
) -> bool:
    """Whether it is the one of several values that an end shows, or leaves."""
    if one.stated.why_not != TWO_VALUES:
        return False
    shown = [each for each in same if _is_shown(each.stated, traces)]
    return shown == [one] or (not shown and len(same) == 1 < len(all_of_it))


def _is_shown(one: Stated, traces: Sequence[Trace]) -> bool:
    """Whether the container of an attempt that was killed had the size that is stated."""
    ends = (each.death.container for each in traces if each.task_type == _side_in(one.name))
    limits = (end.physical_limit_bytes for end in ends if end is not None)
    return one.name.endswith(".memory.mb") and any(
        limit and abs(limit / (int(one.value) * MIB) - 1) < _AS_ROUNDED - 1 for limit in limits
    )


_NEWER: Final = "which a cluster of Hadoop 1 does not know: it was not in force there"


def _why_not_in(job: str | None, one: Stated) -> str:
    """Why a property has no effect in the line of Hadoop that ran the job; "" where it may have.

    Names that Hadoop 2 gave are unknown to a JobTracker's tasks (`org.apache.hadoop.mapred.JobConf`
    of 1.x), whose old ones Hadoop 2 takes as well.
    """
    of_2 = one.name in _NEW and one.name not in NEW_NAMES
    return _NEWER if is_of_a_jobtracker(job) and of_2 else ""


def _only_side(told: Mapping[str, Sequence[_Told]], traces: Sequence[Trace]) -> str | None:
    """The side whose sizes alone a text states, where nothing else tells of which a death is.

    A size of the other side that was not in force is one as well: who writes of both means both.
    """
    if not any(map(_may_be_of_either, traces)):
        return None
    sizes = [
        one
        for same in told.values()
        for one in same
        if _is_a_size(one.stated.name) and one.stated.why_not != OF_ANOTHER_RUN
    ]
    sides = {_side_in(one.stated.name) for one in sizes}
    in_force = any(not one.stated.why_not for one in sizes)
    return sides.pop() if len(sides) == 1 and in_force else None


def _of_the_side(side: str | None) -> Iterable[str]:
    if side is not None:
        yield (
            f"that it was a {side} task is taken from the text, which gives the sizes of {side} "
            "tasks alone"
        )


def _with_bare(
    told: Mapping[str, Sequence[_Told]],
    side: str | None,
    traces: Sequence[Trace],
    *,
    of_hadoop_1: bool,
) -> Iterable[Sequence[_Told]]:
    """The values of each property; what stands without one is of the only kind of task that died.

    A property that is named goes before.
    """
    sides = {side if _may_be_of_either(one) else one.task_type for one in traces}
    sides |= {None for one in traces if one.death.program is not None}
    only = sides.pop() if len(sides) == 1 else None
    named = {XMX: f"mapreduce.{only}.java.opts", CONTAINER_SIZE: f"mapreduce.{only}.memory.mb"}
    if of_hadoop_1:  # where nearly every cluster sets the heap of both sides by one
        named[XMX] = _OPTIONS_OF_BOTH
    # what is told of other runs, or of others, does not stand in the way
    here = {
        name for name, same in told.items() if not all(is_elsewhere(each.stated) for each in same)
    }
    for name, same in told.items():
        bare = next((one for one, of in named.items() if of == name), None)
        if name == _OPTIONS_OF_BOTH and named[XMX] not in told:
            bare = XMX
        if bare is not None and only is not None:  # what became of a run with it is known
            ran = [one for one in told.get(bare, ()) if one.stated.outcome in {"died", "passed"}]
            ran = ran if name in here else []
            yield [*same, *_as_named(ran, name)]
        elif name not in named or only is None:
            yield same
        elif not {named[name], _OPTIONS_OF_BOTH if name == XMX else name} & here - {name}:
            yield _as_named(same, named[name])


def _is_of_hadoop_1(trace: Trace) -> bool:
    """Whether classes of Hadoop 1 stand on the stack of a death, or its text tells of it."""
    frames = (*trace.death.stack, *trace.death.callers)
    return trace.death.of_hadoop_1 or any(is_of_hadoop_1(one.class_name) for one in frames)


def _in_old_words(one: _Told) -> _Told:
    """A size that stands without its property as one of Hadoop 1, which has no other names."""
    old = OLD_NAMES.get(one.stated.name, ())
    if one.stated.rank >= 0 or not old:
        return one
    return replace(one, stated=replace(one.stated, name=old[0]), is_bare=True)


def _as_named(bare: Sequence[_Told], name: str) -> list[_Told]:
    """Values that stand without a property as those of one."""
    return [replace(one, stated=replace(one.stated, name=name), is_bare=True) for one in bare]


def _provenance(kept: Sequence[_Told]) -> Iterable[str]:
    for text, values in _by_text([(one, "") for one in kept]):
        yield f"values as the text of {text} has them: {values}"


def _not_used(doubted: Sequence[tuple[_Told, str]]) -> Iterable[str]:
    """What was read and is not taken to have been in force, with the words that say so."""
    for text, values in _by_text(doubted):
        yield (
            f"values in the text of {text} that are not used, and the words or the reason beside "
            f"each: {values}"
        )


def _by_text(told: Sequence[tuple[_Told, str]]) -> Iterable[tuple[str, str]]:
    by_text: dict[str, list[str]] = {}
    for one, why in told:
        by_text.setdefault(one.text, []).append(_shown(one, why))
    for text, values in by_text.items():
        yield text, ", ".join(values)


def _shown(one: _Told, why: str) -> str:
    name, line = one.stated.name, f"line {one.stated.line}"
    value = JobConf({name: one.stated.value}).shown(name)
    if one.is_bare:
        line = f"{line}, which names no property"
    why = "given as a remedy" if why == one.stated.why_not and one.is_remedy else why
    shown = value if name == XMX else f"{name}{' has ' if name.startswith('the ') else '='}{value}"
    shown = f"a container of {value} MB" if name == CONTAINER_SIZE else shown
    return f"{shown} ({line}: {why})" if why else f"{shown} ({line})"


def _side_in(name: str) -> str | None:
    """The side that a property is of; None for one of both, or of neither."""
    new = NEW_NAMES.get(name, name)
    return next((one for one in ("map", "reduce") if f".{one}." in f"{new}."), None)


def _is_of_an_unknown_side(one: Stated, traces: Sequence[Trace]) -> bool:
    """Whether a property of one side is stated, and nothing says of which side a death is."""
    return _is_a_size(one.name) and any(map(_may_be_of_either, traces))


def _is_a_size(name: str) -> bool:
    """Whether a property is the heap or the container of one side."""
    return name.endswith((".memory.mb", ".java.opts")) and _side_in(name) is not None


def _may_be_of_either(trace: Trace) -> bool:
    """Whether nothing says of which side a task was that failed, or that it was none."""
    return trace.failed and trace.task_type is None and trace.death.program is None


def of_side(trace: Trace, side: str | None) -> Trace:
    """The trace as one of a side that only the settings of its text tell."""
    return replace(trace, task_type=side) if side and _may_be_of_either(trace) else trace


def _contradiction(one: Stated, traces: Sequence[Trace]) -> str:
    """What the end of an attempt says against a value; "" where it says nothing against it."""
    side = _side_in(one.name)
    only = {trace.task_type for trace in traces}
    if one.name == _OPTIONS_OF_BOTH and len(only) == 1:
        side = only.pop()
    for trace in traces:
        end = trace.death.container
        if end is None or trace.task_type != side or side is None:
            continue
        limit, heap = end.physical_limit_bytes, end.task_heap_bytes
        if one.name.endswith("memory.mb") and limit:
            asked = int(one.value) * MIB
            if not asked <= limit * _AS_ROUNDED <= (asked + _MOST_NORMALISED) * _AS_ROUNDED**2:
                return (
                    f"but the container that was killed had {format_bytes(limit)}: it was not in "
                    "force there"
                )
        if one.name.endswith("java.opts") and heap:
            xmx = JobConf({one.name: one.value}).task_heap_bytes(side)
            if xmx is not None and xmx != heap:
                return (
                    f"but the task that was killed had -Xmx{heap // MIB}m: it was not in force "
                    "there"
                )
    return ""
