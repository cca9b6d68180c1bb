"""What a text says of other values: which were in vain, which went through, which were before.

No advice holds a value that was in vain, nor a smaller step the same way; what went through is what
to set; and where a change came before the trouble, it is taken back before anything else is tried.
"""

from __future__ import annotations

import math
import re
from typing import Final

from mprof.evidence import Evidence
from mprof.history.deprecated import NEW_NAMES
from mprof.messages.said import heap_in_options
from mprof.units import MIB, parse_jvm_size

__all__ = ["GROWS", "in_vain", "what_it_was", "what_passed"]

GROWS: Final = re.compile(
    r"mapreduce\.(?:map|reduce)\.(?:java\.opts|memory\.mb)|mapred\.child\.java\.opts|"
    r"yarn\.app\.mapreduce\.am\.(?:resource\.mb|command-opts)|"
    r"hive\.tez\.(?:container\.size|java\.opts)|spark\.(?:executor|driver)\.memory"
)
"""What a larger value gives more memory."""
_UNSET: Final = {
    # mapred-default.xml; of Hadoop 1 too
    "mapreduce.reduce.shuffle.input.buffer.percent": "0.70",
    "mapreduce.task.io.sort.mb": "100",
    "mapreduce.task.timeout": "600000",
}
_NONE_AT_ZERO: Final = frozenset({"mapreduce.task.timeout", "mapred.task.timeout"})
"""What has no bound where it is 0 (mapred-default.xml)."""
_A_STEP: Final = 1.25
"""What is advised differs by so much from what was in vain: by less it is the same again."""
_SIZED: Final = re.compile(r"(\d{1,9}[kKmMgGtT])[bB]?")
_NUMBER: Final = re.compile(r"\d{1,12}(?:\.\d{1,9})?|\.\d{1,9}")


def in_vain(evidence: Evidence, name: str, old: str | None, new: str) -> tuple[str, ...]:
    """The values of a property that it died with as well and that go as far as an advised one.

    Args:
        evidence: of the attempt.
        name: of the property.
        old: what it has; None where that is not known.
        new: what is advised.
    """
    died = evidence.stated.died_with.get(NEW_NAMES.get(name, name), ())
    return tuple(one for one in died if one == new or _is_as_far(name, old, new, one))


def _is_as_far(name: str, old: str | None, new: str, died: str) -> bool:
    """Whether a value changes the property the same way as what is advised, and no less."""
    had, advised, other = _amount(old or ""), _amount(new), _amount(died)
    if other == 0 and name in _NONE_AT_ZERO:
        other = math.inf
    if advised is None or other is None:
        return False
    if had is None:
        grows = GROWS.fullmatch(NEW_NAMES.get(name, name)) is not None
        return grows and advised < _A_STEP * other
    is_up = advised > had and other > had
    is_down = advised < had and other < had
    return (is_up and advised < _A_STEP * other) or (is_down and advised * _A_STEP > other)


def what_passed(evidence: Evidence, name: str, old: str | None) -> str | None:
    """The one value of a property with which it went through, as the text says; None of none."""
    passed = evidence.stated.passed_with.get(NEW_NAMES.get(name, name), ())
    return passed[0] if len(passed) == 1 and passed[0] != old else None


def what_it_was(evidence: Evidence, name: str, old: str | None, new: str) -> str | None:
    """What a property had before it was changed, where advice goes that way; None otherwise."""
    new_name = NEW_NAMES.get(name, name)
    was = evidence.stated.was.get(new_name)
    if was is not None and not was:
        was = _UNSET.get(new_name)
    if was is None or old is None or in_vain(evidence, name, old, was):
        return None
    before, had, advised = _amount(was), _amount(old), _amount(new)
    if before is None or had is None or advised is None:
        return None
    return was if (before - had) * (advised - had) > 0 else None


def _amount(value: str) -> float | None:
    """A number, of a size with a unit or in options that of its MB; None of anything else."""
    sized = _SIZED.fullmatch(value)
    value = value.removeprefix("about ")
    size = parse_jvm_size(sized[1]) if sized is not None else heap_in_options(value)
    if size is not None:
        return size / MIB
    return float(value) if _NUMBER.fullmatch(value) else None
