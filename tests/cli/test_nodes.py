"""``mprof nodes``: a job, a time, islands, and a store that is followed while it grows."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders.commands import mprof
from builders.metric_nodes import START_S, Cluster, cpu_hog
from builders.stores import store_of
from jsonschema import validate

from mprof.cli.following import follow
from mprof.cli.nodes import nodes
from mprof.errors import MprofError
from mprof.peers.live import Live
from mprof.sources.watch import Watch
from mprof.store import Store

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/nodes.schema.json").read_text())
SICK = "node003"


def attempts(job: str, *, sick: str | None, begin_s: float) -> list[dict[str, Any]]:
    return [
        {
            "job": job, "attempt": f"attempt_{job}_{host}_{number}", "kind": "map",
            "host": f"host-{host}", "started_s": begin_s + 60 * number, "state": "succeeded",
            "finished_s": begin_s + 60 * number
            + (20 + (number * 7 + host) % 5) * (5 if f"host-{host}" == sick else 1),
        }
        for host in range(8)
        for number in range(10)
    ]  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Path:
    rows = attempts("job_1", sick=None, begin_s=1.6e9)
    rows += attempts("job_2", sick="host-4", begin_s=1.6e9 + 86_400)
    return store_of(tmp_path / "store", attempts=rows).folder


@pytest.fixture
def suspects(store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def asked(**options: Any) -> list[str]:
        nodes(store, json=True, **options)
        value = json.loads(capsys.readouterr().out)
        validate(value, SCHEMA)
        return [one["host"] for one in value["suspects"]]

    return asked


def test_the_job_stands_beside_the_store_or_behind_its_option(
    store: Path, suspects: Callable[..., list[str]]
) -> None:
    done = mprof("nodes", store, "job_2")

    assert "  host-4  likely, compute side" in done.stdout
    assert suspects(only="job_1") == []
    assert suspects(only="job_2") == ["host-4"]
    assert suspects(job="job_2") == ["host-4"]


def test_only_what_is_in_the_time_that_is_asked_for_counts(
    suspects: Callable[..., list[str]],
) -> None:
    assert suspects(until="2020-09-14") == []
    assert suspects(since="2020-09-14T00:00:00+00:00") == ["host-4"]
    assert suspects(since="1600080000", until="1600090000") == ["host-4"]


@pytest.mark.parametrize(
    ("asked", "code", "what"),
    [
        ({"since": "tomorrow"}, 2, "--since tomorrow is no moment"),
        ({"since": "nan"}, 2, "--since nan is no moment"),
        ({"since": "200", "until": "100"}, 2, "is not before"),
        ({"since": "2021-01-01"}, 3, "has no node in that time"),
        ({"only": "job_9"}, 3, "has no attempts of job_9"),
        ({"only": "job_1", "job": "job_2"}, 2, "two jobs: job_1 and job_2"),
        ({"follow_": True, "only": "job_1"}, 2, "--follow looks at all jobs"),
        ({"from_": [Path()]}, 2, "--from is for --follow"),
        ({"follow_": True, "from_": [Path("/nowhere/at/all")]}, 3, "there is no /nowhere/at/all"),
    ],
)
def test_what_cannot_be_asked_is_one_line_with_a_next_step(
    asked: dict[str, Any], code: int, what: str, store: Path
) -> None:
    with pytest.raises(MprofError, match=what) as failed:
        nodes(store, **asked)

    assert failed.value.exit_code == code
    assert failed.value.next_step


def test_islands_of_a_file_are_said_and_compared_within(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "islands"
    listed.write_text("".join(f"host-{n}\t{'old' if n < 4 else 'new'}\n" for n in range(8)))

    nodes(store, islands=listed)

    said = capsys.readouterr().out
    assert "nodes were compared within the islands of the list only" in said
    assert "  old: host-0, host-1, host-2, host-3" in said
    assert "attempts of job_2, new, " in said


def collected(folder: Path, metrics: pd.DataFrame) -> None:
    """The files that `mprof collect` writes, one a node, as they are after so much time."""
    for host, rows in metrics.groupby("host"):
        (folder / str(host)).mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(row) for row in rows.to_dict("records"))
        (folder / str(host) / "metrics.jsonl").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def metrics() -> pd.DataFrame:
    """Five nodes for 40 minutes, one of which has a hog from the 15th on."""
    cluster = Cluster(
        nodes=5, seconds=2400, interval_s=4.0, faults={3: cpu_hog}, fault_from_s=900.0
    )
    return cluster.table().astype({"at_s": float})


def followed(tmp_path: Path, metrics: pd.DataFrame, *, as_json: bool) -> None:
    """Follow files that grow by five minutes between two looks, until they are whole."""
    logs = tmp_path / "collected"
    minutes = iter(range(5, 45, 5))

    def grow() -> None:
        until = next(minutes, None)
        if until is None:
            raise KeyboardInterrupt
        collected(logs, metrics[metrics["at_s"] < START_S + 60 * until])

    grow()
    store = Store(tmp_path / "store")
    with pytest.raises(KeyboardInterrupt):
        follow(Live(store), Watch([logs], store), json=as_json, wait=grow)


def test_followed_files_that_grow_give_a_line_when_a_suspect_appears(
    metrics: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    followed(tmp_path, metrics, as_json=False)

    lines = capsys.readouterr().out.splitlines()
    assert all(SICK in line for line in lines)
    assert f"  {SICK} appears: possible, compute side  since " in lines[0]
    assert len(lines) <= 2


def test_with_json_each_change_is_an_object_of_the_schema(
    metrics: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    followed(tmp_path, metrics, as_json=True)

    values = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for value in values:
        validate(value, {"$ref": "#/$defs/change", "$defs": SCHEMA["$defs"]})
    assert [value["suspect"]["host"] for value in values if value["change"] == "appears"] == [SICK]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_130_and_nothing_is_lost(
    number: signal.Signals, metrics: pd.DataFrame, tmp_path: Path
) -> None:
    collected(tmp_path / "logs", metrics)
    words = [tmp_path / "store", "--follow", "--from", tmp_path / "logs", "--json"]
    command = [sys.executable, "-m", "mprof", "nodes", *map(str, words)]

    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())  # waits until there is one
        process.send_signal(number)
        _, said = process.communicate(timeout=300)

    assert (first["change"], first["suspect"]["host"]) == ("appears", SICK)
    assert process.returncode == 130
    assert said.splitlines() == ["mprof: interrupted"]
    assert len(Store.at(tmp_path / "store").sources()) == 5
