"""The table of holders: what held memory in each heap dump, and the code that held it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from mprof.diagnosis import Diagnosed
from mprof.evidence import Owner
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, Holder
from mprof.tables.columns import OfRun, as_table, words_of

__all__ = ["holders"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held(OfRun):
    """A holder in one heap dump.

    Attributes:
        attempt_id: whose heap it is; NA: a heap dump alone does not say
        diagnosed: the diagnosis is about that attempt
        dump: name of the dump's file, without its suffix
        at_death: the dump at the OutOfMemoryError
        record (ordinal): record about to be handed over, or in flight at death; NA: not told
        group (ordinal): its group; NA: none, or not told
        record_in_group (ordinal): the record in that group; NA: none, or not told
        holder: the same in every dump of a task
        owner: whose memory it is: framework, record_in_flight, record_being_written,
            serialization, user, writer, reader, library, other
        report_owner: the same as the report has it, which knows of the other dumps too, with
            external for what was loaded before the first record; NA: the report does not list it
        lifecycle: how long it can live: map, reduce, group, record, setup, none
        class_name: class of the accumulation point
        bytes (bytes): it holds, counted for one holder only
        length (elements): in the container; NA: it is no container
        capacity (slots): of the container's array; NA: it has none
        element_class: class of most elements; NA: no container, or empty
        key_class: class of most keys; NA: no map, or empty
        doubling: its array was being enlarged, so two were alive
        path: from the site to the container; NA: not told
        site_class: class of the method that holds it; NA: no frame does
        site_method: that method; NA: as site_class
        site_file: its source file; NA: no frame, or not compiled in
        site_line (line): where it stood; NA: no frame, or not compiled in
        thread: of that method; NA: as site_class
    """

    attempt_id: str | None
    diagnosed: bool
    dump: str
    at_death: bool
    record: int | None
    group: int | None
    record_in_group: int | None
    holder: str
    owner: Annotated[str, words_of(Holder, "owner")]
    report_owner: Owner | None
    lifecycle: Annotated[str, words_of(Holder, "lifecycle")]
    class_name: str
    bytes: int
    length: int | None
    capacity: int | None
    element_class: str | None
    key_class: str | None
    doubling: bool
    path: str | None
    site_class: str | None
    site_method: str | None
    site_file: str | None
    site_line: int | None
    thread: str | None


@as_table(_Held)
def holders(diagnosed: Diagnosed) -> Iterator[_Held]:
    """The holders in every heap dump that was read, by run, attempt and dump, the largest first.

    Holders of 64 KiB and more are listed, at most 200 of a dump, and the record in flight whatever
    its size. One that is missing in a dump, and listed in another, held less than that.
    The report lists the large holders at the death of the diagnosed attempt.
    """
    for run in diagnosed.runs:
        for name, snapshots in run.snapshots.items():
            for snapshot in snapshots:
                yield from _rows(diagnosed, run, name or None, snapshot)


def _rows(
    diagnosed: Diagnosed, run: JobRun, attempt_id: str | None, snapshot: HeapObjects
) -> Iterator[_Held]:
    point, of_report = snapshot.point, snapshot is diagnosed.heap_at_death
    for holder in snapshot.holders:
        site = holder.site
        listed = diagnosed.evidence.holder(holder.key) if of_report else None
        yield _Held(
            run=run.number,
            mode=run.mode,
            attempt_id=attempt_id,
            diagnosed=attempt_id == diagnosed.evidence.attempt.attempt_id,
            dump=point.name,
            at_death=point.at_death,
            record=point.record,
            group=point.group,
            record_in_group=point.record_in_group,
            holder=str(holder.key),
            owner=holder.owner,
            report_owner=listed.owner if listed is not None else None,
            lifecycle=holder.lifecycle,
            class_name=holder.class_name,
            bytes=holder.bytes,
            length=holder.length,
            capacity=holder.capacity,
            element_class=holder.element_class,
            key_class=holder.key_class,
            doubling=holder.doubling,
            path=holder.field_path,
            site_class=site.class_name if site is not None else None,
            site_method=site.method if site is not None else None,
            site_file=site.file if site is not None else None,
            site_line=site.line if site is not None else None,
            thread=holder.thread,
        )
