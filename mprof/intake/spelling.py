"""How people spell sizes and names in talk, as the forms of settings have them.

"three gigs", "2458 megs", "Xmx 4915m", "the heap in reduce.java.opts": the same is meant as by
``3 GB``, ``2458 MB``, ``-Xmx4915m`` and ``mapreduce.reduce.java.opts``.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["spelled_out"]

_NUMBERS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
)  # fmt: skip
_UNIT: Final = r"(?P<unit>gigs?|gigabytes?|gibibytes?|megs?|megabytes?|mebibytes?)\b"
_IN_WORDS: Final = re.compile(
    rf"(?i)\b(?:(?P<word>{'|'.join(_NUMBERS)})(?P<half> and a half)?|(?P<only>half a)|"
    rf"(?P<digits>\d{{1,6}}(?:\.\d{{1,2}})?))[ -](?:and a half )?{_UNIT}"
)
# Xmx 4915m, Xmx=4g; -Xmx 4g with a space in it is refused by the JVM, and is none
_XMX: Final = re.compile(
    r"(?<![-\w])[xX]mx\s?[=:]?\s?(?=\d{1,6}\s?[kKmMgG])(\d{1,6})\s?([kKmMgG])[bB]?\b"
)
_SHORT: Final = re.compile(
    r"(?<![\w.\-/])(?P<name>(?:map|reduce)\.(?:java\.opts|memory\.mb)|"
    r"(?:am)\.(?:resource\.mb|command-opts)|"
    r"task\.(?:io\.sort\.(?:mb|factor)|timeout)|"
    r"(?:reduce\.)?shuffle\.(?:input\.buffer|merge|memory\.limit)\.percent|"
    r"(?:(?<=AM )|(?<=AM: )|(?<=AM's ))(?:resource\.mb|command-opts))(?![\w-]|\.\w)"
)
_BEFORE: Final = (
    ("am.", "yarn.app.mapreduce."), ("resource.mb", "yarn.app.mapreduce.am."),
    ("command-opts", "yarn.app.mapreduce.am."), ("shuffle.", "mapreduce.reduce."),
    ("", "mapreduce."),
)  # fmt: skip
"""What is left off before a name that begins so; the first that fits."""


def spelled_out(line: str) -> str:
    """A line with sizes and names as settings have them.

    >>> spelled_out("reduce containers are three gigs, the heap in reduce.java.opts is 2458 megs")
    'reduce containers are 3 GB, the heap in mapreduce.reduce.java.opts is 2458 MB'
    """
    line = _IN_WORDS.sub(_size, line)
    line = _XMX.sub(lambda found: f"-Xmx{found[1]}{found[2].lower()}", line)
    return _SHORT.sub(_name, line)


def _size(found: re.Match[str]) -> str:
    half = 0.5 if found["half"] or found["only"] else 0
    number = float(found["digits"] or 0) or half
    if found["word"]:
        number = _NUMBERS.index(found["word"].lower()) + 1 + half
    unit = "GB" if found["unit"][0] in "gG" else "MB"
    return f"{int(number * 1024)} MB" if number % 1 and unit == "GB" else f"{number:g} {unit}"


def _name(found: re.Match[str]) -> str:
    before = next(before for begin, before in _BEFORE if found["name"].startswith(begin))
    return f"{before}{found['name']}"
