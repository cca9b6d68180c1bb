"""The help of each verb, as a terminal of 80 columns shows it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile
from typing import Any

import pytest
from builders.commands import mprof

from mprof.cli.subcommands import command

_COLUMNS = 80


def _verbs(found: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield words
    for name, each in getattr(found, "commands", {}).items():
        yield from _verbs(each, (*words, name))


@pytest.mark.parametrize(
    "words", [pytest.param(each, id=" ".join(each)) for each in _verbs(command())]
)
def test_each_line_of_what_a_verb_does_is_as_long_as_its_words_allow(
    words: tuple[str, ...],
) -> None:
    shown = mprof(*words, "--help", env={"COLUMNS": str(_COLUMNS)}).stdout
    lines = [line.strip() for line in takewhile(lambda line: "╭" not in line, shown.splitlines())]

    assert len([line for line in lines if line]) >= 2
    for line, following in pairwise(lines[lines.index("", 1) :]):
        if line and following:
            assert len(line) + 1 + len(following.split()[0]) > _COLUMNS - 2
