"""Rumen traces: every job and attempt once, and one damaged object costs no other."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders.shared_data import SHARED_DATA, needs_shared_data
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.sources import reader_of
from mprof.sources.reader import Losses, head_of

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def _read(path: Path) -> tuple[dict[str, pd.DataFrame], Losses]:
    reader = reader_of(path, head_of(path))
    assert reader is not None
    losses = Losses()
    parts: dict[str, list[pd.DataFrame]] = {}
    for table, part in reader.read(path, losses):
        parts.setdefault(table, []).append(part.to_pandas())
    return {table: pd.concat(each) for table, each in parts.items()}, losses


def _attempt(number: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "attemptID": f"attempt_1_0001_m_{number:06}_0", "hostName": "/10\\.0\\.0\\.1/a\\.example",
        "result": "SUCCESS", "startTime": 1_297_765_944_292, "finishTime": 1_297_765_946_641,
        "shuffleFinished": -1, "sortFinished": -1, "hdfsBytesRead": 100, "fileBytesRead": 11,
        "hdfsBytesWritten": -1, "fileBytesWritten": 7, "clockSplits": list(range(12)),
    } | fields  # fmt: skip


def _job(number: int = 1, attempts: Any = (), **fields: Any) -> dict[str, Any]:
    task = {"taskID": "t", "taskType": "MAP", "attempts": list(attempts)}
    return {
        "priority": "NORMAL", "jobID": f"job_1_{number:04}", "user": "u", "jobName": "j",
        "submitTime": 1_297_765_944_000, "outcome": "SUCCESS", "totalMaps": 1, "totalReduces": 0,
        "mapTasks": [task], "reduceTasks": [], "otherTasks": [],
    } | fields  # fmt: skip


def test_an_attempt_without_an_id_is_a_loss(tmp_path: Path) -> None:
    attempts = [_attempt(0), _attempt(1, attemptID=None)]

    tables, losses = _read(_trace(tmp_path, _job(attempts=attempts)))

    assert ["attempt_1_0001_m_000000_0"] == [*tables["attempts"]["attempt"]]
    assert (1, True) == (losses.count, "no id" in str(losses.first))


def _trace(folder: Path, *jobs: Any, indent: int | None = None) -> Path:
    path = folder / "trace.json"
    path.write_text("\n".join(json.dumps(each, indent=indent) for each in jobs))
    return path


def test_an_attempt_is_read_with_its_units(tmp_path: Path) -> None:
    tables, losses = _read(_trace(tmp_path, _job(attempts=[_attempt()])))
    (row,) = tables["attempts"].to_dict("records")

    assert ("a.example", "10.0.0.1", "map", "succeeded") == (
        row["host"], row["rack"], row["kind"], row["state"],
    )  # fmt: skip
    assert (1_297_765_944.292, 1_297_765_946.641) == (row["started_s"], row["finished_s"])
    assert pd.isna(row["shuffled_s"])
    assert (111, 7) == (row["read_bytes"], row["written_bytes"])
    assert [float(each) for each in range(12)] == list(row["slices_ms"])
    # -1 stands for what was not recorded, and is no counter
    assert {"hdfsBytesRead": 100, "fileBytesRead": 11, "fileBytesWritten": 7} == json.loads(
        row["counters"]
    )
    assert 0 == losses.count


@pytest.mark.parametrize("indent", [None, 2])
def test_a_text_that_looks_like_a_border_between_jobs_is_none(
    tmp_path: Path, indent: int | None
) -> None:
    jobs = [_job(1, jobName='} {"a": "}{'), _job(2, jobName='\\" } { \u2028 ü')]
    tables, losses = _read(_trace(tmp_path, *jobs, indent=indent))

    assert [job["jobName"] for job in jobs] == tables["jobs"]["name"].tolist()
    assert 0 == losses.count


def test_a_damaged_job_costs_no_other(tmp_path: Path) -> None:
    texts = [json.dumps(_job(number, [_attempt()])) for number in range(1, 5)]
    texts[1] = texts[1].replace('"user":', '"user"', 1)
    path = tmp_path / "trace.json"
    path.write_text("\n".join(texts))

    tables, losses = _read(path)

    assert ["job_1_0001", "job_1_0003", "job_1_0004"] == tables["jobs"]["job"].tolist()
    assert (1, True) == (losses.count, "job_1_0002" in str(losses.first))


def test_a_trace_that_is_cut_off_gives_the_jobs_before(tmp_path: Path) -> None:
    path = _trace(tmp_path, _job(1), _job(2), _job(3))
    path.write_text(path.read_text()[:-40])

    tables, losses = _read(path)

    assert ["job_1_0001", "job_1_0002"] == tables["jobs"]["job"].tolist()
    assert 1 == losses.count
    assert "cut off" in str(losses.first)


def test_a_job_longer_than_a_piece_is_read(tmp_path: Path) -> None:
    many = [_attempt(number, error="ü" * 100) for number in range(5_000)]
    path = _trace(tmp_path, _job(1, many), _job(2), indent=1)
    assert path.stat().st_size > 3 << 20

    tables, losses = _read(path)

    assert (5_000, 2, 0) == (len(tables["attempts"]), len(tables["jobs"]), losses.count)


@given(
    fields=st.dictionaries(st.sampled_from(sorted(_job())), ANY_JSON, max_size=3),
    of_attempt=st.dictionaries(st.sampled_from(sorted(_attempt())), ANY_JSON, max_size=4),
)
@settings(max_examples=150, deadline=None)
def test_fields_of_any_type_are_unknown_or_a_loss_and_never_an_error(
    fields: dict[str, Any], of_attempt: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    job = _job(1, [_attempt(**of_attempt)]) | fields
    path = _trace(tmp_path_factory.mktemp("trace"), job, _job(2))

    tables, losses = _read(path)

    assert len(tables["jobs"]) + losses.count >= 2
    assert "job_1_0002" in tables["jobs"]["job"].tolist()


def test_the_leaves_of_a_topology_are_nodes_whatever_stands_above_them(tmp_path: Path) -> None:
    rack = {"name": "r1", "children": [{"name": "a\\.b", "children": None}]}
    deep = {"name": "dc", "children": [{"name": "r2", "children": [{"name": "c"}, 7]}]}
    path = tmp_path / "topology.json"
    path.write_text(json.dumps({"name": "<root>", "children": [rack, deep]}))

    tables, losses = _read(path)

    assert [("a.b", "r1"), ("c", "r2")] == list(
        tables["nodes"][["host", "rack"]].itertuples(index=False, name=None)
    )
    assert 1 == losses.count


@needs_shared_data
@pytest.mark.parametrize("folder", ["gridmix", "mumak"])
def test_the_traces_give_what_the_json_of_the_standard_library_counts(folder: str) -> None:
    for path in sorted((SHARED_DATA / "jobtraces" / folder).glob("*trace*.json.gz")):
        text, at, jobs = gzip.decompress(path.read_bytes()).decode().strip(), 0, []
        while at < len(text):
            job, at = json.JSONDecoder().raw_decode(text, at)
            jobs.append(job)
            at = re.compile(r"\s*").match(text, at).end()
        attempts = [
            (task["taskType"].lower(), one["result"].lower().replace("success", "succeeded"),
             one["startTime"] / 1000)
            for job in jobs
            for kind in ("mapTasks", "reduceTasks", "otherTasks")
            for task in job[kind]
            for one in task["attempts"]
        ]  # fmt: skip

        tables, losses = _read(path)
        read = tables["attempts"][["kind", "state", "started_s"]].itertuples(index=False, name=None)

        assert 0 == losses.count
        assert [job["jobID"] for job in jobs] == tables["jobs"]["job"].tolist()
        assert [one for one in attempts if one[2] > 0] == [one for one in read if one[2] > 0]


@needs_shared_data
def test_the_attempts_of_mumak_end_as_its_readme_counts_them() -> None:
    tables, _ = _read(SHARED_DATA / "jobtraces" / "mumak" / "19-jobs.trace.json.gz")
    ends = Counter(tables["attempts"][["kind", "state"]].itertuples(index=False, name=None))

    assert {
        ("map", "succeeded"): 5650, ("map", "failed"): 3345, ("map", "killed"): 621,
        ("reduce", "succeeded"): 2754, ("reduce", "failed"): 151, ("reduce", "killed"): 475,
    } == {key: count for key, count in ends.items() if key[0] in {"map", "reduce"}}  # fmt: skip
    # The trace writes /rack/host where an attempt succeeded and the bare host where it did not:
    # 2,986 texts, but 1,536 machines, all of them in the topology.
    hosts = set(tables["attempts"]["host"])
    topology, _ = _read(SHARED_DATA / "jobtraces" / "mumak" / "19-jobs.topology.json.gz")
    assert (1_536, set()) == (len(hosts), hosts - set(topology["nodes"]["host"]))
