"""Bad input ends with one clear line and a documented code: a part of what ``make fuzz`` tries.

A fifth of that part each day, and the whole of it by ``make test-sweeps``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from builders.command_server import Outcome
from builders.part_of_today import of_today
from fuzz.checks import problems_of
from fuzz.damages import DAMAGES
from fuzz.outputs import argument_tries, output_tries
from fuzz.running import run_all
from fuzz.trying import Try, all_tries
from fuzz.worlds import build_worlds

SEED = 20_261_122
ARGUMENTS = 25
OUTPUTS = 15


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return build_worlds(tmp_path_factory.mktemp("worlds"))


def _drawn() -> Iterator[Try]:
    """Each damage once, of any reader by any verb; and a few arguments and outputs."""
    rng = random.Random(SEED)
    tries = list(all_tries(SEED, ()))
    for damage in DAMAGES:
        yield rng.choice([one for one in tries if one.damage == damage])
    yield from rng.sample(list(argument_tries()), ARGUMENTS)
    yield from rng.sample(list(output_tries()), OUTPUTS)


def test_bad_input_ends_with_a_clear_line_in_bounded_time_and_loses_nothing(
    worlds: Mapping[str, Path],
) -> None:
    drawn = of_today(list(_drawn()))
    tried = list(run_all(drawn, worlds, servers=2))

    assert len(tried) > len(drawn) // 2  # not every damage fits the reader that was drawn
    assert [(str(each.one), each.problems) for each in tried if each.problems] == []


GOOD = Outcome(
    code=3, seconds=0.1, cpu_seconds=0.1, peak_bytes=1, stdout=b"", hung=False,
    stderr=b"mprof: reading x\nmprof: x cannot be read: it is a pipe\nnext step: check the name\n",
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"code": 70}, "exit code 70"),
        ({"code": -7}, "exit code -7"),
        ({"hung": True, "code": -9}, "hangs"),
        ({"seconds": 99.0}, "takes 99.0 s"),
        ({"cpu_seconds": 9.0}, "takes 9.0 s of a processor"),
        ({"peak_bytes": 3 << 30}, "takes 3072 MB"),
        ({"stderr": b"mprof: x\x1b[2J\nnext step: y\n"}, "prints control characters on stderr"),
        ({"stderr": b"mprof: \xff\nnext step: y\n"}, "stderr is not UTF-8"),
        ({"stderr": b"x" * 2000 + GOOD.stderr}, "prints a line of 2016 characters on stderr"),
        ({"stderr": b"Traceback\n" + GOOD.stderr}, "prints a traceback"),
        (
            {"stderr": b"something is wrong\n"},
            "does not end with one line that says what is wrong and one with the next step",
        ),
        ({"stdout": b"a\x9bb"}, "stdout is not UTF-8"),
        ({"stdout": "a\x9bb".encode()}, "prints control characters on stdout"),
    ],
)
def test_the_checks_see_what_is_wrong_with_a_run(
    changes: Mapping[str, object], problem: str | None
) -> None:
    values = {name: getattr(GOOD, name) for name in Outcome.__slots__} | changes
    outcome = Outcome(**values)  # type: ignore[arg-type]

    found = problems_of(outcome, words=("diagnose", "x"), before={}, after={}, left=[])

    assert found == ([] if problem is None else [problem])


def test_the_checks_see_what_was_lost() -> None:
    before = {"a": b"1", "b": b"2", "c.hprof": b"3"}
    after = {"a": b"1", "b": b"", ".x.new": b"half"}

    def found(**more: object) -> list[str]:
        return problems_of(
            GOOD, words=("clean",), before=before, after=after, left=["rest"], **more
        )  # type: ignore[arg-type]

    said = ["changed 'b'", "left '.x.new' half-written", "left rest behind"]
    assert found(may_delete=True) == said
    assert found() == [said[0], "deleted 'c.hprof'", *said[1:]]


@pytest.mark.parametrize(
    ("stdout", "words", "problem"),
    [
        (b'{"a": NaN}', ("heap", "--json"), "stdout is no JSON"),
        (b'{"a": 1', ("heap", "--json"), "stdout is no JSON"),
        (b'{"a": 1}', ("heap", "--json"), None),
    ],
)
def test_the_checks_read_json(stdout: bytes, words: tuple[str, ...], problem: str | None) -> None:
    outcome = Outcome(0, 0.1, 0.1, 1, stdout, b"", hung=False)

    found = problems_of(outcome, words=words, before={}, after={}, left=[])

    assert found == ([] if problem is None else [problem])


def test_cut_output_must_not_end_with_0() -> None:
    outcome = Outcome(0, 0.1, 0.1, 1, b"", b"", hung=False)

    found = problems_of(outcome, words=("explain",), before={}, after={}, left=[], stdout="full")

    assert found == ["output that was cut ends with 0"]
