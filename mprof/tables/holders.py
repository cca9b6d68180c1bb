"""The table of holders: what held memory in each heap dump, and the code that held it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pandas as pd

from mprof.diagnosis import Diagnosed
from mprof.evidence import Holder as ReportHolder
from mprof.job_run import JobRun
from mprof.objects import HeapObjects, Holder
from mprof.tables.columns import (
    BOOLEAN,
    INTEGER,
    STRING,
    Columns,
    Row,
    table_of,
    words_of,
)

__all__ = ["holders"]

_COLUMNS: Final[Columns] = {
    "run": INTEGER,
    "mode": words_of(JobRun, "mode"),
    "attempt_id": STRING,
    "diagnosed": BOOLEAN,
    "dump": STRING,
    "at_death": BOOLEAN,
    "record": INTEGER,
    "group": INTEGER,
    "record_in_group": INTEGER,
    "holder": STRING,
    "owner": words_of(Holder, "owner"),
    "report_owner": words_of(ReportHolder, "owner"),
    "lifecycle": words_of(Holder, "lifecycle"),
    "class_name": STRING,
    "bytes": INTEGER,
    "length": INTEGER,
    "capacity": INTEGER,
    "element_class": STRING,
    "key_class": STRING,
    "doubling": BOOLEAN,
    "path": STRING,
    "site_class": STRING,
    "site_method": STRING,
    "site_file": STRING,
    "site_line": INTEGER,
    "thread": STRING,
}


def holders(diagnosed: Diagnosed) -> pd.DataFrame:
    """The holders in every heap dump that was read, by run, attempt and dump, the largest first.

    ===============  ========  ========  ===========================================================
    column           dtype     unit      meaning; what NA says
    ===============  ========  ========  ===========================================================
    run              Int64     ordinal   run of the capture; NA: there is no capture
    mode             category            what the run's failed tasks ran in
    attempt_id       string              whose heap it is; NA: a heap dump alone does not say
    diagnosed        boolean             the diagnosis is about that attempt
    dump             string              name of the dump's file, without its suffix
    at_death         boolean             the dump at the OutOfMemoryError
    record           Int64     ordinal   record about to be handed over, or in flight at death;
                                         NA: not told
    group            Int64     ordinal   its group; NA: none, or not told
    record_in_group  Int64     ordinal   the record in that group; NA: none, or not told
    holder           string              the same in every dump of a task
    owner            category            whose memory it is: framework, record_in_flight,
                                         record_being_written, serialization, user, writer,
                                         reader, library, other
    report_owner     category            the same as the report has it, which knows of the other
                                         dumps too, with external for what was loaded before the
                                         first record; NA: the report does not list it
    lifecycle        category            how long it can live: map, reduce, group, record, setup,
                                         none
    class_name       string              class of the accumulation point
    bytes            Int64     bytes     it holds, counted for one holder only
    length           Int64     elements  in the container; NA: it is no container
    capacity         Int64     slots     of the container's array; NA: it has none
    element_class    string              class of most elements; NA: no container, or empty
    key_class        string              class of most keys; NA: no map, or empty
    doubling         boolean             its array was being enlarged, so two were alive
    path             string              from the site to the container; NA: not told
    site_class       string              class of the method that holds it; NA: no frame does
    site_method      string              that method; NA: as site_class
    site_file        string              its source file; NA: no frame, or not compiled in
    site_line        Int64     line      where it stood; NA: no frame, or not compiled in
    thread           string              of that method; NA: as site_class
    ===============  ========  ========  ===========================================================

    Holders of 64 KiB and more are listed, at most 200 of a dump, and the record in flight whatever
    its size. One that is missing in a dump, and listed in another, held less than that.
    The report lists the large holders at the death of the diagnosed attempt.
    """
    return table_of(_COLUMNS, _rows(diagnosed))


def _rows(diagnosed: Diagnosed) -> Iterator[Row]:
    own, shown = diagnosed.evidence.attempt.attempt_id, diagnosed.heap_at_death
    for run in diagnosed.runs:
        for name, snapshots in run.snapshots.items():
            for snapshot in snapshots:
                for holder in snapshot.holders:
                    listed = diagnosed.evidence.holder(holder.key) if snapshot is shown else None
                    yield {
                        "run": run.number,
                        "mode": run.mode,
                        "attempt_id": name or None,
                        "diagnosed": (name or None) == own,
                        **_of_a_dump(snapshot),
                        **_of_a_holder(holder),
                        "report_owner": listed.owner if listed is not None else None,
                    }


def _of_a_dump(snapshot: HeapObjects) -> Row:
    point = snapshot.point
    return {
        "dump": point.name,
        "at_death": point.at_death,
        "record": point.record,
        "group": point.group,
        "record_in_group": point.record_in_group,
    }


def _of_a_holder(holder: Holder) -> Row:
    site = holder.site
    return {
        "holder": str(holder.key),
        "owner": holder.owner,
        "lifecycle": holder.lifecycle,
        "class_name": holder.class_name,
        "bytes": holder.bytes,
        "length": holder.length,
        "capacity": holder.capacity,
        "element_class": holder.element_class,
        "key_class": holder.key_class,
        "doubling": holder.doubling,
        "path": holder.field_path,
        "site_class": site.class_name if site is not None else None,
        "site_method": site.method if site is not None else None,
        "site_file": site.file if site is not None else None,
        "site_line": site.line if site is not None else None,
        "thread": holder.thread,
    }
