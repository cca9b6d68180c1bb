"""Frameworks that compile a script into jobs: what their operators know of the script.

The classes at work in such a job are the framework's, the same for every script. What its author
can change is a statement: the framework keeps, in each operator that a task runs, the alias and the
line it was compiled from, and in the job's configuration the statements of each step.

Pig: checked against the sources of Pig 0.18.0 (``PhysicalOperator.originalLocations``,
``MRScriptState.addSettingsToConf``, ``PigCombiner.Combine.pack``,
``PigGenericMapReduce.Reduce.pack``, ``ScriptState.setScript``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from mprof.engines.engine import Fields

__all__ = ["SCRIPT_FRAMEWORKS", "OperatorFields", "ScriptFramework", "ScriptStep"]

ScriptStep = Literal["map", "combine", "reduce"]
"""The steps of a job that a script is compiled into."""


@dataclass(frozen=True, slots=True)
class OperatorFields:
    """Where the operators of a framework say what they were compiled from.

    Attributes:
        base: class that all of them extend.
        alias: field with the alias.
        locations: field with a list of the places in the script; the first one counts.
        line: field of such a place with its line, which is positive where it is known.
    """

    base: str
    alias: str
    locations: str
    line: str


@dataclass(frozen=True, slots=True, eq=False)
class ScriptFramework:
    """What there is to know of a framework that compiles scripts.

    Attributes:
        name: for people.
        marker: a property that each of its jobs has.
        operators: its operators in the heap.
        drivers: fields of its mappers, combiners and reducers with the operator that they feed: the
            statement that groups the records of a reduce() or combine().
        aliases: property that lists the aliases of each step with their lines.
        steps: how that list names a step.
        alias: finds an alias (``alias``) and its line (``line``) in the part of a step.
        text: property with the script: base64 of a deflated, serialised Java String.
        path: property with the path of the script's file.
    """

    name: str
    marker: str
    operators: OperatorFields
    drivers: tuple[Fields, ...]
    aliases: str
    steps: dict[ScriptStep, str]
    alias: re.Pattern[str]
    text: str
    path: str


_MAP_REDUCE_LAYER: Final = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer."
_PIG: Final = ScriptFramework(
    name="Pig",
    marker="pig.script.id",
    operators=OperatorFields(
        base="org.apache.pig.backend.hadoop.executionengine.physicalLayer.PhysicalOperator",
        alias="alias",
        locations="originalLocations",
        line="line",
    ),
    drivers=(
        Fields(_MAP_REDUCE_LAYER + "PigCombiner$Combine", ("pack",)),
        Fields(_MAP_REDUCE_LAYER + "PigGenericMapReduce$Reduce", ("pack",)),
    ),
    # M: rankings[2,11],1-1[6,20] C: counts[5,9] R: counts[5,9]
    aliases="pig.alias.location",
    steps={"map": "M", "combine": "C", "reduce": "R"},
    alias=re.compile(r"(?P<alias>[^\s,\[\]]{1,200})\[(?P<line>-?[0-9]{1,9}),-?[0-9]{1,9}\]"),
    text="pig.script",
    path="mapreduce.workflow.name",
)

SCRIPT_FRAMEWORKS: Final = (_PIG,)
