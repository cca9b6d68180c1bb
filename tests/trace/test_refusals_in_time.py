"""A line of many brackets is looked through in the time that it takes to go through."""

from __future__ import annotations

from time import process_time

from mprof.trace.logs import refused_in


def test_brackets_before_the_words_of_a_jvm_take_no_more_than_their_length() -> None:
    said = "Invalid maximum heap size: -Xmx1x"
    begin = process_time()

    assert refused_in([f"{'[a] ' * 20_000}{said}"]) == said
    assert refused_in(["[a] " * 20_000 + said.replace("Invalid", "An invalid")]) == ""
    assert process_time() - begin < 1  # exponential before: 30 of them took minutes
