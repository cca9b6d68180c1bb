"""Frameworks that compile a script or a query into jobs: what their operators know of it.

The classes at work in such a job are the framework's, the same for every script. What its author
can change is a statement, or a clause of it: the framework keeps, in each operator that a task
runs, where it comes from, and in the job's configuration the text.

Pig: checked against the sources of Pig 0.18.0 (``PhysicalOperator.originalLocations``,
``MRScriptState.addSettingsToConf``, ``PigCombiner.Combine.pack``,
``PigGenericMapReduce.Reduce.pack``, ``ScriptState.setScript``, ``POUserFunc.func``).

Hive: checked against the sources of Hive 2.3.9 (``Operator.operatorId``, ``Operator.colExprMap``,
``GroupByDesc.keys``, ``JoinDesc.joinKeys``, ``HiveConf.setQueryString``,
``OperatorFactory``, ``ExecReducer.reduce``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from mprof.engines.engine import Fields, Method

__all__ = [
    "SCRIPT_FRAMEWORKS",
    "Clause",
    "ColumnFields",
    "OperatorFields",
    "ScriptFramework",
    "ScriptStep",
    "StatementList",
]

ScriptStep = Literal["map", "combine", "reduce"]
"""The steps of a job that a script is compiled into."""


@dataclass(frozen=True, slots=True)
class ColumnFields:
    """How an operator says which columns of the tables it works on.

    Attributes:
        operands: ways from an operator to the expressions that tell it from its like.
        base: class that all expressions extend.
        name: field of an expression with the name of a column; others lead to further expressions.
        parents: field of an operator with the operators before it.
        lineage: field of an operator with a map from the names that it gives to expressions.
    """

    operands: tuple[tuple[str, ...], ...]
    base: str
    name: str
    parents: str
    lineage: str


@dataclass(frozen=True, slots=True)
class OperatorFields:
    """Where the operators of a framework say what they were compiled from.

    Attributes:
        base: class that all of them extend.
        name: field with the alias of the statement, or with the operator's id.
        locations: field with a list of the places in the script, of which the first one counts;
            empty where there is none.
        line: field of such a place with its line, which is positive where it is known.
        method: method that an operator works in; empty where the operator that holds most is not
            looked for.
        columns: None where an operator does not tell.
        functions: class that the functions of a script's author extend, and the method that they
            work in: what one of them keeps is its own and no operator's.
    """

    base: str
    name: str
    locations: str = ""
    line: str = ""
    method: str = ""
    columns: ColumnFields | None = None
    functions: Method | None = None


@dataclass(frozen=True, slots=True)
class StatementList:
    """A property that lists the statements of each step, with their lines.

    Attributes:
        name: of the property.
        steps: how it names a step.
        statement: finds an alias (``alias``) and its line (``line``) in the part of a step.
    """

    name: str
    steps: dict[ScriptStep, str]
    statement: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a query, and the operators that it is compiled to.

    Attributes:
        operators: their classes, without package.
        begins: matches its first words.
    """

    operators: tuple[str, ...]
    begins: re.Pattern[str]


@dataclass(frozen=True, slots=True, eq=False)
class ScriptFramework:
    """What there is to know of a framework that compiles scripts or queries.

    Attributes:
        name: for people.
        unit: what its user writes.
        option: how its command line takes a setting.
        marker: a property that each of its jobs has.
        operators: its operators in the heap.
        text: property with the text.
        encoding: of the text: ``serialized``, base64 of a deflated, serialised Java String; or
            ``url``, as in a URL.
        path: property with the path of the script's file; empty where there is none.
        drivers: fields of its mappers, combiners and reducers with the operator that they feed: the
            statement that groups the records of a reduce() or combine().
        statements: None where no property lists them.
        clauses: of a query.
        late_reducer: the reduce() of a reducer that ends a group when it has met the next one; None
            where a group is ended in its own call.
    """

    name: str
    unit: Literal["script", "query"]
    option: str
    marker: str
    operators: OperatorFields
    text: str
    encoding: Literal["serialized", "url"]
    path: str = ""
    drivers: tuple[Fields, ...] = ()
    statements: StatementList | None = None
    clauses: tuple[Clause, ...] = ()
    late_reducer: Method | None = None


_MAP_REDUCE_LAYER: Final = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer."
_PIG: Final = ScriptFramework(
    name="Pig",
    unit="script",
    option="-D ",
    marker="pig.script.id",
    operators=OperatorFields(
        base="org.apache.pig.backend.hadoop.executionengine.physicalLayer.PhysicalOperator",
        name="alias",
        locations="originalLocations",
        line="line",
        functions=Method("org.apache.pig.EvalFunc", "exec"),
    ),
    text="pig.script",
    encoding="serialized",
    path="mapreduce.workflow.name",
    drivers=(
        Fields(_MAP_REDUCE_LAYER + "PigCombiner$Combine", ("pack",)),
        Fields(_MAP_REDUCE_LAYER + "PigGenericMapReduce$Reduce", ("pack",)),
    ),
    statements=StatementList(
        # M: rankings[2,11],1-1[6,20] C: counts[5,9] R: counts[5,9]
        name="pig.alias.location",
        steps={"map": "M", "combine": "C", "reduce": "R"},
        statement=re.compile(
            r"(?P<alias>[^\s,\[\]]{1,200})\[(?P<line>-?[0-9]{1,9}),-?[0-9]{1,9}\]"
        ),
    ),
)


def _words(text: str) -> re.Pattern[str]:
    """A pattern of words, whatever their case and what is between them."""
    return re.compile(rf"\b(?:{text})\b".replace(" ", r"\s+"), re.IGNORECASE)


_HIVE: Final = ScriptFramework(
    name="Hive",
    unit="query",
    option="--hiveconf ",
    marker="hive.query.string",
    operators=OperatorFields(
        base="org.apache.hadoop.hive.ql.exec.Operator",
        name="operatorId",
        method="process",
        columns=ColumnFields(
            operands=(("conf", "keys"), ("conf", "joinKeys")),
            base="org.apache.hadoop.hive.ql.plan.ExprNodeDesc",
            name="column",
            parents="parentOperators",
            lineage="colExprMap",
        ),
    ),
    text="hive.query.string",
    encoding="url",
    clauses=(
        Clause(("GroupByOperator",), _words("group by|select distinct")),
        Clause(
            (
                "JoinOperator",
                "MapJoinOperator",
                "SMBMapJoinOperator",
                "CommonMergeJoinOperator",
                "HashTableSinkOperator",
            ),
            _words("(?:(?:left|right|full)(?: outer| semi)? |inner |cross )?join"),
        ),
        Clause(("PTFOperator",), _words("over")),
        Clause(("FilterOperator",), _words("where|having")),
        Clause(("LateralViewJoinOperator", "UDTFOperator"), _words("lateral view(?: outer)?")),
        Clause(("ScriptOperator",), _words("transform|map|reduce")),
        Clause(("SelectOperator",), _words("select")),
    ),
    # It calls endGroup() of its operators once it is called for the next key; a GroupByOperator
    # hands its aggregations on when it is given the first row of that.
    late_reducer=Method("org.apache.hadoop.hive.ql.exec.mr.ExecReducer", "reduce"),
)

SCRIPT_FRAMEWORKS: Final = (_PIG, _HIVE)
