"""Recordings as values: what had been written at a moment, and what a fault cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders.stores import store_of

from testbed.moment import as_it_was
from testbed.recorded import Recorded, slowdowns


def _attempt(name: str, kind: str | None, started_s: float, finished_s: float) -> dict[str, object]:
    job = name.partition(" ")[0]
    return {
        "job": job, "attempt": name, "kind": kind, "host": "a", "state": "succeeded",
        "started_s": started_s, "finished_s": finished_s,
    }  # fmt: skip


def _recorded(
    folder: Path, *, fault: str | None, name: str = "r", workload: str = "sort", **tables: object
) -> Recorded:
    return Recorded(
        name=name, fault=fault, node="a" if fault else None, workload=workload, speculation=False,
        from_s=100.0, until_s=200.0, first_job_s=None, slaves=("a", "b"),
        store=store_of(folder / name, **tables),  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_history_is_not_there_before_its_job_has_ended(tmp_path: Path) -> None:
    one = _recorded(
        tmp_path,
        fault=None,
        jobs=[{"job": "j1", "finished_s": 130.0}, {"job": "j2", "finished_s": 180.0}],
        attempts=[
            _attempt("j1 m", "map", 100.0, 110.0),
            _attempt("j2 m", "map", 135.0, 145.0),
        ],
    )

    def seen(at_s: float) -> list[str]:
        then = as_it_was(one, at_s, tmp_path / f"at-{at_s}")
        return [str(each) for each in then.read("attempts")["attempt"]]

    assert [] == seen(129.0)
    assert ["j1 m"] == seen(150.0)
    assert ["j1 m", "j2 m"] == seen(180.0)


def test_a_container_that_has_not_ended_yet_is_running(tmp_path: Path) -> None:
    one = _recorded(
        tmp_path,
        fault=None,
        attempts=[
            _attempt("c1", None, 100.0, 110.0),
            _attempt("c2", None, 105.0, 125.0),
            _attempt("c3", None, 121.0, 130.0),
        ],
    )

    seen = as_it_was(one, 120.0, tmp_path / "then").read(
        "attempts", columns=["attempt", "state", "finished_s"]
    )

    assert ["c1", "c2"] == seen["attempt"].tolist()
    assert ["succeeded", "running"] == seen["state"].tolist()
    assert [False, True] == seen["finished_s"].isna().tolist()


def test_a_transfer_is_written_when_it_ends_and_a_sample_when_it_is_taken(tmp_path: Path) -> None:
    one = _recorded(
        tmp_path,
        fault=None,
        transfers=[
            {"host": "a", "operation": "HDFS_WRITE", "started_s": 100.0, "seconds": 30.0},
            {"host": "a", "operation": "HDFS_WRITE", "started_s": 100.0, "seconds": 10.0},
        ],
        metrics=[{"host": "a", "at_s": 119.0}, {"host": "a", "at_s": 121.0}],
        nodes=[{"host": "a"}, {"host": "b"}],
    )
    then = as_it_was(one, 120.0, tmp_path / "then")

    assert [10.0] == then.read("transfers")["seconds"].tolist()
    assert [119.0] == then.read("metrics")["at_s"].tolist()
    assert ["a", "b"] == then.read("nodes")["host"].tolist()


def test_a_fault_costs_what_the_nearest_control_of_its_workload_completes_in_as_long(
    tmp_path: Path,
) -> None:
    def of(
        name: str, fault: str | None, ended: int, at_s: float, workload: str = "sort"
    ) -> Recorded:
        inside = [_attempt(f"j m{n}", "map", at_s - 10, at_s + 1 + n) for n in range(ended)]
        before = [
            _attempt("j b", "map", at_s - 10, at_s - 1),
            _attempt("j late", "map", at_s - 10, at_s + 101),
        ]
        found = _recorded(
            tmp_path, fault=fault, name=name, workload=workload, attempts=[*inside, *before]
        )
        return replace(found, from_s=at_s, until_s=at_s + 100)

    found = slowdowns(
        [
            of("sick", "cpu-hog", 20, at_s=1000),
            of("healthy", None, 40, at_s=1200),
            of("healthy, of another day", None, 50, at_s=9000),
            of("other", None, 90, at_s=1000, workload="pig"),
            of("stuck", "map-hang", 0, at_s=1000),
        ]
    )

    assert 100.0 == found["sick"].percent  # 40 of the control in the time of 20
    assert 50 == found["healthy"].of_control
    assert None is found["other"].percent
    assert None is found["stuck"].percent
