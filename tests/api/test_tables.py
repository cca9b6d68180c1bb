"""The tables: their columns on every input, and their values beside the files of recorded cases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from api.recorded import CASES, EVIDENCE, attempts, diagnosed, history_ids, slots
from builders.hprof_builder import Builder

import mprof
from mprof import tables

Table = Callable[[mprof.Diagnosed], pd.DataFrame]
TABLES: list[Table] = [getattr(tables, name) for name in tables.__all__]
EVERY_TABLE = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)

MAP, GROUP, SHUFFLE = "in-mem-word-count", "reduce-merge", "shuffle-in-memory"
ONE_KEY = "coverage/hot-key-among-many"
THREE = pytest.mark.parametrize("slug", [MAP, GROUP, SHUFFLE])


def of(slug: str) -> mprof.Diagnosed:
    return diagnosed(CASES / slug / "evidence")


def documented(table: Table) -> dict[str, str]:
    """Column to dtype, as the table in the docstring says."""
    lines = (table.__doc__ or "").splitlines()
    rules = [number for number, line in enumerate(lines) if line.strip().startswith("====")]
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines[rules[1] + 1 : rules[2]]]
    names = {
        row[0]: row[1] for row, line in zip(rows, lines[rules[1] + 1 :], strict=False)
        if not line.startswith(" " * 8)
    }  # fmt: skip
    return {name: "datetime64[ms, UTC]" if d == "datetime" else d for name, d in names.items()}


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


# --- columns ------------------------------------------------------------------------------------


@pytest.mark.parametrize("evidence", EVIDENCE, ids=lambda path: path.parent.name)
def test_every_table_of_every_recorded_case_has_the_documented_columns(evidence: Path) -> None:
    frames = {table: table(diagnosed(evidence)) for table in TABLES}
    assert {t: documented(t) for t in TABLES} == {t: dtypes(f) for t, f in frames.items()}


def test_there_are_cases_enough_and_each_table_has_rows_in_one() -> None:
    assert len(EVIDENCE) >= 46
    filled = {table for slug in (MAP, GROUP) for table in TABLES if len(table(of(slug)))}
    assert filled == set(TABLES)


@EVERY_TABLE
def test_of_a_lone_heap_dump_the_tables_are_empty_with_the_same_dtypes(
    table: Table, tmp_path: Path
) -> None:
    dump = tmp_path / "java_pid1.hprof"
    dump.write_bytes(Builder().build())
    frame = table(mprof.diagnose(dump))
    assert frame.empty
    assert documented(table) == dtypes(frame)


@EVERY_TABLE
def test_of_a_history_file_alone_there_are_attempts_and_nothing_else(table: Table) -> None:
    history = next((CASES / GROUP / "evidence").rglob("*.jhist"))
    frame = table(mprof.diagnose(history))
    assert frame.empty == (table is not tables.attempts)
    assert documented(table) == dtypes(frame)


@EVERY_TABLE
def test_a_vocabulary_does_not_depend_on_the_rows(table: Table) -> None:
    one, other = table(of(MAP)), table(of(GROUP))
    assert one.dtypes.to_dict() == other.dtypes.to_dict()


def test_of_a_job_that_finished_no_attempt_died_and_nothing_held_the_heap() -> None:
    finished = diagnosed(CASES / "controls" / "sort" / "evidence")
    frame = tables.attempts(finished)
    assert {"none"} == set(frame["death"])
    assert {"SUCCEEDED"} == set(frame["state"])
    assert frame["live_bytes_at_death"].isna().all()
    assert tables.holders(finished).empty
    assert tables.curves(finished).empty


# --- attempts -----------------------------------------------------------------------------------


@THREE
def test_every_attempt_of_the_files_and_of_the_history_is_listed_once(slug: str) -> None:
    frame = tables.attempts(of(slug))
    expected = history_ids(slug) | {(one.run, one.id) for one in attempts(slug)}
    listed = list(zip(frame["run"], frame["attempt_id"], strict=True))
    assert sorted(expected) == listed


@THREE
def test_an_attempt_stood_where_its_position_file_says(slug: str) -> None:
    frame = tables.attempts(of(slug)).set_index("attempt_id")
    for one in attempts(slug):
        row = frame.loc[one.id]
        attach = one.of("attach")[0]
        assert (one.run, one.mode, one.index) == (row["run"], row["mode"], row["index"])
        assert one.is_map == (row["task_type"] == "map")
        assert attach["heap_max"] == row["max_heap_bytes"]
        assert attach["mode"] == row["agent_mode"]
        for name, value in slots(one).items():
            assert pd.isna(row[name]) if value is None else value == row[name], name
        of_death = [each for name, each in one.snapshots.items() if name.startswith("oom-")]
        expected = [each["live_bytes"] for each in of_death] or [pd.NA]
        assert str(expected[0]) == str(row["live_bytes_at_death"])
        assert len(one.snapshots) == row["dumps"]


@THREE
def test_one_attempt_is_the_one_that_the_diagnosis_is_about(slug: str) -> None:
    frame = tables.attempts(of(slug))
    own = frame[frame["diagnosed"]]
    assert [of(slug).evidence.attempt.attempt_id] == own["attempt_id"].tolist()
    assert ["heap"] == own["death"].tolist()
    assert own["start"].notna().all()


def test_without_an_agent_the_records_are_those_of_the_counters() -> None:
    # the agent counted the same attempts: the two sources do not know of each other
    history = next((CASES / GROUP / "evidence" / "runs" / "001").rglob("*.jhist"))
    alone = tables.attempts(mprof.diagnose(history)).set_index("attempt_id")
    counted = [one for one in attempts(GROUP) if one.run == 1 and one.finished]
    assert {"map", "reduce"} == {str(alone.loc[one.id]["task_type"]) for one in counted}
    for one in counted:
        row = alone.loc[one.id]
        assert slots(one)["records_in"] == row["records_in"]
        assert slots(one)["records_out"] == row["records_out"]
        assert pd.isna(row["bytes_in"])
    assert alone[alone["state"] == "FAILED"]["records_in"].isna().all()
    assert alone["run"].isna().all()


def test_a_share_of_the_input_is_what_the_record_reader_said() -> None:
    frame = tables.attempts(of(MAP)).set_index("attempt_id")
    for one in attempts(MAP):
        if one.is_map:
            told = one.events[-1]["at"]["progress_ppm"] / 1e6
            assert told == pytest.approx(frame.loc[one.id]["progress"], rel=0.01)


def test_an_attempt_that_never_had_a_container_has_no_host_and_no_times() -> None:
    frame = tables.attempts(of(MAP))
    killed = frame[frame["state"] == "KILLED"]
    assert {"reduce"} == set(killed["task_type"])
    assert killed[["host", "start", "records_in", "agent_mode", "phase"]].isna().all(axis=None)
    assert frame[frame["task_type"] == "map"]["host"].notna().all()


# --- the data flow ------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", [GROUP, SHUFFLE])
def test_a_partition_is_the_sum_over_the_outputs_of_the_map_tasks(slug: str) -> None:
    frame = tables.partitions(of(slug))
    expected = []
    for run in (1, 2):
        outputs = [
            one.of("map_output")[-1]["partitions"]
            for one in attempts(slug)
            if one.run == run and one.is_map and one.finished
        ]
        for name, column in (("records", "records"), ("keys", "keys"), ("raw_bytes", "bytes")):
            sums = np.sum([output[name] for output in outputs], axis=0)
            assert sums.tolist() == frame[frame["run"] == run][column].tolist()
        most = np.max([output["keys"] for output in outputs], axis=0)
        assert most.tolist() == frame[frame["run"] == run]["keys_in_one_map"].tolist()
        expected += [len(outputs)] * len(most)
    assert expected == frame["maps"].tolist()
    assert frame["complete"].all()


def test_the_largest_key_of_a_partition_has_at_least_what_map_tasks_tell_of_it() -> None:
    frame = tables.partitions(of(ONE_KEY))
    first = frame[frame["run"] == 1]
    outputs = [
        one.of("map_output")[-1]["partitions"]
        for one in attempts(ONE_KEY)
        if one.run == 1 and one.is_map and one.finished
    ]
    for name in ("largest_key_records", "largest_key_bytes"):
        for index, total in enumerate(first[name]):
            told: dict[str, int] = {}
            for output in outputs:
                digest = output["largest_key_digest"][index]
                told[digest] = told.get(digest, 0) + output[name][index]
            assert total in told.values()
            if name == "largest_key_bytes":
                assert total == max(told.values())
    (own,) = np.flatnonzero(first["diagnosed"])
    hot = first.iloc[own]
    assert 0.9 * hot["records"] < hot["largest_key_records"] < hot["records"]


@pytest.mark.parametrize("slug", [GROUP, SHUFFLE])
def test_the_diagnosed_partition_is_that_of_the_diagnosed_reducer(slug: str) -> None:
    frame = tables.partitions(of(slug))
    own = str(of(slug).evidence.attempt.attempt_id).split("_")[-2]
    assert {int(own)} == set(frame[frame["diagnosed"]]["partition"])


@pytest.mark.parametrize("slug", [GROUP, SHUFFLE])
def test_a_segment_is_what_a_reducer_fetched_and_what_its_map_task_left(slug: str) -> None:
    every = {one.id: one for one in attempts(slug)}
    frame = tables.segments(of(slug))
    fetched = Counter(
        (one.id, event["map"], event["raw_bytes"], event["compressed_bytes"], event["to"])
        for one in every.values()
        if one.id in set(frame["reduce_attempt"])
        for event in one.of("fetch")
        if event["edge"] == "done"
    )
    columns = ["reduce_attempt", "map_attempt", "bytes", "compressed_bytes", "to"]
    assert fetched == Counter(frame[columns].itertuples(index=False, name=None))
    for row in frame.itertuples():
        left = every[str(row.map_attempt)].of("map_output")[-1]["partitions"]
        expected = (left["records"][row.partition], left["keys"][row.partition])
        assert expected == (row.records, row.keys)
        assert left["raw_bytes"][row.partition] == row.bytes
        assert every[str(row.map_attempt)].index == row.map_index


def test_of_each_reduce_task_of_a_run_one_attempt_counts_for_its_segments() -> None:
    frame = tables.segments(of(SHUFFLE))
    attempts_of = frame.groupby(["run", "partition"])["reduce_attempt"].nunique()
    assert {1} == set(attempts_of)


def test_the_groups_are_those_of_the_last_event_and_the_open_one_stands_last() -> None:
    frame = tables.groups(of(GROUP))
    for one in attempts(GROUP):
        events = [event for event in one.of("groups") if event["scope"] == "reduce"]
        rows = frame[(frame["attempt_id"] == one.id) & (frame["scope"] == "reduce")]
        if not events:
            assert rows.empty
            continue
        last = events[-1]
        finished = {
            (each["group"], each["records"], each["bytes"], each["digest"])
            for each in (*last.get("largest_by_records", ()), *last.get("largest_by_bytes", ()))
        }
        columns = ["group", "records", "bytes", "digest"]
        closed = rows[~rows["open"]][columns].itertuples(index=False, name=None)
        assert sorted(finished) == list(closed)
        current = [last["current"]["group"]] if "current" in last else []
        assert current == rows[rows["open"]]["group"].tolist()
        assert not current or rows["open"].iloc[-1]


def test_the_sizes_of_groups_add_up_to_the_groups_and_their_records() -> None:
    frame = tables.group_sizes(of(GROUP))
    totals = 0
    for one in attempts(GROUP):
        for last in one.of("groups")[-1:]:
            for measure in ("records", "bytes"):
                rows = frame[(frame["attempt_id"] == one.id) & (frame["measure"] == measure)]
                assert last["count"] == rows["groups"].sum()
                total = float((rows["size"] * rows["groups"]).sum())
                assert total == pytest.approx(last[measure]["sum"], rel=0.01)
                if last["count"]:
                    assert rows["size"].max() == pytest.approx(last[measure]["max"], rel=0.01)
                totals += len(rows)
    assert totals == len(frame) > 0


# --- the heap -----------------------------------------------------------------------------------


@THREE
def test_the_holders_are_those_of_the_snapshot_files(slug: str) -> None:
    expected = Counter(
        (one.run, one.id, name, each["class_name"], each["bytes"], each["owner"],
         each["field_path"], (each["site"] or {}).get("method"))
        for one in attempts(slug)
        for name, snapshot in one.snapshots.items()
        for each in snapshot["holders"]
    )  # fmt: skip
    columns = ["run", "attempt_id", "dump", "class_name", "bytes", "owner", "path", "site_method"]
    frame = tables.holders(of(slug))[columns]
    listed = frame.astype(object).where(frame.notna(), None)
    assert expected == Counter(listed.itertuples(index=False, name=None))


def test_the_report_lists_the_large_holders_of_one_dump() -> None:
    frame = tables.holders(of(MAP))
    listed = frame[frame["report_owner"].notna()]
    assert 1 == listed["dump"].nunique()
    assert listed["at_death"].all()
    assert listed["diagnosed"].all()
    large = frame[(frame["dump"] == listed["dump"].iloc[0]) & (frame["bytes"] >= 1 << 20)]
    assert set(large["holder"]) <= set(listed["holder"])


def test_external_data_has_another_owner_in_the_report() -> None:
    frame = tables.holders(of("hash-join"))
    external = frame[frame["report_owner"] == "external"]
    assert {"user"} == set(external["owner"])


def test_the_growth_of_a_holder_is_its_size_in_each_snapshot() -> None:
    # snapshot-probe-before_record-N.json: x, the records taken in before it, is N - 1
    expected = {}
    died = next(one for one in attempts(MAP) if one.mode == "profile" and one.is_map)
    for name, snapshot in died.snapshots.items():
        paths = {each["field_path"]: each["bytes"] for each in snapshot["holders"]}
        held = [size for path, size in paths.items() if path.endswith(".counts")]
        ordinal = name.partition("before_record-")[2]
        x = int(ordinal) - 1 if ordinal else slots(died)["records_in"]
        expected[x] = held[0] if held else 0
    frame = tables.growth(of(MAP))
    series = frame[frame["holder"].str.endswith("CountingMapper.counts").fillna(value=False)]
    assert expected == dict(zip(series["x"], series["bytes"], strict=True))
    assert [False] * (len(series) - 1) + [True] == series["at_death"].tolist()
    assert {"dump"} == set(series["source"])
    assert not series["upper_bound"].any()


def test_a_curve_is_the_line_that_numpy_fits_through_the_same_points() -> None:
    frame, curve = tables.growth(of(MAP)), tables.curves(of(MAP)).iloc[0]
    # the size at death lies on the law, so that it counts too
    points = frame[frame["holder"] == curve["holder"]]
    x, y = points["x"].to_numpy(float), points["bytes"].to_numpy(float)
    slope, start = np.polyfit(x, y, 1)
    residual = float(np.sum((y - slope * x - start) ** 2))
    assert curve["coefficient"] == pytest.approx(slope)
    assert curve["r_squared"] == pytest.approx(1 - residual / float(np.sum((y - y.mean()) ** 2)))
    assert ("linear", int((~points["at_death"]).sum())) == (curve["shape"], curve["points"])


def test_what_a_reduce_task_accumulates_over_a_group_is_measured_inside_that_group() -> None:
    frame = tables.growth(of(GROUP))
    inside = frame[(frame["lifecycle"] == "group") & (frame["source"] == "dump")]
    own = of(GROUP).evidence.attempt.attempt_id
    position = next(slots(one) for one in attempts(GROUP) if one.id == own)
    assert {"record_in_group"} == set(inside["unit"])
    assert {position["group"]} == set(inside["group"])
