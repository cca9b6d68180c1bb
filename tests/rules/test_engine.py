"""Rules made for the test, asked by the engine: what it answers for them, and who gives way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from builders.evidence import map_attempt, with_growth

from mprof.evidence import Evidence, GroupSizes, Memory, Place, Unknown
from mprof.patterns import Absent, Accumulation, MemoryModel, SplitNeed, find_patterns
from mprof.rules import engine
from mprof.rules.deference import Deference
from mprof.rules.engine import ask_rules
from mprof.rules.rule import CannotTell, Defer, Fires, Rule, Silent, Step, Verdict
from mprof.units import MIB

FIRES = Fires("certain", "confirmed", "it is")
SILENT = Silent("it is not")
CANNOT_TELL = CannotTell("a dump", "run")


def rule(cause: str, *asks: Step) -> Rule:
    return Rule(cause, None, "code", cause, cause, asks, __name__)


def says(verdict: Verdict) -> Step:
    def question() -> Verdict:
        """Always the same."""
        return verdict

    return question


def asked(*rules: Rule, evidence: Evidence | None = None) -> dict[str, Verdict]:
    evidence = map_attempt() if evidence is None else evidence
    return ask_rules(rules, evidence, find_patterns(evidence))


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[Deference]], None]:
    def put(rows: Sequence[Deference]) -> None:
        engine._order.cache_clear()
        monkeypatch.setattr(engine, "DEFERENCES", tuple(rows))

    return put


@pytest.fixture(autouse=True)
def _no_table(table: Callable[[Sequence[Deference]], None]) -> None:
    table([])


def test_questions_are_put_in_order_until_one_is_answered() -> None:
    def goes_on() -> None:
        """Nothing to say."""

    assert asked(rule("a", goes_on, says(SILENT), says(FIRES))) == {"a": SILENT}


def test_without_a_fact_that_is_needed_a_rule_cannot_tell_and_is_not_asked() -> None:
    def question(place: Place) -> Verdict:
        """Must not be put."""
        raise AssertionError(place)

    verdicts = asked(rule("a", question), evidence=map_attempt(place=Unknown("the log", "rerun")))

    assert verdicts == {"a": CannotTell("the log", "rerun")}


def test_a_fact_with_a_default_is_none_where_it_is_not_known() -> None:
    def question(place: Place | None = None) -> Verdict:
        """Put all the same."""
        return SILENT if place is None else FIRES

    unknown = map_attempt(place=Unknown("the log", "rerun"))

    assert asked(rule("a", question), evidence=unknown) == {"a": SILENT}
    assert asked(rule("a", question)) == {"a": FIRES}


def test_without_the_pattern_a_rule_is_silent_for_the_reason_why_it_is_absent() -> None:
    def question(map_growth: MemoryModel) -> Verdict:
        """Must not be put."""
        raise AssertionError(map_growth)

    evidence = map_attempt(series=(), holders=())
    why = find_patterns(evidence).map_growth

    assert isinstance(why, Absent)
    assert asked(rule("a", question), evidence=evidence) == {"a": Silent(why.why)}


def test_a_step_may_ask_to_be_told_of_an_absent_pattern() -> None:
    def question(map_growth: SplitNeed | Absent) -> Verdict:
        """Put all the same."""
        return FIRES if isinstance(map_growth, Absent) else SILENT

    assert asked(rule("a", question), evidence=map_attempt(series=(), holders=())) == {"a": FIRES}


def test_a_step_may_ask_to_be_told_what_is_not_known() -> None:
    def question(map_accumulation: Accumulation | Unknown | None = None) -> Verdict:
        """Put all the same."""
        if isinstance(map_accumulation, Unknown):
            return CANNOT_TELL
        return SILENT if map_accumulation is None else FIRES

    flat = map_attempt(series=(), holders=())
    unread = replace(with_growth(map_attempt(), "this.kept", 100 * MIB), memory=Memory())

    assert isinstance(find_patterns(flat).map_accumulation, Absent)
    assert asked(rule("a", question), evidence=flat) == {"a": SILENT}
    assert isinstance(find_patterns(unread).map_accumulation, Unknown)
    assert asked(rule("a", question), evidence=unread) == {"a": CANNOT_TELL}


def test_a_fact_of_which_there_is_none_is_told_as_none() -> None:
    def question(groups: GroupSizes | None) -> Verdict:
        """Put all the same."""
        return SILENT if groups is None else FIRES

    assert asked(rule("a", question), evidence=map_attempt(groups=None)) == {"a": SILENT}


@pytest.mark.parametrize(
    ("step", "other", "expected"),
    [
        (Defer.YIELD, FIRES, Silent("b is to blame")),
        (Defer.YIELD, SILENT, FIRES),
        (Defer.YIELD, CANNOT_TELL, FIRES),
        (Defer.WAIT, FIRES, FIRES),
        (Defer.WAIT, SILENT, FIRES),
        (Defer.WAIT, CANNOT_TELL, Silent("b is to blame")),
        (Defer.FOLLOW, FIRES, FIRES),
        (Defer.FOLLOW, SILENT, Silent("b is to blame")),
        (Defer.FOLLOW, CANNOT_TELL, CANNOT_TELL),
    ],
)
def test_a_rule_gives_way_as_its_row_says(
    table: Callable[[Sequence[Deference]], None], step: Defer, other: Verdict, expected: Verdict
) -> None:
    table([Deference("a", step, ("b",), "b is to blame")])

    # "a" is asked after "b" although it comes first, and the verdicts keep the rules' order.
    verdicts = asked(rule("a", step, says(FIRES)), rule("b", says(other)))

    assert list(verdicts.items()) == [("a", expected), ("b", other)]


def test_a_row_without_words_gives_the_verdict_of_the_other(
    table: Callable[[Sequence[Deference]], None],
) -> None:
    table([Deference("a", Defer.WAIT, ("b",))])

    verdicts = asked(rule("a", Defer.WAIT, says(FIRES)), rule("b", says(CANNOT_TELL)))

    assert verdicts["a"] is verdicts["b"]


@pytest.mark.parametrize(("holds", "expected"), [(True, SILENT), (False, FIRES)])
def test_a_row_holds_only_under_its_condition(
    table: Callable[[Sequence[Deference]], None], holds: bool, expected: Verdict
) -> None:
    def condition() -> bool:
        """As the test says."""
        return holds

    table([Deference("a", Defer.YIELD, ("b",), SILENT.why, condition)])

    assert asked(rule("a", Defer.YIELD, says(FIRES)), rule("b", says(FIRES)))["a"] == expected


def test_a_question_that_is_referred_is_put_and_told_by_whom(
    table: Callable[[Sequence[Deference]], None],
) -> None:
    def question(parent: Verdict | None = None, referral: Verdict | None = None) -> Verdict:
        """Who sent it?"""
        assert parent is None
        return SILENT if referral is None else FIRES

    row = Deference("a", Defer.FOLLOW, ("b",), "nobody asked", referrers=("c",))
    referring = Silent("ask a", refers_to=("a",))
    table([row])

    def verdict(c: Verdict) -> Verdict:
        rules = rule("a", Defer.FOLLOW, question), rule("b", says(SILENT)), rule("c", says(c))
        return asked(*rules)["a"]

    assert verdict(referring) == FIRES
    assert verdict(SILENT) == Silent("nobody asked")


def test_the_rules_that_fire_are_told_to_the_words_of_the_row(
    table: Callable[[Sequence[Deference]], None],
) -> None:
    def words(others: tuple[Fires, ...]) -> Verdict:
        """How many?"""
        return Silent(f"{len(others)} fire")

    table([Deference("a", Defer.YIELD, ("b", "c", "d"), words)])
    rules = [rule("b", says(FIRES)), rule("c", says(SILENT)), rule("d", says(FIRES))]

    assert asked(rule("a", Defer.YIELD, says(FIRES)), *rules)["a"] == Silent("2 fire")


def test_a_rule_that_ends_without_a_verdict_is_a_fault_of_the_rule() -> None:
    def goes_on() -> None:
        """Nothing to say."""

    with pytest.raises(AssertionError, match="gave no verdict"):
        asked(rule("a", goes_on))
