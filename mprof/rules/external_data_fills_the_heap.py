"""Large external data: a file or table that the code loads fills the heap before the data does.

What it means
    Objects that stood in the heap before R_1 (or G_1), or were loaded once and never grew again,
    hold 30 % of the heap or more, and without them the task would have fitted.

Why it happens
    setup() reads a dictionary, a model, or the small side of a join into memory, and it is not
    small any more.

What it asks
    1. What stood in the heap before the first record, or was being loaded at the death?
       Without a dump made then: what every collection since the first record left behind.
    2. Would the rest fit without it? Where something else is the cause (one record, or growth that
       would outgrow the heap anyway), a constant model beside it is silent. How much more of that
       data was to come has to be known: G_m counted to its end, or how much of the split was done.

What to change
    Load less: only what the task needs, a compact structure, a Bloom filter, or join on the reduce
    side. Named with it: the files and cache entries that were read.

For example
    A hash join whose first table takes 1.6 GB as a HashMap of strings.

Sources
    Rule 5 of the paper (Table 5).

Where it departs from the paper
    The paper looks at the objects at R_1 only: a task that dies in setup() never reaches it, and a
    model that fits would be blamed for what grows beside it.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, ExternalLoad, OpenedFile, Position, Unknown, known
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.accumulation import LIFECYCLE_OF
from mprof.rules.examples import growing_series, holder, key_of, map_attempt, with_growth
from mprof.rules.need import capacity_of, end_of_data, fits, live_of, need_at, place_of
from mprof.rules.rule import (
    CannotTell,
    Confidence,
    ErrorData,
    Example,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    cannot_tell,
    where_of,
)
from mprof.rules.thresholds import HUGE
from mprof.units import MIB, format_bytes

__all__ = ["RULE"]

ALWAYS_THERE = Threshold(
    "always there",
    1.1,
    "times the least that any collection left behind since the first record",
    "what is held at the death may be a tenth more: a minor collection is not exact to a tenth",
)

_ONE_RECORD = ("large_intermediate_results", "large_single_record")


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    if place_of(evidence) in ("init", "shuffle", "sort"):
        return Silent("no user code had loaded anything")
    load = evidence.external
    if load is None:
        return Silent("nothing large stood in the heap before the first record")
    if isinstance(load, Unknown):
        return cannot_tell(load)
    capacity = capacity_of(evidence)
    if capacity is None:
        return CannotTell("the size of the heap", "run")
    if not load.holders:
        return _from_collections(evidence, earlier, load, capacity)
    if load.bytes < HUGE.value * capacity:
        return Silent(
            f"what was loaded holds {format_bytes(load.bytes)} only, "
            f"{load.bytes / capacity:.0%} of the heap"
        )
    if load.when != "loading":
        other = _another_cause(evidence, earlier, load)
        if other is not None:
            return other
    return _fires(evidence, load)


def _from_collections(
    evidence: Evidence, earlier: Verdicts, load: ExternalLoad, capacity: int
) -> Verdict:
    """No dump before R_1: what was always live since then bounds what was loaded before it."""
    composition, holders = known(evidence.composition), evidence.holders
    if isinstance(holders, Unknown):
        return cannot_tell(holders)
    if composition is None:
        return CannotTell("a heap dump made at the death", "run")
    most = load.bytes - composition.framework_bytes
    if most < HUGE.value * capacity:
        return Silent(f"at most {format_bytes(max(most, 0))} stood in the heap before the data")
    lasting = [h for h in holders if h.owner in ("user", "external") and h.lifecycle != "record"]
    held = sum(h.bytes for h in lasting if h.lifecycle in ("map", "reduce"))
    if sum(h.bytes for h in lasting) < HUGE.value * capacity:
        return Silent("nothing that outlives a record is large at the death")
    level = "large_accumulated_results." + ("reduce" if evidence.is_reduce else "map")
    if isinstance(earlier[level], Fires):
        return Silent("what is large at the death grew with the data")
    if isinstance(earlier[level], Silent) and held <= ALWAYS_THERE.value * most:
        found = replace(
            load,
            bytes=held,
            when="once",
            holders=tuple(h.key for h in lasting if h.lifecycle in ("map", "reduce")),
        )
        if held >= HUGE.value * capacity:
            return _another_cause(evidence, earlier, found) or _fires(evidence, found)
    return CannotTell("the heap before the first record", "rerun")


def _another_cause(
    evidence: Evidence, earlier: Verdicts, load: ExternalLoad
) -> Silent | CannotTell | None:
    """Whether the rest would fit without the load; None if it would."""
    for cause in _ONE_RECORD:
        if isinstance(earlier[cause], Fires):
            return Silent("it is constant and fits beside the record that needs the rest")
    for cause, lifecycle in LIFECYCLE_OF.items():
        verdict = earlier[cause]
        if not isinstance(verdict, Fires):
            continue
        found = find_growth(evidence, lifecycle)
        if not isinstance(found, Growing):
            continue
        end = end_of_data(evidence, found)
        if end is None:
            missing = "how much more data what grows beside it would have met"
            return CannotTell(missing, "verify" if lifecycle == "group" else "run")
        need = need_at(evidence, found, end)
        if need is None or not fits(need - load.bytes, evidence):
            return Silent("it is constant; what grows beside it would outgrow the heap without it")
    open_question = next(
        (v for c in (*LIFECYCLE_OF, _ONE_RECORD[0]) if isinstance(v := earlier[c], CannotTell)),
        None,
    )
    live = live_of(evidence) or 0
    composition = known(evidence.composition)
    rest = live - load.bytes - (composition.framework_bytes if composition else 0)
    if open_question is not None and rest >= HUGE.value * (capacity_of(evidence) or 0):
        return open_question
    return None


def _fires(evidence: Evidence, load: ExternalLoad) -> Fires:
    largest = max(
        (one for key in load.holders if (one := evidence.holder(key)) is not None),
        key=lambda one: one.bytes,
        default=None,
    )
    every = sorted(load.opened, key=lambda one: (-(one.length_bytes or 0), one.path))
    files = [one for one in every if one.seen]
    read = [one.length_bytes for one in files if one.length_bytes is not None]
    when = {
        "setup": "before the first record",
        "loading": "so far, while it was being loaded",
        "once": "once, and it never grew again",
    }[load.when]
    of = f" of {files[0].path}" if files else ""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    shipped = "" if files else _shipped(every)
    what = largest.path if largest is not None else "external data"
    confidence: Confidence = "sure" if load.source == "dump" and load.when != "once" else "likely"
    return Fires(
        confidence=confidence,
        evidence=load.source,
        sentence=f"{what} holds {format_bytes(load.bytes)}{of}{more}, loaded {when}{shipped}",
        bytes=load.bytes,
        where=where_of(largest) if largest is not None else None,
        data=ErrorData("external", bytes=sum(read) if read else None),
    )


def _shipped(cached: list[OpenedFile]) -> str:
    """The largest file of the distributed cache, where none was seen opened."""
    if not cached:
        return ""
    length = cached[0].length_bytes
    size = "" if length is None else f", {format_bytes(length)}"
    return f"; the largest file in the job's distributed cache is {cached[0].path}{size}"


def _loaded(size_bytes: int, when: str = "setup") -> Evidence:
    one = replace(holder("this.model", size_bytes, method="setup"), loaded_before_first_record=True)
    files = (OpenedFile("hdfs:/cache/model.txt", 40 * MIB),)
    load = ExternalLoad(size_bytes, (key_of("this.model"),), when, files)  # type: ignore[arg-type]
    return map_attempt(holders=(one,), external=load)


def _bounded_by(live_mib: int, sizes_mib: list[float]) -> Evidence:
    # a watch run: no dump but that at death, and the live heap after collections
    live = growing_series(None, [size * MIB for size in sizes_mib], source="passive")
    return map_attempt(
        holders=(holder("this.model", 130 * MIB),),
        external=ExternalLoad(live_mib * MIB, (), "setup", source="passive"),
        series=(live,),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )


def _watched() -> Evidence:
    return _bounded_by(200, [201, 200, 202, 201, 200])


def _grew() -> Evidence:
    return _bounded_by(75, [75, 110, 140, 170, 200])


def _in_setup() -> Evidence:
    return replace(
        _loaded(170 * MIB, "loading"), place="setup", position=Position("setup", record=0)
    )


RULE = Rule(
    cause="large_external_data",
    published_as="5",
    category="code",
    title="Large external data",
    thresholds=(HUGE, ALWAYS_THERE),
    ask=_ask,
    after=(*LIFECYCLE_OF, *_ONE_RECORD),
    examples=(
        Example("FIRES", "dead in setup() with 170 MB of a table", _in_setup),
        Example("FIRES", "a model of 130 MB, dead in map()", lambda: _loaded(130 * MIB)),
        Example("FIRES", "no early dump: as much was live after every collection", _watched),
        Example("SILENT", "no early dump: little was live at the first collection", _grew),
        Example("SILENT", "a model of 30 MB", lambda: _loaded(30 * MIB)),
        Example(
            "SILENT",
            "a model of 80 MB that fits beside what grows",
            lambda: with_growth(_loaded(80 * MIB), "this.counts", 110 * MIB),
        ),
        Example("SILENT", "nothing was loaded", map_attempt),
        Example(
            "CANNOT_TELL",
            "no dump",
            lambda: map_attempt(external=Unknown("a heap dump made at the death", "run")),
        ),
    ),
    module=__name__,
)
