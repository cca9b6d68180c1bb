"""Units, converted once: bytes and their words, Hadoop's and the JVM's size strings, dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = [
    "EARLIEST_S",
    "GIB",
    "KIB",
    "LATEST_S",
    "MIB",
    "format_bytes",
    "format_count",
    "format_ratio",
    "list_in_words",
    "parse_jvm_size",
    "parse_long",
    "rounded_down",
]

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

EARLIEST_S: Final = -62_104_060_800.0
"""The start of the year 2, in seconds since 1970. A calendar begins with year 1, of which zones
take a day."""

LATEST_S: Final = 253_370_764_800.0
"""The start of the year 9999, in seconds since 1970."""

_JVM_SIZE = re.compile(r"^([0-9]{1,18})([kKmMgGtT]?)[bB]?$")
_LONG = re.compile(r"[+-]?[0-9]{1,19}")
_JVM_FACTOR = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": 1024 * GIB}


def format_bytes(size_bytes: float) -> str:
    """A size for people, in the binary units Hadoop and the JVM call KB, MB and GB.

    >>> format_bytes(430_875_440)
    '411 MB'
    """
    sign = "-" if size_bytes < 0 else ""
    size = abs(float(size_bytes))
    for unit, factor in (("GB", GIB), ("MB", MIB), ("KB", KIB)):
        if size >= factor:
            value = size / factor
            digits = f"{value:.1f}" if value < 10 else f"{value:.0f}"
            return f"{sign}{digits} {unit}"
    return f"{sign}{size:.0f} B"


def format_count(count: float) -> str:
    """A count for people, with thousands separators.

    >>> format_count(779551)
    '779,551'
    """
    return f"{round(count):,}"


def list_in_words(words: Sequence[str], *, most: int = 3) -> str:
    """Words as a sentence lists them; of many the first ones.

    >>> list_in_words(["a", "b"]), list_in_words(["a", "b", "c", "d"])
    ('a and b', 'a, b, c and 1 more')
    """
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def rounded_down(count: float) -> int:
    """A count with its first digit alone, for advice that is good to half of it.

    >>> rounded_down(27_500.0), rounded_down(0.7)
    (20000, 0)
    """
    whole = int(count)
    digits = int(10 ** max(0, len(str(whole)) - 1))
    return whole // digits * digits


def format_ratio(ratio: float) -> str:
    """A share for people.

    >>> format_ratio(0.804)
    '80 %'
    """
    return f"{ratio * 100:.0f} %"


def parse_long(text: str | None) -> int | None:
    """A whole number that a Java long can hold; None for any other text.

    Texts of others hold any number of digits, and Python refuses to read more than 4300.

    >>> parse_long("-12"), parse_long("9" * 5000), parse_long("x")
    (-12, None, None)
    """
    if text is None or _LONG.fullmatch(text) is None:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def parse_jvm_size(text: str) -> int:
    """Bytes of a JVM size such as ``512m`` or ``1g`` (HotSpot, ``parse_memory_size``).

    Raises:
        ValueError: if the text is no such size.
    """
    match = _JVM_SIZE.match(text.strip())
    if match is None:
        raise ValueError(f"not a JVM size: {text!r}")
    return int(match.group(1)) * _JVM_FACTOR[match.group(2).lower()]
