"""What is said of nodes, jobs and machines hangs on no exact value: the quick form of the sweep.

A fifth of the thresholds is moved each day, all of them by `make test-sweeps`.
`python -m testbed.sweep` moves each as far as it goes, on more recordings, and makes
`docs/reference/thresholds-of-nodes.md`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final

import pytest
from builders.part_of_today import of_today

import mprof.peers
import mprof.triage
from development.sweep import changes_within
from mprof.threshold import Threshold
from mprof.units import format_bytes
from testbed.sweep import SWEPT, Part, parts, recordings_for

ROOT: Final = Path(__file__).parents[2]
SAFE: Final = 0.15
"""The share of its value by which each may be moved, up or down, without another verdict."""

RECORDINGS: Final = (
    "cpu-hog-word-count-1", "disk-hog-pig-2", "node-manager-stop-pig-2", "none-sort-6",
    "packet-loss-50-pig-1-speculation",
)  # fmt: skip
"""For each detector one with a fault that it is for, in which it names the node; and a control."""

OF_ALL: Final = ("cpu-hog-word-count-1",)

NOT_SWEPT: Final = ("live.", "synthesis.", "ganesha.", "kahuna-", "blimey-")
"""What is looked at while a store grows, and what a tree is learnt of, names no node; what is as
papers describe it names no suspect, and hangs on its thresholds (docs/reference/papers.md)."""

OF_OTHERS: Final = {
    "peers.enough-to-show", "peers.fewest-controls", "peers.most-false", "peers.most-silent",
}  # fmt: skip
"""Of `mprof calibrate`, which sets the thresholds that are swept."""

WHOLE: Final = "a whole number: 15 % of it is one more, or one fewer"

NARROW: Final = {
    "confidence.views": WHOLE,
    "hb-rate.least-completions": "a node of packet-loss-50-pig-1 completed nine containers",
    "hb-delay.window": "the ResourceManager of a small cluster answers a node once a second: in a "
    "window of a minute that was stopped for 20 s every 25 there are few rounds",
    "hb-delay.low-quantile": "half of the nodes of packet-loss-50-pig-1 wait for the lost packets "
    "of one, and a higher quantile names it",
    "bb-profile.unknown": "a share of 0.999 is 0.85 with 15 % less, and every seventh vector of a "
    "healthy node is unknown then",
    "confidence.far": "a node of cpu-hog-word-count-1 is 2.2 times as far as the threshold",
    "comparability.per-bin": "with shorter bins chance decides, as its reason says: in a run of "
    "120 maps a node that is simulated",
    "wb-durations.margin": "a margin above one: 15 % less is below one",
    "islands.same-amount": "a tolerance around one: 15 % less is below one",
    "triage.reducing": "reducers of the job with a large one of four take 55 % of its time",
}
"""Those that may not be moved so far, and why; the list only shrinks."""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Part, ...]:
    folder = tmp_path_factory.mktemp("sweep")
    return parts(list(recordings_for(RECORDINGS, folder)), folder, of_all=OF_ALL)


def test_nothing_else_is_said_where_a_threshold_is_moved_by_15_percent(
    swept: tuple[Part, ...],
) -> None:
    names = list(dict.fromkeys(one.name for part in swept for one in part.thresholds))
    moved = set(of_today(names))
    found = {
        threshold.name: changes
        for part in swept
        for threshold in part.thresholds
        if threshold.name in moved
        if (changes := changes_within(part.witnesses, threshold, SAFE))
    }

    assert {name: said for name, said in found.items() if name not in NARROW} == {}
    assert [name for name in NARROW if name in moved and name not in found] == []
    assert NARROW.keys() <= set(names)


def test_every_number_of_these_packages_is_swept(swept: tuple[Part, ...]) -> None:
    names = {threshold.name for part in swept for threshold in part.thresholds}
    found = {
        value.name
        for package in (mprof.peers, mprof.triage)
        for module in walk_packages(package.__path__, f"{package.__name__}.")
        for value in vars(import_module(module.name)).values()
        if isinstance(value, Threshold)
    }

    assert {name for name in found - names if not name.startswith(NOT_SWEPT)} == OF_OTHERS


def test_the_committed_page_has_the_values_of_today(swept: tuple[Part, ...]) -> None:
    page = (ROOT / "docs" / "reference" / "thresholds-of-nodes.md").read_text(encoding="utf-8")
    rows = [tuple(row.split(" | ")[:2]) for row in page.splitlines() if row.startswith("| ")]
    values = {
        f"| {threshold.name}": _shown(threshold.default, threshold.unit)
        for part in swept
        for threshold in part.thresholds
    }

    assert {name: value for name, value in rows if name != "| threshold"}.items() <= values.items()
    assert [part.name for part in swept if part.name.lower() not in page.lower()] == []


def _shown(value: float, unit: str) -> str:
    return format_bytes(value) if unit.startswith("bytes") else f"{value:.3g}"


def test_the_quick_form_looks_at_recordings_of_the_full_one() -> None:
    assert set(RECORDINGS) <= set(SWEPT)
