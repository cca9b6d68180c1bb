"""What `docs/reference/testbed.md` claims of the detectors, on the recordings of the testbed.

A recording is imported and judged anew (`testbed/README.md`): each day a fifth of the controls and
those of a fifth of the faults, all of them by `make test-sweeps`. What was missed, and every
healthy node that is named, stands in the page's lists: they are compared with what comes out here.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from builders.part_of_today import of_today

from testbed.campaign import RECORDINGS
from testbed.evaluation import Evaluation, evaluate
from testbed.faults import FAULTS, OF_MASTER
from testbed.judging import ALL, tally
from testbed.page import lists
from testbed.recorded import Recorded
from testbed.simpler import PAPERS_RULE
from testbed.workloads import WORKLOADS

LABELS = sorted(RECORDINGS.glob("*/label.json"))
FAULT_OF = {label.parent.name: json.loads(label.read_text())["fault"] for label in LABELS}
RECORDED = set(FAULT_OF.values()) - {None}
"""Faults; the page lists those that are still to be recorded."""
TODAY = set(of_today(sorted(RECORDED)))
CONTROLS = {name for name, fault in FAULT_OF.items() if fault is None}
JUDGED = {*of_today(sorted(CONTROLS)), *(name for name in FAULT_OF if FAULT_OF[name] in TODAY)}
"""Of a fault all its recordings, since what is claimed is claimed of a share of them."""
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "testbed.md"

FALSE_ALARMS = 0.03
"""Ganesha's and Blimey's, of the nodes of control runs."""
SEEN_BY_ONE = 0.65
"""Blimey's: every fault by at least one detector."""
NOTICED_PERCENT = 5
"""Slower by less is what controls differ by; a loss of 1 % of the packets cost 0 in Kahuna, too."""
SEEN_FOR_SURE = 0.95
MASTER_ALARM_RATE = 0.73
"""Blimey's, of a JobTracker that hangs, on 50 nodes."""
FOR_SURE = ("cpu-hog", "disk-hog", "map-hang")


@cache
def found() -> Evaluation:
    with tempfile.TemporaryDirectory(prefix="mprof-judged-") as folder:
        for name in JUDGED | CONTROLS:  # of which healthy nodes' profiles are learnt
            (Path(folder) / name).symlink_to(RECORDINGS / name)
        return evaluate(Path(folder), controls=JUDGED, with_delays=False)


def recorded(fault: str) -> Sequence[Recorded]:
    """The recordings of a fault; the page lists what is still to be recorded."""
    if fault in RECORDED - TODAY:
        pytest.skip(f"{fault} is tried on another day, or with MPROF_PART=all")
    if fault not in found().faults:
        pytest.skip(f"{fault} is not recorded yet: python -m testbed.campaign records it")
    return found().faults[fault]


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label.parent.name)
def test_a_label_says_what_was_wrong_and_the_recording_is_small(label: Path) -> None:
    said = json.loads(label.read_text())
    slaves = (label.parent / "workers").read_text().split()
    size = sum(path.stat().st_size for path in label.parent.rglob("*") if path.is_file())

    assert said["workload"] in WORKLOADS
    assert len(slaves) == 6
    if said["fault"] is None:
        assert said["node"] is None
    else:
        assert said["fault"] in FAULTS
        assert said["node"] in (["master"] if said["fault"] in OF_MASTER else slaves)
        assert said["started_s"] < said["fault_from_s"] < said["ended_s"]
    assert size < 300_000


def test_of_the_nodes_of_controls_hardly_any_is_named() -> None:
    of_all = tally(found().controls, found().detectors[ALL])

    assert of_all.healthy >= 6
    assert of_all.accused <= FALSE_ALARMS * of_all.healthy


@pytest.mark.parametrize("fault", sorted(TODAY & set(FOR_SURE)))
def test_a_hog_or_a_hanging_mapper_is_found(fault: str) -> None:
    of_all = tally(recorded(fault), found().detectors[ALL])

    assert of_all.sick >= 1
    assert of_all.found >= SEEN_FOR_SURE * of_all.sick


@pytest.mark.parametrize("fault", sorted(TODAY - OF_MASTER))
def test_every_fault_that_slows_anything_is_seen_by_some_detector(fault: str) -> None:
    recordings = recorded(fault)
    best = max(
        tally(recordings, verdicts).found
        for name, verdicts in found().detectors.items()
        if name != ALL
    )

    costs = [found().slowdowns[one.name].percent for one in recordings]
    slows_nothing = all(cost is not None and cost < NOTICED_PERCENT for cost in costs)

    assert best > SEEN_BY_ONE * len(recordings) or slows_nothing


def test_a_resource_manager_that_stands_still_raises_the_alarm_of_the_master() -> None:
    recordings = recorded("resource-manager-stop")
    rates = tally(recordings, found().detectors["hb-delay"]).alarm_rates

    assert len(rates) == len(recordings)
    assert sum(rates) / len(rates) >= MASTER_ALARM_RATE


def test_lost_packets_accuse_no_more_healthy_nodes_than_with_the_papers_rule() -> None:
    recordings = recorded("packet-loss-50")
    of_all = tally(recordings, found().detectors[ALL])
    of_papers = tally(recordings, found().simpler[PAPERS_RULE])

    assert of_all.found >= of_papers.found
    assert of_all.accused <= of_papers.accused


def test_what_is_missed_and_who_is_wrongly_named_stands_in_the_page() -> None:
    listed = [line for line in PAGE.read_text().splitlines() if line.startswith("- ")]
    expected = [line for line in listed if recording_of(line) in JUDGED]

    assert [line for line in lists(found()) if line.startswith("- ")] == expected
    assert {recording_of(line) for line in listed} <= FAULT_OF.keys()


def recording_of(line: str) -> str:
    """The name with which an item of the lists begins."""
    return line.split("`")[1]
