"""What a method builds of a whole group after its last record, and what is one record's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import holder, reduce_attempt

from mprof.diagnosis import diagnose
from mprof.evidence import (
    Evidence,
    Group,
    GroupSizes,
    RecordGrowth,
    StackFrame,
    Unknown,
    Verification,
)
from mprof.patterns import Alone
from mprof.rules import CannotTell, Fires, Silent
from mprof.units import MIB

GROUP = "large_accumulated_results.group"
RECORD = "large_intermediate_results"
MET = 50_001


def building(
    held_mib: int,
    *,
    alone: Alone | None = "passes",
    live_mib: int = 240,
    records_of_group: int = MET,
    lifecycle: str = "record",
) -> Evidence:
    """A reducer with a heap of 240 MB, in a method called at record 50,001 of its group.

    Args:
        held_mib: of the string that is being built.
        alone: what became of the record when it was run alone; None where it was not.
        live_mib: of the heap at death; the rest is free.
        records_of_group: counted to its end.
        lifecycle: of the string.
    """
    attempt = reduce_attempt()
    text = holder("local text", held_mib * MIB, lifecycle=lifecycle, method="line")
    at_work = StackFrame("com.example.Job", "line", "Job.java", 42, user=True)
    not_run = Unknown("the growth that the last record causes when run alone", "verify")
    died = alone in ("dies", "dies in that room")
    met = Verification(met=True, growth_bytes=0, died=died, same_room=alone != "dies")
    return replace(
        attempt,
        attempt=replace(attempt.attempt, collector="G1"),
        holders=(text,),
        stack=(at_work,),
        groups=GroupSizes(Group(31, records_of_group, whole=True)),
        memory=replace(attempt.memory, live_bytes_at_death=live_mib * MIB),
        record_growth=RecordGrowth(
            ((7000, 0),) * 7, 1, held_mib * MIB, "dump", unit="record_in_group"
        ),
        verification=not_run if alone is None else met,
    )


def verdict(cause: str, evidence: Evidence) -> Fires | Silent | CannotTell:
    return diagnose(evidence).diagnosis.verdicts[cause]


def test_what_the_last_record_alone_does_not_make_was_made_of_the_whole_group() -> None:
    found = verdict(GROUP, building(120))

    assert isinstance(found, Fires)
    assert (found.confidence, found.evidence) == ("sure", "verified")
    assert found.data is not None
    assert found.data.records == MET
    assert isinstance(verdict(RECORD, building(120)), Silent)


def test_what_the_last_record_makes_again_alone_is_its_own() -> None:
    own = building(120, alone="dies")

    assert isinstance(verdict(GROUP, own), Silent)
    assert isinstance(verdict(RECORD, own), Fires)


def test_before_that_run_it_cannot_be_told() -> None:
    found = verdict(GROUP, building(120, alone=None))

    assert isinstance(found, CannotTell)
    assert found.run_that_would_tell == "verify"


def test_in_the_room_that_it_had_any_record_may_die() -> None:
    assert isinstance(verdict(GROUP, building(120, alone="dies in that room")), CannotTell)


def test_within_a_group_a_method_works_on_its_record() -> None:
    assert isinstance(verdict(GROUP, building(120, records_of_group=MET + 1)), Silent)


@pytest.mark.parametrize(("live_mib", "fires"), [(236, False), (160, True)])
def test_the_object_that_did_not_fit_counts(live_mib: int, *, fires: bool) -> None:
    # 50 MB are a fifth of the heap; with half of the 80 MB that G1 had free they are huge
    found = verdict(GROUP, building(50, live_mib=live_mib))

    assert isinstance(found, Fires) == fires


def test_what_outlives_the_group_is_not_made_of_it() -> None:
    assert not isinstance(verdict(GROUP, building(120, lifecycle="reduce")), Fires)
