"""The heap of a command of Hadoop's, or of a service of Hive, whose size the environment sets.

``bin/hadoop`` gives a JVM ``-Xmx`` of ``HADOOP_HEAPSIZE`` (in MB), and ``HADOOP_CLIENT_OPTS`` stand
behind it, of which the last ``-Xmx`` counts. Services of Hive are started by ``hadoop jar`` too.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import SaidSetting
from mprof.messages.said import heap_setting_of_program, setting_of, with_heap
from mprof.messages.thresholds import TIMES_A_LIMIT
from mprof.units import MIB

__all__ = ["larger_heap_of_a_client"]

_CLIENTS: Final = frozenset({"hive-cli", "hive-session", "distcp", "command"})
_SERVICES: Final = frozenset({"hiveserver2", "metastore"})
_IN_MB: Final = "HADOOP_HEAPSIZE"
_OPTIONS: Final = "HADOOP_CLIENT_OPTS"
_OF_OPTIONS: Final = frozenset({_OPTIONS, "HADOOP_OPTS"})


def larger_heap_of_a_client(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """First aid: twice the heap that the text says it had; nothing where it says none."""
    program, had = evidence.death.program, heap_setting_of_program(evidence)
    if program is None or program.id not in _CLIENTS | _SERVICES or had is None:
        return ()
    if evidence.death.kind not in HEAP_KINDS - {"array-limit"}:
        return ()
    name, value, heap = had
    new_mb = int(TIMES_A_LIMIT.value * heap) // MIB
    where = (
        " In hive-env.sh of that service alone; it counts when it is started again."
        if program.id in _SERVICES
        else ""
    )
    had_words = f"twice the {heap // MIB} MB that it had.{where}"
    if name == _IN_MB:
        text = f"First aid: {name}={new_mb} (MB), {had_words}"
        return (SaidSetting(name, value, str(new_mb), text, first_aid=True),)
    property_ = name if name in _OF_OPTIONS else _OPTIONS  # of a command line, what goes into it
    old = setting_of(evidence, property_)
    new = with_heap(old or "", new_mb)
    text = f"First aid: -Xmx{new_mb}m in {property_}, {had_words}"
    return (SaidSetting(property_, old, new, text, first_aid=True),)
