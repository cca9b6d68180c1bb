"""Who says what to change in the words of a script or query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mprof.advice.of_hive import HIVE
from mprof.advice.of_pig import PIG
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence
from mprof.patterns import Patterns

__all__ = ["advisor_of_script"]

_Advisor = Callable[[Evidence, Patterns, Cause], tuple[Advice, ...]]
_ADVISORS: Final[dict[str, Mapping[str, _Advisor]]] = {"Pig": PIG, "Hive": HIVE}


def advisor_of_script(evidence: Evidence, cause: str) -> _Advisor | None:
    """What says it in the words of the framework; None where the general advice is as good."""
    if evidence.script is None:
        return None
    return _ADVISORS.get(evidence.script.framework.name, {}).get(cause)
