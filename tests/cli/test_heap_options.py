"""No option of `mprof heap` is dropped: each is a question, a part of one, or refused."""

from __future__ import annotations

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from mprof.cli.heap_options import _PARTS, _QUESTIONS, check_together
from mprof.cli.subcommands import app
from mprof.errors import UsageError

OF_ALL = {"--json", "--top"}


def _options() -> set[str]:
    """The long names of all options of the verb."""
    verb = get_command(app).commands["heap"]  # type: ignore[attr-defined]
    names = {name for parameter in verb.params for name in parameter.opts}
    return {name for name in names if name.startswith("--")}


def test_every_option_is_a_question_or_a_part_of_one() -> None:
    assert set(_QUESTIONS) | set(_PARTS) | OF_ALL == _options()


@pytest.mark.parametrize("name", sorted({*_QUESTIONS, *_PARTS}))
def test_none_goes_with_two_dumps(name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} is for one dump"):
        check_together([name], dumps=2, json=False)


@pytest.mark.parametrize("name", sorted({*_QUESTIONS, *_PARTS}))
def test_the_verb_sees_each_of_them(name: str) -> None:
    with_value = {"--html", "--redact", "--output", "--object", "--class", "--path", "--dominates"}
    with_value |= {"--sql", "--sql-example", "--keep", "--port"}
    words = ["heap", "a", "b", name, *(["7"] if name in with_value else [])]

    result = CliRunner().invoke(app, words)

    assert str(result.exception).startswith(f"{name} is for one dump")


@pytest.mark.parametrize("name", _PARTS)
def test_a_part_needs_what_it_is_a_part_of(name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} has no part in this without"):
        check_together([name, "--waste"], dumps=1, json=False)
    check_together([name, _PARTS[name][0][0]], dumps=1, json=False)


@pytest.mark.parametrize("name", _QUESTIONS)
def test_a_question_is_asked_alone(name: str) -> None:
    check_together([name], dumps=1, json=False)
    other = "--waste" if name != "--waste" else "--histogram"
    with pytest.raises(UsageError, match="exclude each other"):
        check_together([name, other], dumps=1, json=False)


def test_what_is_printed_goes_with_nothing_else_that_is_written() -> None:
    check_together(["--waste"], dumps=1, json=True)
    with pytest.raises(UsageError, match=r"^--html and --json exclude each other"):
        check_together(["--html"], dumps=1, json=True)
