"""What a text says of its settings, as far as that is known in English."""

from __future__ import annotations

from collections.abc import Iterator

from mprof.intake.chinese import from_chinese
from mprof.intake.european import from_european
from mprof.intake.sentences import Lines

__all__ = ["in_english"]


def in_english(lines: Lines) -> Iterator[tuple[int, str]]:
    """Lines with the words that are known in English, where somebody writes in another language.

    Args:
        lines: of one text, each with its number. What a log has stays as it is.

    >>> [*in_english([(1, "\u6211\u4eec\u628a\u5185\u5b58\u8c03\u5927\u5230 4g")])]
    [(1, 'we memory set to 4g')]
    """
    yield from from_chinese(from_european(lines))
