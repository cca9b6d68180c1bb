"""The account of the heap at death: whatever the evidence, it adds up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.chance import Chance, chances
from builders.evidence import CAPACITY, holder, map_attempt, reduce_attempt
from builders.property_settings import tried
from builders.random_evidence import any_evidence
from hypothesis import assume, given

from mprof.evidence import Composition, Evidence, MapBuffer, Unknown
from mprof.patterns import Account, find_patterns
from mprof.patterns.account import ItemKind
from mprof.units import MIB


def account(evidence: Evidence) -> Account:
    found = find_patterns(evidence).account
    assert isinstance(found, Account)
    return found


def any_account(chance: Chance) -> Account:
    found = find_patterns(any_evidence(chance)).account
    assume(isinstance(found, Account))
    assert isinstance(found, Account)
    return found


def parts(evidence: Evidence) -> dict[ItemKind, int]:
    found: dict[ItemKind, int] = {}
    for one in account(evidence).items:
        found[one.kind] = found.get(one.kind, 0) + one.bytes
    return found


@given(chances())
@tried(200)
def test_the_items_add_up_to_the_capacity_or_to_what_was_live(chance: Chance) -> None:
    found = any_account(chance)

    refused = sum(one.bytes for one in found.items if one.kind == "refused")
    whole = max(found.capacity_bytes, found.live_bytes + refused)
    assert sum(one.bytes for one in found.items) == whole


@given(chances())
@tried(200)
def test_no_item_is_empty_or_negative_and_shares_are_of_the_capacity(chance: Chance) -> None:
    found = any_account(chance)

    assert all(one.bytes > 0 for one in found.items)
    assert all(one.share == one.bytes / found.capacity_bytes for one in found.items)
    assert all((one.holder is not None) == (one.kind == "holder") for one in found.items)


@given(chances())
@tried(200)
def test_the_largest_come_first_and_what_is_refused_and_free_last(chance: Chance) -> None:
    items = any_account(chance).items

    ends = [one.kind for one in items if one.kind in ("collector", "refused", "free")]
    held = items[: len(items) - len(ends)]
    assert [one.bytes for one in held] == sorted((one.bytes for one in held), reverse=True)
    assert [one.kind for one in items[len(held) :]] == ends


def test_every_byte_is_told_once_and_whose_it_is() -> None:
    counts = holder("this.counts", 100 * MIB)
    evidence = map_attempt(
        composition=Composition(
            framework_bytes=60 * MIB, user_bytes=130 * MIB, record_bytes=20 * MIB,
            output_bytes=5 * MIB, serialization_bytes=4 * MIB, other_bytes=10 * MIB,
        ),
        map_buffer=MapBuffer(40 * MIB, allocated=True),
        holders=(counts, holder("this.small", MIB)),
    )  # fmt: skip

    assert parts(evidence) == {
        "holder": 100 * MIB,
        "sort_buffer": 40 * MIB,
        "other_user": 30 * MIB,
        "framework": 20 * MIB,
        "record": 20 * MIB,
        "other": 10 * MIB,
        "record_written": 5 * MIB,
        "serialization": 4 * MIB,
        "free": CAPACITY - 229 * MIB,
    }
    (item,) = account(evidence).holders
    assert item.holder == counts


def test_map_output_in_the_heap_is_a_part_of_what_the_framework_holds() -> None:
    evidence = reduce_attempt(
        composition=Composition(framework_bytes=200 * MIB, shuffle_bytes=150 * MIB)
    )
    assert parts(evidence) == {
        "shuffle": 150 * MIB, "framework": 50 * MIB, "free": CAPACITY - 200 * MIB,
    }  # fmt: skip


def test_what_the_collector_loses_is_free_for_no_object() -> None:
    evidence = map_attempt(composition=Composition(user_bytes=130 * MIB))
    memory = replace(evidence.memory, live_bytes_at_death=130 * MIB, lost_bytes=100 * MIB)
    assert parts(replace(evidence, memory=memory)) == {
        "other_user": 130 * MIB, "collector": 100 * MIB, "free": CAPACITY - 230 * MIB,
    }  # fmt: skip


def test_a_buffer_that_was_never_allocated_takes_nothing() -> None:
    evidence = map_attempt(map_buffer=MapBuffer(500 * MIB, allocated=False))
    assert "sort_buffer" not in parts(evidence)


def test_paths_that_count_an_object_twice_tell_no_more_than_there_is() -> None:
    evidence = map_attempt(
        composition=Composition(user_bytes=200 * MIB, framework_bytes=40 * MIB),
        holders=(holder("this.map", 150 * MIB), holder("local map", 150 * MIB)),
    )
    assert sum(parts(evidence).values()) == CAPACITY


@pytest.mark.parametrize(("mib", "huge"), [(71, False), (73, True)])
def test_one_object_that_holds_a_huge_share_is_seen(mib: int, huge: bool) -> None:
    # 30 % of 240 MB are 72, which are free in both
    evidence = map_attempt(
        composition=Composition(user_bytes=(60 + mib) * MIB),
        map_buffer=None,
        holders=(holder("this.mine", 60 * MIB), holder("this.other", mib * MIB)),
    )
    assert account(evidence).has_huge is huge


@pytest.mark.parametrize("fact", ["composition", "holders"])
def test_without_a_dump_there_is_none(fact: str) -> None:
    missing = Unknown("a heap dump made at death", "run")
    assert find_patterns(replace(map_attempt(), **{fact: missing})).account == missing
