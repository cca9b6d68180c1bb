r"""Text that others wrote, made harmless for a terminal, a JSON text, and as the name of a file.

The name of a class, a file or a job, and every line of a container's log, may hold what a terminal
obeys: escape sequences that move the cursor, erase or retitle, line breaks that fake a line of
mprof's, marks that turn the direction of writing. Shown is what is there, as ``\x1b``.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["clipped", "encodable", "file_name", "in_json", "one_line", "printable"]

# Control characters but tab and line break, marks of direction, line separators; the halves of a
# character as which Python holds the bytes of a file name that is not UTF-8; and what XML, and so
# an SVG file, may not hold.
_HARMFUL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufffe\uffff]"
)
_NOT_OF_NAMES: Final = re.compile(r"[^A-Za-z0-9_]")
_LONGEST_NAME: Final = 200
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BREAKS: Final = re.compile("[\t\r\n]+")
_ELLIPSIS: Final = " ... "


def printable(text: str) -> str:
    r"""The text with whatever a terminal would obey written out; tabs and line breaks stay.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return text if text.isprintable() else _HARMFUL.sub(_written_out, text)


def one_line(text: str) -> str:
    r"""The same in one line: line breaks and tabs become spaces.

    >>> one_line("a\nmprof: done")
    'a mprof: done'
    """
    return text if text.isprintable() else printable(_BREAKS.sub(" ", text))


def encodable(text: str) -> str:
    r"""The text with only that written out which no encoding holds: bytes of a file's name.

    >>> encodable("a\udcffb\x1b")
    'a\\xffb\x1b'
    """
    return _SURROGATE.sub(_written_out, text)


def in_json(text: str) -> str:
    r"""A JSON text that says the same, with what a terminal would obey as escapes of JSON's.

    >>> in_json('"\x9b31m"')
    '"\\u009b31m"'
    """
    return _HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def file_name(text: str) -> str:
    """A value as the name of a file: it leads out of no folder, hides from nobody, and is short.

    >>> file_name("../../.bashrc")
    '_______bashrc'
    """
    return _NOT_OF_NAMES.sub("_", text)[:_LONGEST_NAME]


def clipped(text: str, most: int) -> str:
    """The text, with its middle left out where it has more characters than ``most``."""
    if len(text) <= most:
        return text
    half = (most - len(_ELLIPSIS)) // 2
    return text[:half] + _ELLIPSIS + text[-half:]


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # the byte of the file name (PEP 383)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
