"""What ten times as many reducers need, against the same task run on paper with a tenth of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from builders.judged_tasks import USABLE, kept, of_group, reduce_task, work

from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence import Unknown
from mprof.patterns import MOST_REDUCERS, SharedOut
from mprof.patterns.shared_out import shared_out_of
from mprof.rules import CannotTell, Fires, Silent
from reliability.draw import draw
from reliability.model import Task, course_of, end_of
from reliability.observe import observe

CAUSE = "improper_partition.few_reducers"
TIMES = int(MOST_REDUCERS.value)


def diagnosed(task: Task, seed: int = 3) -> Diagnosed:
    return diagnose(observe(task, "rerun", (7, seed)))


def shared_out(found: Diagnosed) -> SharedOut:
    assert isinstance(found.patterns.shared_out, SharedOut), found.patterns.shared_out
    return found.patterns.shared_out


def peak_with_a_tenth(task: Task) -> float:
    """On paper: the most that is live of every tenth group, that at the death among them."""
    end, groups = end_of(task), task.input.groups
    assert end is not None
    assert groups is not None
    at = int(np.searchsorted(task.input.starts, end.step - 1, side="right")) - 1
    part = task.having(task.input.of_groups(np.arange(at % TIMES, len(groups), TIMES)))
    course = course_of(part)
    total = course.during.sum(axis=0) + course.flight + part.base + part.buffer
    return float(total.max())


ALIKE = [10] * 200
LARGE_AT_90 = [10] * 90 + [400] + [10] * 109
MOST_IN_ONE = [2] * 20 + [20] + [2] * 40 + [1600] + [2] * 40


@pytest.mark.parametrize(
    "task",
    [
        reduce_task(kept(460, level="reduce", at=2000), groups=ALIKE),
        reduce_task(kept(460, level="reduce", at=200, by="groups"), groups=ALIKE),
        # G_m has 400 records, with a list of its own: 160 MB at its end
        reduce_task(kept(300, level="reduce", at=2390), of_group(0.4), groups=LARGE_AT_90),
        # the work on one record takes 60 MB, and it dies there
        reduce_task(
            kept(460, level="reduce", at=2000), work(0.6), groups=ALIKE, spikes={900: 100.0}
        ),
    ],
    ids=["by records", "by groups", "beside a large group", "beside a large record"],
)
def test_the_interval_holds_what_a_tenth_of_the_groups_needs(task: Task) -> None:
    found, truth = shared_out(diagnosed(task)), peak_with_a_tenth(task)
    assert found.at_least <= 1.02 * truth
    assert truth <= 1.03 * found.at_most  # what R_n still wanted when it died is in no dump
    assert found.at_least <= found.predicted <= found.at_most


def test_what_is_kept_of_each_group_is_shared_by_the_keys_not_by_the_records() -> None:
    # 102 groups, one of them with 90 % of the records: ten times as many reducers have 11 each
    task = reduce_task(kept(1000, level="reduce", at=102, by="groups"), groups=MOST_IN_ONE)
    found = diagnosed(task)
    assert peak_with_a_tenth(task) < USABLE
    assert shared_out(found).at_least <= USABLE
    assert not isinstance(found.diagnosis.verdicts[CAUSE], Silent)


def test_no_number_of_reducers_divides_a_group_that_does_not_fit() -> None:
    # it dies at 244 of the 400 records of G_m, which would have had 220 MB of its own
    task = reduce_task(
        kept(200, level="reduce", at=2390), of_group(0.55), groups=LARGE_AT_90,
        others=[10] * 400, partitions=(2390.0,) * 4,
    )  # fmt: skip
    assert peak_with_a_tenth(task) > USABLE
    found = diagnosed(task)
    assert shared_out(found).predicted > USABLE
    assert not isinstance(found.diagnosis.verdicts[CAUSE], Fires)


def test_a_partition_no_larger_than_most_is_too_large_though_the_mean_one_fits() -> None:
    # it died at 1,900 of 2,000 records; the mean partition has 1,680, which need 203 MB of 240
    task = reduce_task(
        kept(242, level="reduce", at=2000), groups=ALIKE, partitions=(2000.0, 1500.0, 1540.0)
    )
    assert end_of(task) is not None
    mean = task.having(task.input.of_groups(np.arange(168)))
    assert end_of(mean) is None
    assert peak_with_a_tenth(task) < USABLE
    found = diagnosed(task).diagnosis.verdicts[CAUSE]
    assert isinstance(found, Fires)
    assert found.confidence == "likely"
    # one of twice the mean is not one of many alike: there the others say that the mean fits
    uneven = replace(task, partitions=(2000.0, 500.0, 500.0))
    assert not isinstance(diagnosed(uneven).diagnosis.verdicts[CAUSE], Fires)


@pytest.mark.parametrize(("spike", "says"), [(60.0, Fires), (250.0, CannotTell)])
def test_nobody_knows_how_much_more_a_record_takes_that_holds_more_than_what_accumulates(
    spike: float, says: type
) -> None:
    # 92 MB of 240 are kept of 400 records, and the work on the next takes 36 MB, or 150
    task = reduce_task(
        kept(460, level="reduce", at=2000), work(0.6), groups=ALIKE, spikes={400: spike}
    )
    assert isinstance(diagnosed(task).diagnosis.verdicts[CAUSE], says)


def test_a_partition_larger_than_most_is_not_one_of_many_where_the_mean_may_fit() -> None:
    # 1.31 times the mean; it died at the work on one record, without which the mean needs 200 MB
    partitions = (2000.0, 1300.0, 1290.0)
    task = reduce_task(
        kept(250, level="reduce", at=2000), work(0.6), groups=ALIKE, spikes={1400: 150.0},
        partitions=partitions,
    )  # fmt: skip
    alone = replace(task, consumers=task.consumers[:1])
    assert end_of(alone.having(task.input.of_groups(np.arange(153)))) is None
    assert isinstance(diagnosed(task).diagnosis.verdicts[CAUSE], CannotTell)


def test_what_nobody_knows_of_the_group_is_no_reason_to_be_sure() -> None:
    task = reduce_task(kept(460, level="reduce", at=2000), groups=ALIKE)
    found = diagnosed(task)
    asked, memory = found.patterns.partition_in_question, found.patterns.memory_model
    unknown = Unknown("heap sizes at earlier records", "rerun")
    shared = shared_out_of(observe(task, "rerun", (7, 3)), asked, memory, unknown)
    assert isinstance(shared, SharedOut)
    assert shared.at_most == math.inf
    assert shared.predicted == shared_out(found).predicted


def test_beside_a_group_that_does_not_fit_the_number_of_reducers_is_told_if_the_rest_does_not() -> (
    None
):
    # G_m would have 220 MB of its own; without it the partition would need 400 MB, a tenth of it 50
    both = reduce_task(
        kept(400, level="reduce", at=2390), of_group(0.55), groups=LARGE_AT_90,
        others=[10] * 400, partitions=(2390.0,) * 4,
    )  # fmt: skip
    assert peak_with_a_tenth(both) > USABLE
    rest = replace(both, consumers=both.consumers[:1])
    assert end_of(rest) is not None
    assert peak_with_a_tenth(rest) < USABLE
    found = diagnosed(both).diagnosis.verdicts[CAUSE]
    assert isinstance(found, Fires | CannotTell), found
    assert not isinstance(found, Fires) or found.confidence != "sure"


def test_as_much_as_it_died_of_does_not_fit_whatever_the_law_says() -> None:
    # the 60 records of G_m alone hold 300 MB, in steps of 50 of which the points before show none
    task = reduce_task(
        kept(1200, "steps", 24.0, level="reduce", at=240), groups=[2] * 5 + [60] + [10] * 17,
        partitions=(240.0,) * 3,
    )  # fmt: skip
    assert peak_with_a_tenth(task) > USABLE
    found = diagnosed(task)
    assert shared_out(found).predicted > USABLE
    assert not isinstance(found.diagnosis.verdicts[CAUSE], Fires)


def test_a_share_as_large_as_what_it_died_of_does_not_fit_either() -> None:
    # a job of the judge: the law predicts a little less of the same groups than they took
    task = draw(800001, 107)
    assert peak_with_a_tenth(task) > task.usable
    found = diagnose(observe(task, "rerun", (800001, 107)))
    assert shared_out(found).predicted > task.usable
    assert not isinstance(found.diagnosis.verdicts[CAUSE], Fires)


def test_what_is_flushed_holds_no_more_than_was_seen_of_so_few_groups() -> None:
    # flushed every 120 groups: of 20 groups it never holds more than a sixth of its crest
    task = reduce_task(
        kept(300, "young", 0.6, level="reduce", at=200, by="groups"),
        kept(300, "old", 0.6, level="reduce", at=200, by="groups", name="old"),
        groups=ALIKE, partitions=(2000.0,) * 3,
    )  # fmt: skip
    found = diagnosed(task)
    assert peak_with_a_tenth(task) < USABLE
    assert not isinstance(found.diagnosis.verdicts[CAUSE], Silent)


def test_with_even_groups_it_fires_and_without_the_partitions_it_cannot_tell() -> None:
    task = reduce_task(kept(460, level="reduce", at=2000), groups=ALIKE)
    assert isinstance(diagnosed(task).diagnosis.verdicts[CAUSE], Fires)
    uncounted = replace(task, partitions=())
    assert isinstance(diagnosed(uncounted).diagnosis.verdicts[CAUSE], CannotTell)
