"""Folders of recorded runs, and the labels that say what was wrong in them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from builders.stores import store_of

from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError
from mprof.peers.recordings import Label, Recording, recordings_in
from mprof.peers.synthesis.training import experiment_of

NODES = [{"host": f"n{number}", "known_from": "test"} for number in range(1, 4)]
JOB = (
    'Job JOBID="job_1" JOBNAME="x" USER="u" SUBMIT_TIME="1000" .\n'
    'Job JOBID="job_1" FINISH_TIME="2000" JOB_STATUS="SUCCESS" .\n'
)


def read(*paths: Path, scratch: Path) -> tuple[Recording, ...]:
    return recordings_in(paths, scratch=scratch, progress=lambda *_: None)


def test_a_store_a_folder_with_one_and_a_folder_of_both_are_recordings(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    store_of(runs / "a", nodes=NODES)
    store_of(runs / "b" / "store", nodes=NODES)
    (runs / "b" / "label.json").write_text('{"fault": "hog", "node": "n2", "seed": 4}')
    (runs / "notes").mkdir()

    both = read(runs, scratch=tmp_path / "s")
    alone = read(runs / "b", runs / "b", scratch=tmp_path / "t")

    assert [("a", None), ("b", Label("hog", "n2"))] == [(one.name, one.label) for one in both]
    assert ["b"] == [one.name for one in alone]
    assert {"n1", "n2", "n3"} == both[0].hosts


def test_files_that_are_in_no_store_are_imported(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "label.json").write_text('{"fault": null}')
    (run / "workers").write_text("n1\nn2\n")

    (found,) = read(run, scratch=tmp_path / "s")

    assert {"n1", "n2"} == found.hosts
    assert Label(None) == found.label
    assert ["label.json", "workers"] == sorted(each.name for each in run.iterdir())


def test_a_folder_without_anything_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(EvidenceError, match="holds nothing that mprof import reads"):
        read(tmp_path / "empty", scratch=tmp_path / "s")
    with pytest.raises(EvidenceError, match="there is no folder"):
        read(tmp_path / "none", scratch=tmp_path / "s")


@pytest.mark.parametrize(
    "label",
    ["", "{", "[]", '{"node": "n1"}', '{"fault": 3}', '{"fault": " ", "node": "n1"}',
     '{"fault": "hog"}', '{"fault": "hog", "node": null}'],
)  # fmt: skip
def test_a_damaged_label_is_an_error_in_words(tmp_path: Path, label: str) -> None:
    store_of(tmp_path / "a", nodes=NODES)
    (tmp_path / "a" / "label.json").write_text(label)

    with pytest.raises(UnreadableError, match=r"label\.json cannot be read"):
        read(tmp_path / "a", scratch=tmp_path / "s")


def _experiment(tmp_path: Path, **label: str | None) -> tuple[str, ...]:
    store_of(tmp_path / "a", nodes=NODES)
    (tmp_path / "a" / "label.json").write_text(json.dumps(label))
    (found,) = read(tmp_path / "a", scratch=tmp_path / "s")
    statistics = pd.DataFrame(index=pd.Index(sorted(found.hosts), name="host"))
    return experiment_of(found, statistics).classes


def test_the_label_says_of_each_node_what_it_was(tmp_path: Path) -> None:
    classes = _experiment(tmp_path, fault="hog", node="n2")

    assert ("hog: another node", "hog: this node", "hog: another node") == classes


def test_a_fault_of_the_master_is_that_of_every_node(tmp_path: Path) -> None:
    assert ("stop: the master",) * 3 == _experiment(tmp_path, fault="stop", node="master")


def test_without_a_fault_every_node_is_healthy(tmp_path: Path) -> None:
    assert ("none",) * 3 == _experiment(tmp_path, fault=None, node=None)


def test_a_node_that_the_recording_does_not_know_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="names the node n9, which the recording does not know"):
        _experiment(tmp_path, fault="hog", node="n9")
