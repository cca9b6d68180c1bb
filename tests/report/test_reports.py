"""Reports of every example of every rule: they say what was found, and need nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from builders.evidence import growing_series, holder, map_attempt, reduce_attempt
from builders.examples import examples_of
from builders.pages import assert_whole_and_offline
from builders.report_numbers import contradictions
from msgspec import structs

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, End, diagnose
from mprof.evidence import Composition, Kind, MapBuffer, Point, Progress, Series
from mprof.report import render_html, render_text
from mprof.report.names import DEATH_PHRASES
from mprof.report.published import Report
from mprof.report.published.cause import Where
from mprof.report.published.report import Attempt, Death, Job
from mprof.report.summary import place_text, summary
from mprof.rules import RULES
from mprof.units import MIB

EXAMPLES = [
    pytest.param(example.evidence, id=f"{rule.slug}: {example.title}")
    for rule in RULES
    for example in examples_of(rule)
]


def _diagnosed(evidence) -> Diagnosed:  # type: ignore[no-untyped-def]
    return diagnose(evidence)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_text_names_every_cause_and_every_rule_that_cannot_tell(example) -> None:  # type: ignore[no-untyped-def]
    diagnosed = _diagnosed(example())

    text = " ".join(render_text(diagnosed).split())

    for cause in diagnosed.diagnosis.causes:
        assert cause.rule.name in text
    _, _, undecided = text.partition("UNDECIDED RULES")
    for rule, verdict in diagnosed.diagnosis.unknown:
        assert rule.cause in undecided
        assert f"cannot tell without {verdict.missing};" in undecided


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_sentence_contradicts_another(example) -> None:  # type: ignore[no-untyped-def]
    diagnosed = advise(_diagnosed(example()))

    assert [] == contradictions(Report.of(diagnosed), render_text(diagnosed))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("The whole input would need 93 MB, and 240 MB are usable", ["heap with 93 MB needed"]),
        ("it peaks at about 250 MB of the usable 240 MB", ["advice that peaks at 250 MB"]),
        ("100 MB are usable", ["usable: 100 MB, 240 MB", "usable: 104857600.0 of 251658240"]),
        ("The job did not fail", ["heap in a report that says otherwise"]),
        ("the container of 1.0 GB has room for a heap of 200 MB, where 256 MB are set",
         ["room for 200 MB beside 256 MB"]),
    ],
)  # fmt: skip
def test_a_contradiction_is_found(said: str, found: list[str]) -> None:
    report = Report.of(diagnose(examples_of(RULES[0])[0].evidence()))

    text = f"{said}. 240 MB are usable."

    assert [
        one[: len(start)] for one, start in zip(contradictions(report, text), found, strict=True)
    ] == found


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_page_is_whole_and_asks_the_network_for_nothing(example) -> None:  # type: ignore[no-untyped-def]
    page = render_html(_diagnosed(example()))

    assert_whole_and_offline(page)


def test_every_kind_of_death_has_a_name_for_people() -> None:
    assert set(get_args(Kind)) <= DEATH_PHRASES.keys()


def test_where_no_frame_is_known_the_class_stands_alone() -> None:
    where = Where(
        class_name="x.Job$Keep", method="", file=None, line=None, path="all", called_by=None,
        statement=None, source=None, filled_by=(),
    )  # fmt: skip

    assert place_text(where) == "Job$Keep, held by all"
    assert place_text(structs.replace(where, method="reduce")) == "Job$Keep.reduce, held by all"


@pytest.mark.parametrize(
    ("kind", "end", "name", "job_id", "attempt", "said"),
    [
        ("heap", "died", "words", "job_1", "a_1", "Attempt a_1 of job 'words' ran out of"),
        ("heap", "died", None, "job_1", "a_1", "Attempt a_1 of job job_1 ran out of"),
        ("heap", "died", "words", "job_1", None, "A task of job 'words' ran out of"),
        ("heap", "died", None, None, None, "The task ran out of heap space."),
        ("none", "finished", "words", "job_1", "a_1", "Job 'words' did not fail"),
        ("none", "finished", None, "job_1", None, "Job job_1 did not fail"),
        ("none", "finished", None, None, "a_1", "The job did not fail"),
        ("none", "end unknown", None, None, None, "How the process ended is not known."),
        ("none", "end unknown", None, "job_1", None, "How job job_1 ended is not known."),
        (
            "container-physical", "died", None, None, None,
            "The process was killed because its container exceeded its limit of physical memory.",
        ),
    ],
)  # fmt: skip
def test_the_summary_names_what_is_known_of_the_task(
    kind: Kind,
    end: End,
    name: str | None,
    job_id: str | None,
    attempt: str | None,
    said: str,
) -> None:
    empty = Report.of(diagnose(map_attempt()))
    state = "SUCCEEDED" if end == "finished" else None
    job = Job(id=job_id, name=name, user=None, state=state, hadoop_version=None, driver_error=None,
              driver_exit_code=None, local_jobs=())  # fmt: skip
    of = Attempt(id=attempt, task_type=None, index=None, number=0, mode="none", container_id=None,
                 host=None, java_version=None, place=None)  # fmt: skip
    death = Death(kind=kind, evidence="", end=end)

    found = structs.replace(empty, death=death, job=job, attempt=of, position=None)

    assert summary(found).startswith(said)


@pytest.mark.parametrize(
    ("conclusion", "said"),
    [
        ("not the heap", "the rules only explain a full Java heap; mprof explain threads says"),
        ("not memory", "The message was: quoted"),
        ("undecided", "There is not enough evidence to name a cause."),
        ("no rule fires", "No cause is named: no rule fires on what was measured."),
    ],
)
def test_the_summary_says_why_no_cause_is_named(conclusion: Any, said: str) -> None:
    death = Death(kind="threads", evidence="quoted", end="died")
    found = structs.replace(Report.of(diagnose(map_attempt())), death=death, conclusion=conclusion)

    assert said in summary(found)


def test_data_cannot_put_markup_into_the_page() -> None:
    evil = "<img src=x onerror=alert(1)>"
    diagnosed = diagnose(examples_of(RULES[0])[0].evidence(), (evil,))

    assert evil not in render_html(diagnosed)


@pytest.mark.parametrize(
    ("class_name", "element_class", "length", "words"),
    [
        ("java.util.HashMap", None, 1_572_865, "HashMap, 1,572,865 entries,"),
        ("java.lang.StringBuilder", None, 1, "StringBuilder, 1 character,"),
        ("x.Buffer", "byte", 8, "Buffer, 8 bytes,"),
        ("x.Held", None, None, "Held,"),
    ],
)
def test_what_a_container_holds_is_counted_in_its_own_words(
    class_name: str, element_class: str | None, length: int | None, words: str
) -> None:
    one = replace(holder("this.held", 50 * MIB, class_name=class_name, length=length),
                  element_class=element_class)  # fmt: skip

    assert words in " ".join(render_text(_diagnosed(map_attempt(holders=(one,)))).split())


def test_a_curve_of_a_class_is_not_called_that_of_the_whole_heap() -> None:
    points = (Point(1000, 3 * MIB), Point(2000, 9 * MIB))
    of_class = Series(None, "map", "record", points, "histogram", class_name="x.Row")
    evidence = map_attempt(series=(of_class,))

    text = render_text(_diagnosed(evidence))

    assert "all objects of class x.Row, by number of input records (from class histograms)" in text
    assert "live heap" not in text
    assert "all objects of class x.Row" in render_html(_diagnosed(evidence))


def test_a_map_task_that_sorts_its_output_is_not_before_reduce() -> None:
    of_map = render_text(_diagnosed(map_attempt(place="sort")))
    of_reduce = render_text(_diagnosed(reduce_attempt(place="sort")))

    assert "while spilling or merging its output" in " ".join(of_map.split())
    assert "in the merge before reduce()" in " ".join(of_reduce.split())


def test_without_a_cause_the_paragraph_says_what_holds_most_of_the_heap() -> None:
    # what a few steps made is no continuous growth, and still it fills the heap
    jumped = growing_series("this.known", [0, 0, 0, 0, 120 * MIB, 120 * MIB, 120 * MIB, 125 * MIB])
    evidence = map_attempt(holders=(holder("this.known", 130 * MIB),), series=(jumped,))
    for one, said in ((evidence, True), (replace(evidence, holders=()), False)):
        text = " ".join(render_text(_diagnosed(one)).split())
        assert "Cause (" not in text
        assert ("The heap held: this.known (HashMap, for the whole task" in text) is said
        assert ("130 MB, 54 %" in text) is said


def test_without_a_cause_it_says_so_where_hadoops_own_objects_fill_the_heap() -> None:
    # file systems that user code opened for each record and never closed
    filled = Composition(framework_bytes=190 * MIB, other_bytes=50 * MIB)
    for buffer_mib, said in ((8, True), (188, False)):
        evidence = map_attempt(
            composition=filled,
            map_buffer=MapBuffer(buffer_mib * MIB, allocated=True),
            progress=Progress(0.1, "bytes"),
        )
        text = " ".join(render_text(_diagnosed(evidence)).split())
        assert (
            "user code opens and never closes, such as file systems), 182 MB, 76 %" in text
        ) is said
