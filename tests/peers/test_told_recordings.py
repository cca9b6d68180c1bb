"""Recordings that are told badly, of known truth: cut, by wrong clocks, under other names.

The truths were written down before the code that reads such recordings was looked at. Node 4 is the
sick one of a sick cluster; nothing is wrong with node 1, which is told badly.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from builders.told_recordings import Told, address, plain
from triage.test_one_answer import assert_one_answer

from mprof.peers.comparison import Comparison, Look, NodeStanding, Spell
from mprof.peers.findings import NodeFindings, find_sick_nodes
from mprof.peers.tables.clocks import ahead_by_activity, ahead_by_blocks
from mprof.peers.verdict.heard_otherwise import without_false_silence
from mprof.report.nodes import render_text
from mprof.sources import import_files
from mprof.store import Store
from simulation.faults import Fault, slower
from simulation.run import BEGIN_S, Run
from testbed.recording import parts_of

RECORDINGS = Path(__file__).parents[2] / "testbed" / "recordings"

SECONDS = 1500.0
HEALTHY = Run(nodes=10, seconds=SECONDS, jobs=99, interval_s=5, seed=5)
SLOW = replace(HEALTHY, fault=slower(3.0), spells=((0.0, 1.0),))
DEAD = replace(HEALTHY, fault=Fault(down=True), spells=((0.5, 1.0),))
SICK = frozenset({4})
NOBODY = frozenset[int]()
ODD = 1
MIDWAY_S = BEGIN_S + SECONDS / 2
EVERY = frozenset(range(1, 11))


def full(node: int) -> str:
    return f"n{node}.example.org"


def clock(seconds: float, *nodes: int, from_s: float = 0.0) -> dict[int, Callable[[float], float]]:
    """Clocks that are ahead from some time on."""
    return dict.fromkeys(nodes or (ODD,), lambda at_s: seconds if at_s > from_s else 0.0)


def ended(source: str, share: float) -> dict[tuple[str, int], float]:
    return {(source, ODD): share}


ALONE = {"in_metrics": None, "in_logs": None}
METRICS = {"in_history": None, "in_logs": None}
TOLD: dict[str, tuple[Told, frozenset[int]]] = {
    "healthy": (Told(HEALTHY), NOBODY),
    "sick": (Told(SLOW), SICK),
    "dead": (Told(DEAD), SICK),
    # cut
    "the last history is cut": (Told(HEALTHY, history_until=0.5), NOBODY),
    "sick, the last history is cut": (Told(SLOW, history_until=0.5), SICK),
    "a history alone is cut": (Told(HEALTHY, **ALONE, history_until=0.5), NOBODY),
    "dead, histories alone": (Told(DEAD, **ALONE), SICK),
    "dead, metrics alone": (Told(DEAD, **METRICS), SICK),
    "metrics of one node end midway": (Told(HEALTHY, until=ended("metrics", 0.5)), NOBODY),
    "metrics of one node begin midway": (Told(HEALTHY, until=ended("metrics", -0.5)), NOBODY),
    "a log was rotated away": (Told(HEALTHY, until=ended("logs", -0.5)), NOBODY),
    # clocks
    "a clock 3 min ahead": (Told(HEALTHY, ahead_s=clock(180)), NOBODY),
    "a clock 10 min ahead": (Told(HEALTHY, ahead_s=clock(600)), NOBODY),
    "a clock 10 min behind": (Told(HEALTHY, ahead_s=clock(-600)), NOBODY),
    "a clock 8 h ahead": (Told(HEALTHY, ahead_s=clock(28_800)), NOBODY),
    "all clocks of nodes 8 h ahead": (Told(HEALTHY, ahead_s=clock(28_800, *EVERY)), NOBODY),
    "half of the clocks 10 min behind": (
        Told(HEALTHY, ahead_s=clock(-600, 6, 7, 8, 9, 10)), NOBODY,
    ),
    "half of the clocks 1 h ahead": (Told(HEALTHY, ahead_s=clock(3600, 1, 2, 3, 4, 5)), NOBODY),
    "a clock is set 1 h ahead": (Told(HEALTHY, ahead_s=clock(3600, from_s=MIDWAY_S)), NOBODY),
    "a clock is set 10 min ahead": (Told(HEALTHY, ahead_s=clock(600, from_s=MIDWAY_S)), NOBODY),
    "a clock is set 10 min back": (Told(HEALTHY, ahead_s=clock(-600, from_s=MIDWAY_S)), NOBODY),
    "the sick one's clock 10 min ahead": (Told(SLOW, ahead_s=clock(600, 4)), SICK),
    "another one's clock 10 min ahead": (Told(SLOW, ahead_s=clock(600)), SICK),
    "the dead one's clock 10 min ahead": (Told(DEAD, ahead_s=clock(600, 4)), SICK),
    "metrics alone, a clock 10 min ahead": (Told(HEALTHY, **METRICS, ahead_s=clock(600)), NOBODY),
    "metrics alone, a clock 10 min behind": (
        Told(HEALTHY, **METRICS, ahead_s=clock(-600)), NOBODY,
    ),
    # names
    "full names in metrics and list": (Told(SLOW, in_metrics=full, in_list=full), SICK),
    "capitals in the list": (Told(HEALTHY, in_list=lambda node: f"N{node}"), NOBODY),
    "capitals in metrics": (
        Told(SLOW, in_metrics=lambda node: full(node).upper(), in_list=plain), SICK,
    ),
    "addresses in the list": (Told(HEALTHY, in_list=address), NOBODY),
    "addresses in metrics": (Told(SLOW, in_metrics=address), SICK),
    "addresses in metrics and list": (Told(SLOW, in_metrics=address, in_list=address), SICK),
    "ports in the list": (Told(HEALTHY, in_list=lambda node: f"n{node}:45454"), NOBODY),
    "ports in metrics": (Told(SLOW, in_metrics=lambda node: f"n{node}:9100"), SICK),
    "racks before names": (
        Told(SLOW, in_history=lambda node: f"/rack{node % 2}/n{node}", in_list=plain), SICK,
    ),
    "dots behind names": (Told(HEALTHY, in_list=lambda node: f"{full(node)}."), NOBODY),
    "one node has a new name in the list": (
        Told(HEALTHY, in_list=lambda node: "m1" if node == ODD else plain(node)), NOBODY,
    ),
    "full names in logs and histories": (
        Told(SLOW, in_logs=full, in_history=lambda node: f"/r/{full(node)}"), SICK,
    ),
    "names of a cloud": (
        Told(HEALTHY, in_history=lambda node: f"ip-10-0-0-{node}.ec2.internal", in_metrics=address,
             in_logs=lambda node: f"ip-10-0-0-{node}"), NOBODY,
    ),
    "all metrics under one name": (
        Told(HEALTHY, in_metrics=lambda _: "localhost.localdomain"), NOBODY,
    ),
    # all in trouble
    "everything fails": (Told(HEALTHY, **ALONE, fails=EVERY), NOBODY),
    "everything fails, with metrics": (Told(HEALTHY, fails=EVERY), NOBODY),
    "everything fails but on one node": (Told(HEALTHY, **ALONE, fails=EVERY - {ODD}), NOBODY),
    "everything fails on four nodes": (
        Told(HEALTHY, **ALONE, fails=frozenset({2, 4, 6, 8})), frozenset({2, 4, 6, 8}),
    ),
    "everything is killed": (Told(HEALTHY, **ALONE, state="killed"), NOBODY),
}  # fmt: skip

QUICK = (
    "dead, histories alone",
    "metrics of one node end midway",
    "a clock 10 min behind",
    "metrics alone, a clock 10 min behind",
    "ports in metrics",
    "one node has a new name in the list",
    "everything fails on four nodes",
)


Findings = Callable[[str], tuple[NodeFindings, Store]]


@pytest.fixture(scope="module")
def found_in(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """What is found in a recording, which is made and compared once."""

    @cache
    def found(name: str) -> tuple[NodeFindings, Store]:
        folder = tmp_path_factory.mktemp("told")
        store = Store(folder / "store")
        list(import_files(TOLD[name][0].write(folder / "recording"), store))
        return find_sick_nodes(store), store

    return found


def names(found: NodeFindings) -> list[str]:
    return [one.host.partition(".")[0].partition(":")[0] for one in found.suspects]


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[] if one in QUICK else pytest.mark.slow) for one in TOLD]
)
def test_however_it_is_told_the_sick_are_named_once_and_no_other(
    name: str, found_in: Findings
) -> None:
    found, store = found_in(name)

    assert sorted(plain(node) for node in TOLD[name][1]) == sorted(names(found))
    assert_one_answer(store, found)


@pytest.mark.parametrize("name", ["everything fails but on one node", "everything is killed"])
def test_where_nobody_can_be_told_from_the_others_it_is_not_said_that_none_differs(
    name: str, found_in: Findings
) -> None:
    found, _ = found_in(name)

    assert render_text(found).startswith("No ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("metrics of one node end midway", "what collects them may have stopped"),
        ("a clock 10 min behind", "n1: its clock is about 10 min behind, by the blocks"),
        (
            "metrics alone, a clock 10 min behind",
            "n1: its clock is about 10 min behind, by what its",
        ),
        (
            "half of the clocks 10 min behind",
            "its clock and those of 5 others are about 600 s apart, and no clock is that of most",
        ),
        ("one node has a new name in the list", "m1: nothing was ever heard of it, while n1"),
    ],
)
def test_what_was_told_badly_is_said(name: str, said: str, found_in: Findings) -> None:
    found, _ = found_in(name)

    assert said in render_text(found)


def real(name: str, folder: Path) -> Path:
    """A copy of a recording of the testbed, whose files may be changed."""
    copied = folder / "recording"
    for part in parts_of(RECORDINGS / name):
        if part.is_dir():
            shutil.copytree(part, copied / part.name)
        else:
            shutil.copy(part, copied / part.name)
    return copied


def rewritten(file: Path, change: Callable[[bytes], bytes]) -> None:
    """Change what is in a compressed file, which is not compressed any more."""
    file.with_suffix("").write_bytes(change(gzip.decompress(file.read_bytes())))
    file.unlink()


def named_in(recording: Path) -> tuple[list[str], NodeFindings]:
    store = Store(recording.parent / "store")
    list(import_files(sorted(recording.iterdir()), store))
    found = find_sick_nodes(store)
    return [one.host for one in found.suspects], found


def test_a_wrong_clock_hides_no_sick_node_of_the_testbed(tmp_path: Path) -> None:
    """Two of six nodes differ by the times that they give, one of them by nothing else."""
    recording = real("disk-hog-pig-6-speculation", tmp_path)

    def moved(text: bytes) -> bytes:
        rows = [json.loads(line) for line in text.splitlines()]
        return "\n".join(json.dumps({**row, "at_s": row["at_s"] + 180}) for row in rows).encode()

    for file in (recording / "metrics" / "n1").iterdir():
        rewritten(file, moved)

    named, found = named_in(recording)

    assert ["n2"] == named
    assert "n1: its clock is about 3 min ahead" in render_text(found)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_of_histories_of_the_testbed_that_are_cut_the_sick_one_is_named(
    share: float, tmp_path: Path
) -> None:
    recording = real("cpu-hog-word-count-1", tmp_path)
    for file in sorted((recording / "histories").iterdir()):
        rewritten(file, lambda whole: whole[: int(len(whole) * share)])

    named, _ = named_in(recording)

    assert ["n3"] == named


def writes(ahead_s: dict[str, float], *, blocks: int = 40, step_at: int = 0) -> pd.DataFrame:
    """Blocks that three of five nodes write at a time; clocks are ahead from a block on."""
    hosts = ["a", "b", "c", "d", "e"]
    return pd.DataFrame(
        {
            "host": host, "operation": "HDFS_WRITE", "block": f"blk_{block}", "seconds": 5.0,
            "started_s": 60.0 * block + (ahead_s.get(host, 0.0) if block >= step_at else 0.0),
        }
        for block in range(blocks)
        for host in (hosts[block % 5], hosts[(block + 1) % 5], hosts[(block + 2 + block % 2) % 5])
    )  # fmt: skip


@pytest.mark.parametrize("ahead_s", [-7200.0, -90.0, 90.0, 7200.0])
def test_blocks_tell_how_far_a_clock_is_ahead(ahead_s: float) -> None:
    rows = writes({"b": ahead_s})

    told = ahead_by_blocks(rows)

    assert {ahead_s} == set(told[rows["host"] == "b"])
    assert {0.0} == set(told[rows["host"] != "b"])


def test_blocks_tell_when_a_clock_was_set() -> None:
    rows = writes({"b": 600.0}, step_at=20)
    number = rows["block"].str.removeprefix("blk_").astype(int)

    told = ahead_by_blocks(rows)[rows["host"] == "b"]

    assert {600.0} == set(told[number >= 22])
    assert {0.0} == set(told[number < 18])


@pytest.mark.parametrize("ahead_s", [{}, {"b": 20.0}, dict.fromkeys("abcde", 3600.0)])
def test_clocks_that_agree_are_left_alone(ahead_s: dict[str, float]) -> None:
    assert not ahead_by_blocks(writes(ahead_s)).any()


def test_without_a_clock_that_most_nodes_have_nothing_is_known() -> None:
    ahead_s = {host: 1000.0 * number for number, host in enumerate("abcde")}

    assert not ahead_by_blocks(writes(ahead_s)).any()


@pytest.mark.parametrize("ahead_s", [-600.0, 180.0, None])
def test_what_a_node_does_tells_how_far_its_clock_is_ahead(
    ahead_s: float | None, tmp_path: Path
) -> None:
    metrics = Store.at(HEALTHY.record(tmp_path) / "store").read("metrics")
    metrics.loc[metrics["host"] == "n1", "at_s"] += ahead_s or 0.0

    told = ahead_by_activity(metrics, "n1")

    assert told == (ahead_s if ahead_s is None else pytest.approx(ahead_s, abs=5.0))


def silent_look(*hosts: str, begin_s: float = 0.0, end_s: float = 900.0) -> Look:
    spell = Spell("silent", begin_s, end_s, lasts=True)
    nodes = [NodeStanding(host, indicted=True, score=9.0, spells=(spell,)) for host in hosts]
    nodes += [NodeStanding(host, indicted=False, score=0.0) for host in ("x", "y")]
    return Look("metrics", Comparison("bb-window", tuple(nodes)), of="metrics")


def attempts(host: str, *, state: str = "succeeded", until_s: float = 900.0) -> pd.DataFrame:
    starts_s = [at_s for at_s in range(0, 900, 100) if at_s < until_s]
    return pd.DataFrame(
        {"host": host, "state": state, "started_s": float(at_s), "finished_s": at_s + 90.0}
        for at_s in starts_s
    )


@pytest.mark.parametrize(
    ("ran", "named"),
    [
        (attempts("a"), ()),
        # These show no life: what was killed from elsewhere, what failed, what ended long before.
        (attempts("a", state="killed"), ("a",)),
        (attempts("a", state="failed"), ("a",)),
        (attempts("a", until_s=500.0), ("a",)),
        (attempts("b"), ("a",)),
    ],
)
def test_a_silence_is_no_nodes_only_while_attempts_end_well_on_it(
    ran: pd.DataFrame, named: tuple[str, ...]
) -> None:
    (look,) = without_false_silence([silent_look("a")], ran, frozenset())

    assert named == look.comparison.indicted


@pytest.mark.parametrize(
    ("silent", "named"), [(("m",), ()), (("m", "k"), ("m", "k"))], ids=["one", "more than unlisted"]
)
def test_a_listed_name_is_another_ones_only_where_there_are_as_many_strangers(
    silent: tuple[str, ...], named: tuple[str, ...]
) -> None:
    listed = frozenset({"x", "y", *silent})
    ran = pd.concat([attempts("x"), attempts("stranger")])

    (look,) = without_false_silence([silent_look(*silent)], ran, listed)

    assert named == look.comparison.indicted
