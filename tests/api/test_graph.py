"""The graph of holder paths, beside the snapshots it is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from api.recorded import CASES, EVIDENCE, attempts, diagnosed
from builders.hprof_builder import Builder
from builders.keys import field_key
from builders.snapshots import MIB, holding, snapshot

import mprof
from mprof.code_site import CodeSite
from mprof.diagnosis import diagnose_runs
from mprof.evidence import known
from mprof.job_run import JobRun
from mprof.objects import Holder, HolderKey, PathStep

MAP, GROUP = "in-mem-word-count", "reduce-merge"


def of(*holders: Holder) -> nx.DiGraph:
    """The graph of a lone dump at death with these holders."""
    dump = snapshot("oom", holders, at_death=True)
    run = JobRun(job_id=None, mode="none", snapshots={"": (dump,)})
    return mprof.holder_graph(diagnose_runs([run]))


def path(*steps: tuple[str, str], to: int) -> dict[str, Any]:
    names = [name for name, _ in steps]
    return {
        "path": tuple(PathStep(*step) for step in steps),
        "field_path": ".".join(names[: to + 1]),
        "class_name": steps[to][1],
        "thread": "main",
    }


def key(name: str) -> HolderKey:
    return field_key("com.example.Job", name)


def point(graph: nx.DiGraph, name: str) -> str:
    """The accumulation point of a holder."""
    wanted = str(key(name))
    (found,) = [node for node, data in graph.nodes(data=True) if data.get("holder") == wanted]
    return str(found)


def edges_to(graph: nx.DiGraph, node: str) -> list[str]:
    """Names of the edges from the top down to a node: every node has one holder at most."""
    names: list[str] = []
    while above := list(graph.predecessors(node)):
        assert len(above) == 1
        names.insert(0, graph.edges[above[0], node]["name"])
        node = above[0]
    return names


# --- beside recorded snapshots ------------------------------------------------------------------


@pytest.mark.parametrize("slug", [MAP, GROUP, "graph-partitioner"])
def test_each_holder_of_the_dump_at_death_is_one_accumulation_point(slug: str) -> None:
    case = diagnosed(CASES / slug / "evidence")
    own = next(one for one in attempts(slug) if one.id == case.evidence.attempt.attempt_id)
    (dump,) = [each for each in own.snapshots.values() if each["point"]["at_death"]]
    graph = mprof.holder_graph(case)
    points = [data for _, data in graph.nodes(data=True) if "holder" in data]
    expected = Counter((h["class_name"], h["bytes"], h["lifecycle"]) for h in dump["holders"])
    assert expected == Counter((p["class_name"], p["bytes"], p["lifecycle"]) for p in points)
    assert sum(h["bytes"] for h in dump["holders"]) == sum(p["bytes"] for p in points)


@pytest.mark.parametrize("slug", [MAP, GROUP, "graph-partitioner"])
def test_the_edges_are_the_steps_of_the_paths_and_no_others(slug: str) -> None:
    # brute force: every way from the top to the bottom of the graph is a path of the file
    case = diagnosed(CASES / slug / "evidence")
    own = next(one for one in attempts(slug) if one.id == case.evidence.attempt.attempt_id)
    (dump,) = [each for each in own.snapshots.values() if each["point"]["at_death"]]
    graph = mprof.holder_graph(case)
    ways = set()
    for leaf in (node for node in graph if not graph.out_degree(node)):
        nodes = [leaf, *nx.ancestors(graph, leaf)]
        classes = [
            graph.nodes[n]["class_name"]
            for n in reversed(nodes)
            if graph.nodes[n]["kind"] == "object"
        ]
        ways.add((tuple(edges_to(graph, leaf)), frozenset(classes)))
    expected = set()
    for holder in dump["holders"]:
        names = [step["name"] for step in holder["path"]]
        if holder["site"]:
            names.insert(0, "frame")
        elif holder["path"][0]["name"] == holder["path"][0]["class_name"]:
            names[0] = "this"
        expected.add((tuple(names), frozenset(step["class_name"] for step in holder["path"])))
    assert expected == ways


@pytest.mark.parametrize("evidence", EVIDENCE, ids=lambda one: one.parent.name)
def test_the_graph_of_every_recorded_case_holds_what_the_report_lists(evidence: Path) -> None:
    case = diagnosed(evidence)
    graph = mprof.holder_graph(case)
    assert not graph or nx.is_branching(graph)  # everything has one holder at most
    points = {data["holder"]: data for _, data in graph.nodes(data=True) if "holder" in data}
    listed = known(case.evidence.holders) or ()
    assert {(str(one.key), one.owner, one.bytes) for one in listed} <= {
        (name, data["owner"], data["bytes"]) for name, data in points.items()
    }
    assert graph or not listed  # the graph has the small holders of a dump too


def test_a_dump_before_the_death_stands_for_one_that_is_missing_as_in_the_report() -> None:
    case = diagnosed(CASES / "coverage" / "first-group" / "evidence")
    heap = case.heap_at_death
    assert heap is not None
    assert not heap.point.at_death
    assert mprof.holder_graph(case)


def test_the_graph_can_be_written_as_graphml(tmp_path: Path) -> None:
    graph = mprof.holder_graph(diagnosed(CASES / MAP / "evidence"))
    nx.write_graphml(graph, tmp_path / "holders.graphml")
    read = nx.read_graphml(tmp_path / "holders.graphml")
    assert dict(graph.nodes(data=True)) == dict(read.nodes(data=True))


def test_without_a_heap_at_death_the_graph_is_empty(tmp_path: Path) -> None:
    finished = diagnosed(CASES / "controls" / "sort" / "evidence")
    dump = tmp_path / "small.hprof"
    dump.write_bytes(Builder().build())
    assert 0 == len(mprof.holder_graph(finished)) == len(mprof.holder_graph(mprof.diagnose(dump)))


# --- shapes -------------------------------------------------------------------------------------


def test_two_fields_of_one_object_hang_from_the_same_node() -> None:
    #  main - Job.map - this: Job - counts: HashMap
    #                             - names: ArrayList
    this = ("this", "com.example.Job")
    graph = of(
        holding(
            key("a"),
            9 * MIB,
            **path(this, ("counts", "java.util.HashMap"), to=1),
        ),
        holding(
            key("b"),
            5 * MIB,
            **path(this, ("names", "java.util.ArrayList"), to=1),
        ),
    )
    assert ["frame", "this", "counts"] == edges_to(graph, point(graph, "a"))
    assert ["frame", "this", "names"] == edges_to(graph, point(graph, "b"))
    assert 5 == len(graph)


def test_two_locals_of_one_class_in_one_frame_are_two_nodes() -> None:
    # Two locals of one class: their paths are alike, their keys are not
    one = path(("local java.util.ArrayList", "java.util.ArrayList"), ("[i]", "byte[]"), to=0)
    graph = of(
        holding(key("a"), 9 * MIB, **one),
        holding(key("b"), 5 * MIB, **one),
    )
    assert point(graph, "a") != point(graph, "b")
    assert [9 * MIB] == [graph.nodes[point(graph, "a")]["bytes"]]
    # thread, frame, and a list with a look inside, twice
    assert 6 == len(graph)


def test_an_object_on_the_way_may_be_a_holder_itself() -> None:
    this, state = ("this", "com.example.Job"), ("state", "com.example.State")
    graph = of(
        holding(
            key("kept"),
            9 * MIB,
            **path(this, state, ("kept", "java.util.LinkedList"), to=2),
        ),
        holding(key("state"), 5 * MIB, **path(this, state, to=1)),
    )
    assert [point(graph, "state")] == list(graph.predecessors(point(graph, "kept")))


def test_a_static_hangs_from_its_class_and_not_from_the_frame_that_uses_it() -> None:
    steps = path(("com.example.Cache.ALL", "java.util.HashMap"), to=0)
    graph = of(holding(key("ALL"), 9 * MIB, **steps))
    assert ["ALL"] == edges_to(graph, point(graph, "ALL"))
    assert {"class com.example.Cache", point(graph, "ALL")} == set(graph)


def test_a_field_of_the_mapper_between_two_calls_hangs_from_its_class() -> None:
    steps = path(("com.example.Job", "com.example.Job"), ("counts", "java.util.HashMap"), to=1)
    graph = of(holding(key("field"), 9 * MIB, **steps | {"site": None, "thread": None}))
    assert ["this", "counts"] == edges_to(graph, point(graph, "field"))
    assert "class com.example.Job" in graph


def test_the_record_in_flight_hangs_from_hadoop_where_no_frame_has_it() -> None:
    steps = path(("value", "org.apache.hadoop.io.Text"), ("bytes", "byte[]"), to=0)
    handed = holding(key("record value"), MIB, owner="record_in_flight", lifecycle="record",
        **steps | {"site": None, "thread": None},
    )  # fmt: skip
    graph = of(handed)
    assert ["value"] == edges_to(graph, point(graph, "record value"))
    assert "framework" == graph.nodes["Hadoop"]["kind"]


def test_what_nothing_holds_stands_alone() -> None:
    steps = path(("unheld byte[]", "byte[]"), to=0)
    graph = of(holding(key("unheld byte[]"), 9 * MIB, owner="other", lifecycle="none",
                       **steps | {"site": None, "thread": None}))  # fmt: skip
    assert [] == edges_to(graph, point(graph, "unheld byte[]"))
    assert 1 == len(graph)


def test_of_a_method_that_is_twice_on_the_stack_the_topmost_frame_tells() -> None:
    # Job.map calls itself: both frames stand at the same line, the upper one reaches less
    from mprof.objects import StackFrame

    at = ("com.example.Job", "map", "Job.java", 18)
    held = holding(key("a"), 9 * MIB, **path(("this", "com.example.Job"), to=0))
    frames = tuple(StackFrame(*at, True, size, 0.5) for size in (3 * MIB, 9 * MIB))
    dump = replace(snapshot("oom", [held], at_death=True), frames=frames)
    run = JobRun(job_id=None, mode="none", snapshots={"": (dump,)})
    graph = mprof.holder_graph(diagnose_runs([run]))
    sizes = [data["user_bytes"] for _, data in graph.nodes(data=True) if "user_bytes" in data]
    assert [3 * MIB] == sizes
    assert CodeSite(*at) == held.site
