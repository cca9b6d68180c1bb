"""Settings that texts state, beside what the ends say themselves -> the configuration of a job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mprof.history import JobConf
from mprof.history.deprecated import NEW_NAMES
from mprof.intake.settings import Stated
from mprof.trace import Trace
from mprof.units import MIB, format_bytes

__all__ = ["FromTexts", "Statements"]

_AS_ROUNDED: Final = 1.05  # sizes are printed with one decimal
_MOST_NORMALISED: Final = 1024 * MIB  # yarn.scheduler.minimum-allocation-mb, to which YARN rounds


@dataclass(frozen=True, slots=True)
class FromTexts:
    """What texts state of one job.

    Attributes:
        conf: None where they state nothing that can be used.
        losses: where each value is from, and which are not used and why, a sentence each.
    """

    conf: JobConf | None = None
    losses: tuple[str, ...] = ()


@dataclass(slots=True)
class Statements:
    """Takes in what texts state, by the jobs that they name.

    Attributes:
        texts: names of those that state anything.
    """

    texts: set[str] = field(default_factory=set)
    _by_job: dict[str | None, dict[str, list[tuple[Stated, str]]]] = field(default_factory=dict)

    def add(self, text: str, stated: Iterable[Stated], jobs: frozenset[str]) -> None:
        """What one text states.

        Args:
            text: its name.
            stated: the settings in it.
            jobs: that it names.
        """
        for one in stated:
            self.texts.add(text)
            for job in jobs or (None,):
                same = self._by_job.setdefault(job, {})
                same.setdefault(NEW_NAMES.get(one.name, one.name), []).append((one, text))

    def of_job(self, job: str | None, traces: Sequence[Trace], *, alone: bool) -> FromTexts:
        """What was in force in a job, as far as texts state it and nothing contradicts them.

        Args:
            job: its id; None of what names none.
            traces: of its attempts.
            alone: whether it is the only one that was found, so that texts without an id are of it.
        """
        if job is None and len(traces) > 1:
            return FromTexts()  # of several texts, or of several processes
        stated = dict(self._by_job.get(None, {})) if alone or job is None else {}
        stated |= self._by_job.get(job, {})
        kept: list[tuple[Stated, str]] = []
        denied: list[str] = []
        denied_of: set[str | None] = set()
        for same in stated.values():
            if len({one.value for one, _ in same}) > 1:
                continue
            one, text = same[0]
            why = _contradiction(one, traces)
            if why:
                denied.append(f"{text}, line {one.line}, gives {one.name}={one.value}, {why}")
                denied_of.add(_side_in(one.name))
            elif not _is_of_an_unknown_side(one, traces):
                kept.append((one, text))
        # what was written down for that side is of another time
        kept = [one for one in kept if _side_in(one[0].name) not in denied_of]
        if not kept:
            return FromTexts(losses=tuple(denied))
        conf = JobConf(raw={one.name: one.value for one, _ in kept})
        return FromTexts(conf, (*_provenance(conf, kept), *denied))


def _provenance(conf: JobConf, kept: Sequence[tuple[Stated, str]]) -> Iterable[str]:
    by_text: dict[str, list[str]] = {}
    for one, text in kept:
        value = f"{one.name}={conf.shown(one.name)} (line {one.line})"
        by_text.setdefault(text, []).append(value)
    for text, values in by_text.items():
        yield (
            f"settings as the text of {text} states them, which no configuration file confirms: "
            f"{', '.join(values)}"
        )


def _side_in(name: str) -> str | None:
    """The side that a property is of; None for one of both, or of neither."""
    new = NEW_NAMES.get(name, name)
    return next((one for one in ("map", "reduce") if f".{one}." in f"{new}."), None)


def _is_of_an_unknown_side(one: Stated, traces: Sequence[Trace]) -> bool:
    """Whether a property of one side is stated, and nothing says of which side a death is."""
    sizes = one.name.endswith((".memory.mb", ".java.opts"))
    return (
        sizes
        and _side_in(one.name) is not None
        and any(trace.task_type is None and trace.death.program is None for trace in traces)
    )


def _contradiction(one: Stated, traces: Sequence[Trace]) -> str:
    """What the end of an attempt says against a value; "" where it says nothing against it."""
    side = _side_in(one.name)
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
