"""Whose memory it is, and how long it lives: decided here, once, for every moment of the attempt.

`mprof.objects` reads one heap: what each root reaches, by the shape of the objects and the stacks.
One heap alone does not show what only time shows, so the snapshots of an attempt are settled
together, in this order:

1. what looks like the record in flight and is of more records than that one is the user's
   (`kept_records`);
2. what stood there before the data, as large as at the death, is external data;
3. what the live heap held before R_n is not of R_n, whatever frame it hangs from (`lifetimes`);
4. a holder without a frame or a line has those that another death of the job shows (`sites`).

Everything after this reads the result and decides nothing about owners.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.code import CodeSite
from mprof.engines import MAPREDUCE, Engine
from mprof.evidence.assemble.input_and_buffers import shuffle_bytes
from mprof.evidence.assemble.kept_records import with_kept_records
from mprof.evidence.assemble.lifetimes import with_true_lifetimes
from mprof.evidence.assemble.live_heap import LiveBefore
from mprof.evidence.assemble.moments import Moment, first_moment
from mprof.evidence.assemble.sites import with_sites_of_other_deaths
from mprof.evidence.assemble.snapshot import bytes_of, lifecycle_of
from mprof.evidence.facts import Composition, Holder, RecordSizes, Unknown
from mprof.evidence.thresholds import LARGE_OBJECT, LEAST_HOLDER, STILL_THERE
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, path_in_words
from mprof.objects import Holder as HeapHolder

__all__ = ["OwnedHeap", "called_methods", "composition_of", "decide_owners", "holders_of"]

_MOST_HOLDERS: Final = 50
"""Holders that are kept, the largest."""


@dataclass(frozen=True, slots=True)
class OwnedHeap:
    """The heap of an attempt with every owner decided.

    Attributes:
        moments: of the heap before the death.
        death: the heap at death.
        holders: its large holders.
        composition: its live bytes by owner.
    """

    moments: tuple[Moment, ...]
    death: HeapObjects
    holders: tuple[Holder, ...]
    composition: Composition


def decide_owners(
    moments: tuple[Moment, ...],
    death: HeapObjects,
    *,
    place: str | None,
    records: RecordSizes | Unknown | None,
    before: LiveBefore,
    conf: JobConf | None,
    runs: Sequence[JobRun],
) -> OwnedHeap:
    """Settle whose memory it is in all snapshots of an attempt.

    Args:
        moments: of its heap before the death.
        death: its heap at death.
        place: where it died.
        records: sizes of R_n and of those before it.
        before: what was live before R_n and its group, by the collections.
        conf: of the job, for the classes that the framework calls.
        runs: all runs of the job, oldest first, for other deaths of it.
    """
    moments, death = with_kept_records(moments, death, place=place, records=records, before=before)
    called = called_methods(conf)
    holders = holders_of(death, moments, in_setup=place == "setup", called=called)
    if not moments:
        holders = with_true_lifetimes(holders, death, before)
    holders = with_sites_of_other_deaths(holders, death, runs)
    return OwnedHeap(moments, death, holders, composition_of(death, holders))


def called_methods(conf: JobConf | None, engine: Engine = MAPREDUCE) -> dict[str, str]:
    """Class of the job -> the method the framework calls it by for each record or group."""
    if conf is None:
        return {}
    properties = engine.class_properties.items()
    return {name: method for key, method in properties if method and (name := conf.get(key))}


def holders_of(
    death: HeapObjects,
    moments: Sequence[Moment],
    *,
    in_setup: bool,
    called: Mapping[str, str],
) -> tuple[Holder, ...]:
    """The large holders at death, the record in flight among them whatever its size.

    Args:
        death: the dump at death.
        moments: the dumps before it.
        in_setup: no record had been handed to user code.
        called: as `called_methods`.
    """
    first = first_moment(moments)
    listed = [
        each
        for each in death.holders
        if each.bytes >= LEAST_HOLDER.value or each.owner == "record_in_flight"
    ]
    return tuple(
        _holder(each, first, in_setup=in_setup, called=called) for each in listed[:_MOST_HOLDERS]
    )


def _holder(
    holder: HeapHolder, first: HeapObjects | None, *, in_setup: bool, called: Mapping[str, str]
) -> Holder:
    loaded = _loaded_before(holder, first, in_setup=in_setup)
    return Holder(
        key=holder.key,
        owner="external" if holder.owner == "user" and loaded else holder.owner,
        lifecycle=lifecycle_of(holder),
        class_name=holder.class_name,
        path=path_in_words(holder),
        bytes=holder.bytes,
        site=_site(holder, called),
        length=holder.length,
        element_class=holder.element_class,
        doubling=holder.doubling,
        loaded_before_first_record=loaded,
    )


def _site(holder: HeapHolder, called: Mapping[str, str]) -> CodeSite | None:
    """The blamed frame; between two calls of map() or reduce() none stands on the stack.

    A field of the mapper or reducer itself is then the method's that is called for each record or
    group; the line is not known.
    """
    if holder.site is not None:
        return holder.site
    owner = holder.key.class_name
    if holder.key.kind == "field" and holder.lifecycle in {"map", "reduce"} and owner in called:
        return CodeSite(owner, called[owner])
    return None


def _loaded_before(holder: HeapHolder, first: HeapObjects | None, *, in_setup: bool) -> bool | None:
    if holder.owner != "user":
        return None
    if in_setup or holder.lifecycle == "setup":
        return True
    if first is None:
        return None
    before = bytes_of(first, holder.key)
    return before >= LARGE_OBJECT.value and before >= STILL_THERE.value * holder.bytes


def composition_of(death: HeapObjects, holders: Iterable[Holder]) -> Composition:
    """Live bytes by owner; external data is user memory that was loaded before the data."""
    sizes = {owner: death.bytes_of(owner) for owner in ("framework", "user", "other")}
    external = sum(each.bytes for each in holders if each.owner == "external")
    loaded = min(external, sizes["user"])
    return Composition(
        framework_bytes=sizes["framework"],
        record_bytes=death.bytes_of("record_in_flight"),
        output_bytes=death.bytes_of("record_being_written"),
        serialization_bytes=death.bytes_of("serialization"),
        external_bytes=loaded,
        user_bytes=sizes["user"] - loaded,
        other_bytes=sizes["other"],
        shuffle_bytes=shuffle_bytes(death),
    )
