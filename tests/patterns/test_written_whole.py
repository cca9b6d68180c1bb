"""A record that reduce() writes: made of the whole group, or of the last record, or not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders.evidence import holder, reduce_attempt

from mprof.diagnosis import diagnose
from mprof.evidence import Evidence, Group, GroupSizes, RecordSizes, Unknown, Verification
from mprof.rules import CannotTell, Fires, Silent
from mprof.units import MIB

GROUP = "large_accumulated_results.group"
NOT_KNOWN = Unknown("sizes", "run")


def writing(
    written_mib: float,
    group_mib: float,
    last_record_bytes: int | Unknown,
    *,
    doubling: bool = False,
    **changes: Any,
) -> Evidence:
    """A reducer with a heap of 240 MB that is full, but for what is being written."""
    size = round(written_mib * MIB)
    one = holder(
        "buffer", size, lifecycle=None, owner="serialization", method="reduce", length=size,
        doubling=doubling,
    )  # fmt: skip
    groups = GroupSizes(Group(31, 50_001, bytes=round(group_mib * MIB), whole=True))
    last = RecordSizes(50_001, last_record_bytes, NOT_KNOWN)
    evidence = reduce_attempt(holders=(replace(one, in_writing=True),), groups=groups, records=last)
    return replace(evidence, **changes)


def verdict(evidence: Evidence) -> Fires | Silent | CannotTell:
    return diagnose(evidence).diagnosis.verdicts[GROUP]


@pytest.mark.parametrize(
    ("written_mib", "group_mib", "fires"),
    [
        (90, 150, True), (90, 90, True), (90, 57, True),
        (90, 50, False), (90, 300, False), (20, 40, False),
    ],
)  # fmt: skip
def test_a_huge_record_with_the_bytes_of_the_group_was_made_of_it(
    written_mib: float, group_mib: float, fires: bool
) -> None:
    found = verdict(writing(written_mib, group_mib, 400))

    assert isinstance(found, Fires) == fires
    if isinstance(found, Fires):
        assert (found.confidence, found.evidence) == ("likely", "dump")
        assert found.bytes == round(written_mib * MIB)


def test_an_identity_reducer_writes_its_record_as_it_came() -> None:
    assert isinstance(verdict(writing(90, 100, 90 * MIB)), Silent)


def test_a_record_that_may_be_inflated_is_run_alone() -> None:
    packed = writing(90, 150, 15 * MIB)

    found = verdict(packed)

    assert isinstance(found, CannotTell)
    assert found.run_that_would_tell == "verify"


@pytest.mark.parametrize(("died", "fires"), [(True, False), (False, True)])
def test_the_run_of_the_record_alone_decides(died: bool, fires: bool) -> None:
    alone = Verification(met=True, growth_bytes=0, died=died, same_room=not died)

    found = verdict(writing(90, 150, 15 * MIB, verification=alone))

    assert isinstance(found, Fires) == fires


def test_an_array_that_is_doubled_counts_with_the_larger_one_but_not_with_all_that_is_free() -> (
    None
):
    free = reduce_attempt().memory
    live = replace(free, live_bytes_at_death=190 * MIB)

    assert isinstance(verdict(writing(30, 40, 400, doubling=True, memory=live)), Fires)
    assert not isinstance(verdict(writing(30, 40, 400, doubling=False, memory=live)), Fires)
    far_less = replace(free, live_bytes_at_death=150 * MIB)
    assert not isinstance(verdict(writing(20, 40, 400, doubling=True, memory=far_less)), Fires)


@pytest.mark.parametrize(("group_mib", "fires"), [(95, True), (160, False), (16, False)])
def test_a_record_whose_array_is_doubled_has_up_to_twice_what_was_written(
    group_mib: float, fires: bool
) -> None:
    found = verdict(writing(30, group_mib, 400, doubling=True))

    assert isinstance(found, Fires) == fires
    if isinstance(found, Fires):
        assert "no room for its next array, of 60 MB" in found.sentence


def test_the_array_that_was_refused_counts_in_a_heap_that_was_full() -> None:
    """Its size follows from the array, and not from what was free."""
    assert isinstance(verdict(writing(30, 60, 400, doubling=True)), Fires)
    assert not isinstance(verdict(writing(30, 60, 400)), Fires)


@pytest.mark.parametrize(
    "changes",
    [
        {"records": RecordSizes(50_001, NOT_KNOWN, NOT_KNOWN)},
        {"records": NOT_KNOWN},
        {"groups": NOT_KNOWN},
        {"holders": NOT_KNOWN},
    ],
)
def test_what_is_not_known_is_not_denied(changes: dict[str, Any]) -> None:
    assert isinstance(verdict(writing(90, 150, 400, **changes)), CannotTell)


def test_an_attempt_that_did_not_fail_wrote_its_record() -> None:
    evidence = writing(90, 150, 400)

    ended = replace(evidence, death=replace(evidence.death, kind="none"))

    assert not isinstance(verdict(ended), Fires)
