"""Which objects of a lifecycle grow with their data? The question behind rules 1, 2 and 3.

Witnesses are heard in order, the most direct first; the first that can decide is believed:

1. sizes of the objects themselves in several heap dumps;
2. the heap at death, where it holds nothing large of that lifecycle;
3. the whole live heap, or a class, at several positions, with the dump at death saying whose it is;
4. one dump in which a container holds as many elements as records were taken in.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Evidence, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth.element_counts import ELEMENT_COUNT_THRESHOLDS, counts_so_far
from mprof.patterns.growth.growth import NAMED, Growing
from mprof.patterns.growth.laws import LAW_THRESHOLDS
from mprof.patterns.growth.live_heap import LIVE_HEAP_THRESHOLDS, rose
from mprof.patterns.growth.own_sizes import (
    OWN_SIZES_THRESHOLDS,
    SHARE_OF_RISE,
    all_at_the_last,
    grew,
    stayed_flat,
)
from mprof.patterns.growth.subject import CARRIED, SMALL_SHARE, UNIT_OF, Subject

__all__ = ["GROWTH_THRESHOLDS", "find_growth"]

GROWTH_THRESHOLDS = tuple(
    dict.fromkeys(
        (*LAW_THRESHOLDS, CARRIED, SMALL_SHARE, NAMED, *OWN_SIZES_THRESHOLDS, *LIVE_HEAP_THRESHOLDS,
         *ELEMENT_COUNT_THRESHOLDS)
    )
)  # fmt: skip
"""All that decide whether objects of a lifecycle grow."""


def find_growth(subject: Subject) -> Growing | Absent | Unknown:
    """Whether objects of a lifecycle grow continuously over the data they live for.

    A field of the reducer that is flat from group to group but grows inside G_m counts as
    group-level, as does one that had no second group to live through.

    Args:
        subject: the evidence about objects of that lifecycle, as `subject_of` collects it.
    """
    found = _first_answer(subject)
    if isinstance(found, Growing) and _is_one_of_each_thread(subject, found):
        threads = subject.evidence.records_at_once
        return Unknown(f"what the own value of each of the {threads} threads comes to", "none")
    if not isinstance(found, Growing) or not _stays_small(subject, found):
        return found
    # That one object grows and stays small says nothing of the others.
    of_others = _first_answer(subject.without({*found.keys, *(one.key for one in found.holders)}))
    return found if isinstance(of_others, Absent) else of_others


def _first_answer(subject: Subject) -> Growing | Absent | Unknown:
    witnesses = (
        grew, _nothing_large, stayed_flat, all_at_the_last, _class_rose, _live_heap_rose,
        _one_element_each,
    )  # fmt: skip
    little: Growing | None = None
    for witness in witnesses:
        found = witness(subject)
        if isinstance(found, Growing):
            found = replace(found, end_x=_end_of_data(subject.evidence, found))
            if not _is_little_of_it(subject, found):
                return found
            little = little or found
        elif found is not None and little is None:
            return found
    return little or _missing(subject)


def _is_one_of_each_thread(subject: Subject, found: Growing) -> bool:
    """Whether it is the values of a thread-local in threads that are at work at once.

    Their sum rises as one thread after the other meets large data, also where each value is emptied
    for each record: the number of threads bounds it, and the records do not tell by how much.
    """
    of_threads = [one.key.thread_local and one.of_several for one in found.holders]
    return bool(of_threads) and all(of_threads) and subject.evidence.records_at_once > 1


def _is_little_of_it(subject: Subject, found: Growing) -> bool:
    """Whether most of what is large at death was not followed: others may have grown as well."""
    if not isinstance(subject.holders, tuple):
        return False
    held = sum(one.bytes for one in subject.holders)
    mine = sum(one.bytes for one in subject.holders if one in found.holders)
    followed = {one.series.holder for one in subject.own_sizes if one.law.is_fitted}
    unseen = sum(one.bytes for one in subject.holders if one.key not in followed)
    return bool(found.holders) and mine < SHARE_OF_RISE.value * held and unseen > mine


def _stays_small(subject: Subject, found: Growing) -> bool:
    """Whether what grows cannot be what filled the heap, by the end of its data either."""
    end = found.x_now if found.end_x is None else found.end_x
    return not subject.is_large(max(found.held_bytes, found.at_most(end)))


def _nothing_large(subject: Subject) -> Absent | Unknown | None:
    """The heap at death holds nothing large of that lifecycle."""
    if not isinstance(subject.holders, tuple) or not subject.is_small(subject.holders):
        return None
    if subject.is_large(sum(one.bytes for one in subject.holders) / _done(subject)):
        return None  # it died early: at the same pace they would have become huge
    if not subject.is_small(subject.without_lifecycle):
        return Unknown("the holder path of the largest objects", "rerun")
    return Absent(f"no {subject.lifecycle}-level object was large at death")


def _done(subject: Subject) -> float:
    """The share of the data of that lifecycle that had been taken in; 1 where nothing says."""
    progress = known(subject.evidence.progress)
    if subject.lifecycle == "group" or progress is None or progress.done <= 0:
        return 1.0
    return min(progress.done, 1.0)


def _class_rose(subject: Subject) -> Growing | Absent | None:
    return rose(subject, "histogram")


def _live_heap_rose(subject: Subject) -> Growing | Absent | None:
    return rose(subject, "passive")


def _one_element_each(subject: Subject) -> Growing | None:
    """One dump shows it when a container holds as many elements as there were records."""
    if not isinstance(subject.holders, tuple) or not subject.holders:
        return None
    largest = subject.holders[0]
    for count in counts_so_far(subject.evidence, subject.lifecycle):
        if count.is_kept_by(largest):
            return Growing(
                lifecycle=subject.lifecycle,
                unit=UNIT_OF[subject.lifecycle],
                laws=(),
                holders=(largest,),
                held_bytes=largest.bytes,
                x_now=count.x,
                source="dump",
                confidence="likely",
                how=f"it holds {largest.length:,} elements after {count.seen:,} {count.of}",
            )
    return None


def _missing(subject: Subject) -> Unknown:
    """What would decide it, and the run that brings it."""
    if isinstance(subject.holders, Unknown):
        return subject.holders
    if known(subject.evidence.position) is None:
        return Unknown("the position at death, and heap sizes at earlier records", "rerun")
    data = {"map": "records", "reduce": "groups", "group": "records of the group"}
    where = data.get(subject.lifecycle, "records")
    return Unknown(f"sizes of the {subject.lifecycle}-level objects at earlier {where}", "rerun")


def _end_of_data(evidence: Evidence, growing: Growing) -> float | None:
    """X at the end of the split, of the partition or of G_m; None where that is not known.

    Nor where no law says what it would need there.
    """
    if growing.outgrew:
        return None
    if growing.unit == "record_in_group":
        return _end_of_group(evidence, growing.x_now)
    progress = known(evidence.progress)
    if evidence.place == "cleanup":
        return growing.x_now
    if progress is None or progress.done <= 0:
        return None
    if evidence.place == "combine" and growing.lifecycle == "reduce":
        # They end with the pass, whose progress it is.
        return growing.x_now / min(progress.done, 1.0)
    if evidence.place == "combine":
        return growing.x_now / min(progress.of_split, 1.0) if progress.of_split else None
    if growing.unit == "record" and _is_most_of_what_was_read(evidence):
        return None
    end = growing.x_now / min(progress.done, 1.0)
    partitions = known(evidence.partitions)
    if not growing.by_group or partitions is None:
        return end
    # Progress counts records: where the large groups came first, most groups are still to come,
    # and where a large one is being read, few are.
    end = min(max(end, partitions.groups_at_least), partitions.groups_at_most)
    return max(end, growing.x_now)


def _is_most_of_what_was_read(evidence: Evidence) -> bool:
    """R_n has more bytes than all records before it: their pace says nothing of what is left."""
    records = known(evidence.records)
    size = known(records.bytes) if records is not None else None
    before = known(records.before) if records is not None else None
    return size is not None and before is not None and 0 < before.total <= size


def _end_of_group(evidence: Evidence, x_now: float) -> float | None:
    """Records of G_m counted to its end, at the least."""
    groups = known(evidence.groups)
    whole = groups.whole if groups is not None else None
    return float(max(whole.records, x_now)) if whole is not None else None
