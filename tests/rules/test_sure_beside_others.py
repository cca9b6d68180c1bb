"""No *sure* rests on what came beside: on what else was there, or on what nobody could read off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import (
    growing_series,
    holder,
    key_of,
    map_attempt,
    reduce_attempt,
    with_growth,
)
from builders.verdicts import verdicts_of

from mprof.evidence import (
    Composition,
    DeathPosition,
    Distribution,
    Evidence,
    ExternalLoad,
    MapBuffer,
    OpenedFile,
    Point,
    RecordSizes,
    Series,
)
from mprof.rules import CannotTell, Fires, Silent, Verdict
from mprof.units import MIB
from reliability.draw import draw
from reliability.observe import observe
from reliability.truth import truth_of

FILE = OpenedFile("/cache/model.bin", 60 * MIB)


def said(evidence: Evidence, cause: str) -> Verdict:
    return verdicts_of(evidence)[cause]


@pytest.mark.parametrize(("kept_mib", "confidence"), [(60, "sure"), (130, "likely")])
def test_what_a_group_keeps_is_not_sure_beside_more_that_is_kept_of_all_groups(
    kept_mib: int, confidence: str
) -> None:
    # the list of the group has 90 of 240 MB; without what is kept of all it might have fitted
    evidence = with_growth(
        reduce_attempt(), "local all", 90 * MIB, lifecycle="group", unit="record_in_group"
    )
    evidence = with_growth(
        evidence, "this.kept", kept_mib * MIB, lifecycle="reduce", unit="group", last_x=30
    )
    found = said(evidence, "large_accumulated_results.group")
    assert isinstance(found, Fires)
    assert found.confidence == confidence


@pytest.mark.parametrize(("record_mib", "fires"), [(3, True), (5, False)])
def test_a_record_larger_than_all_before_it_hides_how_many_are_left(
    record_mib: int, fires: bool
) -> None:
    # 4,000 records of 1 KB before it: of the bytes that were read it has more than half, or less
    records = RecordSizes(4001, record_mib * MIB, Distribution.from_counts([(1024, 4000)]))
    evidence = with_growth(map_attempt(records=records), "this.counts", 200 * MIB)
    found = said(evidence, "large_input_split")
    assert isinstance(found, Fires if fires else CannotTell), found


@pytest.mark.parametrize(
    ("sizes_mib", "at_death_mib", "says"),
    [
        # emptied by one collection only in between, or by none: any growth looks like a step
        ((40, 40, 40, 40, 150, 150, 150, 150), 240, CannotTell),
        # 80 MB are held, and 90 came after the last collection
        ((150, 150, 150, 150, 150, 150, 150, 150), 240, CannotTell),
        ((150, 150, 150, 150, 150, 150, 150, 150), 152, Silent),
    ],
)
def test_one_step_between_two_collections_denies_no_growth(
    sizes_mib: tuple[int, ...], at_death_mib: int, says: type
) -> None:
    points = tuple(Point(500.0 * i, size * MIB) for i, size in enumerate(sizes_mib))
    live = Series(
        None, "map", "record", points, at_death=Point(4001.0, at_death_mib * MIB), source="passive"
    )
    evidence = map_attempt(holders=(holder("this.counts", 20 * MIB),), series=(live,))
    evidence = replace(evidence, holders=(holder("this.counts", 80 * MIB),))
    found = said(evidence, "large_accumulated_results.map")
    assert isinstance(found, says), found


def loading(*paths: str, place: str, numbers: bool = False) -> Evidence:
    class_name = "double[]" if numbers else "java.util.HashMap"
    held = tuple(holder(path, 100 * MIB, class_name=class_name) for path in paths)
    keys = tuple(key_of(path) for path in paths)
    when = "setup" if numbers else "loading"
    load = ExternalLoad(100 * MIB * len(paths), keys, when, (FILE,))  # type: ignore[arg-type]
    return map_attempt(
        holders=held,
        external=load,
        place=place,
        position=DeathPosition("map", record=4001),
        composition=Composition(user_bytes=200 * MIB, other_bytes=40 * MIB),
        map_buffer=MapBuffer(100 * MIB, allocated=True),
    )


@pytest.mark.parametrize(
    ("paths", "numbers", "confidence"),
    [
        (("this.model",), False, "sure"),
        # both came with the record: one of them may be a cache that the record filled
        (("this.model", "this.cache"), False, "likely"),
        # 100 MB of numbers of a file of 60 MB: one may be a matrix to work in
        (("this.model", "this.matrix"), True, "likely"),
    ],
)
def test_of_several_objects_one_may_be_no_data(
    paths: tuple[str, ...], numbers: bool, confidence: str
) -> None:
    found = said(loading(*paths, place="map", numbers=numbers), "large_external_data")
    assert isinstance(found, Fires), found
    assert found.confidence == confidence


def test_how_much_more_was_to_be_loaded_nobody_knows() -> None:
    flat = growing_series("this.model", [100 * MIB] * 8)
    evidence = replace(loading("this.model", place="map"), series=(flat,))
    found = said(evidence, "large_framework_buffer.map")
    assert isinstance(found, Fires), found
    assert found.confidence == "likely"
    settled = said(replace(evidence, external=None), "large_framework_buffer.map")
    assert isinstance(settled, Fires), settled
    assert settled.confidence == "sure"


def test_a_buffer_is_not_surely_too_large_beside_what_nobody_knows_of() -> None:
    # a job of the judge, seven records old: the list had 29 % of the heap, the buffer 36 %
    task = draw(700032, 1309)
    assert truth_of(task).of("large_framework_buffer.map") == "false"
    verdicts = verdicts_of(observe(task, "rerun", (700032, 1309)))
    assert isinstance(verdicts["large_accumulated_results.map"], CannotTell)
    found = verdicts["large_framework_buffer.map"]
    assert not isinstance(found, Fires) or found.confidence == "likely", found


def test_a_partition_that_killed_within_the_mean_would_not_have_fitted_for_sure() -> None:
    # a job of the judge: what is kept nears its limit, and the mean partition has more of it still
    task = draw(800001, 1414)
    truth = truth_of(task)
    assert truth.of("improper_partition.unbalanced") == "false"
    found = said(observe(task, "rerun", (800001, 1414)), "improper_partition.unbalanced")
    assert isinstance(found, CannotTell), found


def test_a_record_and_what_is_made_of_it_are_one_beside_what_is_smaller_than_both() -> None:
    # neither is as large as what was loaded, and both together are; halving that saves no record
    # that is far larger than those that passed
    task = draw(700023, 449)
    truth = truth_of(task)
    assert truth.of("large_intermediate_results") == "true"
    assert truth.of("large_single_record") == "true"
    assert truth.of("large_external_data") != "true"
    evidence = observe(task, "rerun", (700023, 449))
    verdicts = verdicts_of(evidence)
    record = [verdicts[one] for one in ("large_intermediate_results", "large_single_record")]
    sizes = [one.held_bytes for one in record if isinstance(one, Fires)]
    assert isinstance(evidence.external, ExternalLoad)
    assert max(sizes) < evidence.external.bytes <= sum(sizes)
    assert isinstance(verdicts["large_external_data"], Silent)


@pytest.mark.parametrize("index", [510, 1282])
def test_what_a_large_record_adds_to_a_heap_that_was_nearly_full_is_not_sure(index: int) -> None:
    # in the room that what was kept had left, it dies alone; without it, the next ones would have
    task = draw(700032, index)
    cause = "large_intermediate_results"
    assert truth_of(task).of(cause) == "false"
    found = said(observe(task, "verified", (700032, index)), cause)
    assert not isinstance(found, Fires) or found.confidence == "likely"
    kept = said(observe(task, "verified", (700032, index)), "large_accumulated_results.map")
    assert isinstance(kept, Fires), kept
