"""``mprof explain`` finds every page of the reference by its names, and suggests those near."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.cli.explain import _page_of, explained, topics
from mprof.errors import UsageError

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = [
    page
    for kind in ("rules", "messages", "detectors", "errors")
    for page in (REFERENCE / kind).glob("*.md")
]


@pytest.mark.parametrize("name", [one.name for one in topics()])
def test_every_topic_has_a_page(name: str) -> None:
    assert explained(name).startswith("# ")


def test_a_number_of_the_paper_and_a_slug_are_topics_too() -> None:
    assert "`large_intermediate_results`" in explained("4")
    assert "`hotspot_key`" in explained("hot-key")
    assert "`hotspot_key`" in explained("hot_key")  # the name of its file
    assert "`large_input_split`" in explained("1")  # the paper's second cause of rule 1


def test_an_unknown_topic_is_one_clear_line() -> None:
    with pytest.raises(
        UsageError,
        match="no rule, cause, kind of death, message, detector or error called 'nonsense'",
    ):
        explained("nonsense")


@pytest.mark.parametrize(
    ("topic", "near"),
    [
        ("6", "6-1 or 6-2"),
        ("9", "9-1 or 9-2"),
        ("hotspot", "hotspot_key"),
        ("hotspt_key", "hotspot_key"),
        ("partition", "improper_partition.few_reducers or improper_partition.unbalanced"),
        ("meta", "metaspace"),
        ("treads", "threads or thread_local_values"),
    ],
)
def test_an_unknown_topic_is_answered_with_those_near_it(topic: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        explained(topic)

    assert caught.value.next_step.startswith(f"try mprof explain {near}; ")


def test_a_name_as_it_is_listed_comes_before_one_that_is_alike() -> None:
    assert "`gc-overhead`, a kind of death" in explained("gc-overhead")
    assert "`gc_overhead`\n" in explained("gc_overhead")


def test_a_name_is_found_with_the_other_kind_of_hyphen() -> None:
    assert explained("sort-buffer_does_not_fit").startswith("# The sort buffer does not fit")
    assert "A detector of `mprof nodes`." in explained("BB_Window")


@pytest.mark.parametrize("name", sorted(page.stem for page in PAGES if page.stem != "README"))
def test_a_page_that_is_found_by_its_file_is_that_of_the_topic_of_that_name(name: str) -> None:
    # by the list of topics, which takes all rules, and by the files alone
    listed = {one.name: one.text for one in topics()}
    found = _page_of(name)
    assert listed.get(name) == (None if found is None else found.read_text("utf-8"))


def test_no_two_topics_have_one_name() -> None:
    names = [one.name for one in topics()]
    assert sorted(set(names)) == sorted(names)


def test_an_error_of_mprof_is_explained_by_its_words() -> None:
    printed = "mprof: docs is not a capture folder: it has no capture.json"
    assert explained(printed) == explained("not-a-capture")
    assert explained(f"{printed}\nnext step: name a folder that mprof run or mprof rerun wrote")
    assert explained("no Java was found").startswith("# No Java was found\n")


def test_a_sentence_that_mprof_does_not_say_is_an_unknown_topic() -> None:
    with pytest.raises(UsageError, match="error called 'my job died'"):
        explained("my job died")
