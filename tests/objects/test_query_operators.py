"""Operators of a query on heaps built by hand: which one holds, and its columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder, FrameSpec

from mprof.code_site import ScriptSite
from mprof.engines import MAPREDUCE, UserClasses
from mprof.objects import HeapObjects, SnapshotPoint, read_objects

MIB = 1 << 20
EXEC = "org.apache.hadoop.hive.ql.exec"
PLAN = "org.apache.hadoop.hive.ql.plan"
OPERATOR = f"{EXEC}.Operator"
MAPPER = f"{EXEC}.mr.ExecMapper"
SCAN, SELECT, GROUP = (f"{EXEC}.{name}Operator" for name in ("TableScan", "Select", "GroupBy"))
LIST, MAP, NODE = "java.util.ArrayList", "java.util.HashMap", "java.util.HashMap$Node"
EXPRESSION, COLUMN, FUNCTION = (
    f"{PLAN}.{name}" for name in ("ExprNodeDesc", "ExprNodeColumnDesc", "ExprNodeGenericFuncDesc")
)
CALLERS = """
org.apache.hadoop.mapred.MapRunner.run
org.apache.hadoop.mapred.MapTask.runOldMapper
org.apache.hadoop.mapred.MapTask.run
"""


class Plan:
    """A mapper with a scan, a selection and an aggregation."""

    def __init__(self) -> None:
        self.builder = build = Builder()
        build.class_(LIST, fields={"elementData": "object", "size": "int"})
        build.class_(MAP, fields={"table": "object", "size": "int"})
        build.class_(
            NODE, fields={"hash": "int", "key": "object", "value": "object", "next": "object"}
        )
        build.class_(
            OPERATOR,
            fields={
                "operatorId": "object", "conf": "object", "parentOperators": "object",
                "childOperators": "object", "colExprMap": "object",
            },
        )  # fmt: skip
        build.class_(SCAN, above=OPERATOR)
        build.class_(SELECT, above=OPERATOR, fields={"cache": "object"})
        build.class_(GROUP, above=OPERATOR, fields={"hashAggregations": "object"})
        build.class_(f"{PLAN}.GroupByDesc", fields={"keys": "object"})
        build.class_(EXPRESSION)
        build.class_(COLUMN, above=EXPRESSION, fields={"column": "object"})
        build.class_(FUNCTION, above=EXPRESSION, fields={"chidren": "object"})
        build.class_("org.apache.hadoop.mapred.MapReduceBase")
        base = "org.apache.hadoop.mapred.MapReduceBase"
        build.class_(MAPPER, above=base, fields={"mo": "object"})

    def column(self, name: str) -> int:
        return self.builder.instance(COLUMN, column=self.builder.string(name))

    def function(self, *operands: int) -> int:
        return self.builder.instance(FUNCTION, chidren=self.list(*operands))

    def list(self, *members: int) -> int:
        held = self.builder.array("java.lang.Object", list(members))
        return self.builder.instance(LIST, elementData=held, size=len(members))

    def map(self, **values: int) -> int:
        nodes = [
            self.builder.instance(NODE, hash=0, key=self.builder.string(name), value=each, next=0)
            for name, each in values.items()
        ]
        # Two in one slot: an entry is found behind another one too.
        first = nodes[0]
        if len(nodes) > 1:
            key = self.builder.string("another")
            first = self.builder.instance(NODE, hash=0, key=key, value=0, next=nodes[0])
        table = self.builder.array(NODE, [first, *nodes[1:], 0, 0])
        return self.builder.instance(MAP, table=table, size=len(nodes))

    def chain(
        self, *, keys: int, given: int = 0, table_mib: int = 0, cache_mib: int = 0
    ) -> tuple[int, ...]:
        """The operators, the scan first, and the mapper last; children lead to the next one."""
        build = self.builder
        data = [build.primitives("byte", bytes(n * MIB)) for n in (table_mib, cache_mib)]
        nodes = [
            build.instance(NODE, hash=n, key=build.string(f"k{n}"), value=each, next=0)
            for n, each in enumerate(data)
        ]
        tables = [build.instance(MAP, table=build.array(NODE, [node, 0]), size=1) for node in nodes]
        conf = build.instance(f"{PLAN}.GroupByDesc", keys=keys)
        scan = build.instance(SCAN, operatorId=build.string("TS_0"))
        select = build.instance(
            SELECT, operatorId=build.string("SEL_1"), cache=tables[1], colExprMap=given,
            parentOperators=self.list(scan),
        )  # fmt: skip
        group = build.instance(
            GROUP, operatorId=build.string("GBY_2"), conf=conf, hashAggregations=tables[0],
            parentOperators=self.list(select),
        )  # fmt: skip
        build.set(scan, childOperators=self.list(select))
        build.set(select, childOperators=self.list(group))
        return scan, select, group, build.instance(MAPPER, mo=scan)

    def objects(self, folder: Path, *frames: tuple[str, list[int]]) -> HeapObjects:
        calls = [("java.lang.OutOfMemoryError.<init>", []), *frames]
        calls += [(line, []) for line in CALLERS.split()]
        specs = []
        for line, locals_ in calls:
            class_name, method = line.rsplit(".", 1)
            self.builder.class_(class_name)
            specs.append(FrameSpec(class_name, method, "A.java", 7, locals_))
        self.builder.thread("main", specs)
        path = folder / "oom.hprof"
        path.write_bytes(self.builder.build())
        point = SnapshotPoint(name="oom", at_death=True)
        return read_objects(path, user_classes=UserClasses(MAPREDUCE), point=point)


def read(plan: Plan, folder: Path, chain: tuple[int, ...]) -> HeapObjects:
    """Dies while the aggregation takes a row from the selection."""
    scan, select, group, mapper = chain
    return plan.objects(
        folder,
        (f"{GROUP}.processKey", [group]),
        (f"{SELECT}.process", [select]),
        (f"{SCAN}.process", [scan]),
        (f"{MAPPER}.map", [mapper]),
    )


def columns_of(plan: Plan, folder: Path, keys: int, **given: int) -> tuple[str, ...]:
    lineage = plan.map(**given) if given else 0
    found = read(plan, folder, plan.chain(keys=keys, given=lineage, table_mib=5))
    script = found.holders[0].script
    assert script is not None
    return script.columns


def test_the_operator_that_holds_most_is_blamed_and_not_the_plan(tmp_path: Path) -> None:
    plan = Plan()

    found = read(plan, tmp_path, plan.chain(keys=plan.list(plan.column("day")), table_mib=5))

    largest = found.holders[0]
    assert largest.bytes // MIB == 5
    assert largest.script == ScriptSite("Hive", "GBY_2", None, "GroupByOperator", ("day",))
    assert largest.site is not None
    assert (largest.site.class_name, largest.site.method) == (GROUP, "processKey")
    assert largest.field_path == "this.hashAggregations"


def test_an_operator_that_is_not_at_work_is_blamed_with_its_method(tmp_path: Path) -> None:
    plan = Plan()
    *_, mapper = plan.chain(keys=plan.list(), table_mib=1, cache_mib=6)

    found = plan.objects(tmp_path, (f"{MAPPER}.map", [mapper]))

    largest = found.holders[0]
    assert largest.script == ScriptSite("Hive", "SEL_1", None, "SelectOperator")
    assert largest.site is not None
    assert (largest.site.class_name, largest.site.method) == (SELECT, "process")
    assert largest.field_path == "this.cache"


def test_a_function_of_the_users_is_blamed_for_what_it_keeps(tmp_path: Path) -> None:
    plan = Plan()
    build = plan.builder
    build.class_("com.acme.Distinct", fields={"seen": "object"})
    build.class_(f"{EXEC}.ExprNodeGenericFuncEvaluator", fields={"genericUDF": "object"})
    scan, select, _group, mapper = plan.chain(keys=plan.list(), table_mib=1)
    data = build.primitives("byte", bytes(6 * MIB))
    node = build.instance(NODE, hash=1, key=build.string("x"), value=data, next=0)
    seen = build.instance(MAP, table=build.array(NODE, [node, 0]), size=1)
    udf = build.instance("com.acme.Distinct", seen=seen)
    evaluator = build.instance(f"{EXEC}.ExprNodeGenericFuncEvaluator", genericUDF=udf)
    build.set(select, cache=build.array("java.lang.Object", [0, evaluator]))

    found = plan.objects(
        tmp_path,
        ("com.acme.Distinct.evaluate", [udf]),
        (f"{SELECT}.process", [select]),
        (f"{SCAN}.process", [scan]),
        (f"{MAPPER}.map", [mapper]),
    )

    largest = found.holders[0]
    assert largest.site is not None
    assert (largest.site.class_name, largest.site.method) == ("com.acme.Distinct", "evaluate")
    assert largest.field_path == "this.seen"
    assert largest.script == ScriptSite("Hive", "SEL_1", None, "SelectOperator")


def test_no_operator_is_blamed_for_what_several_hold(tmp_path: Path) -> None:
    plan = Plan()

    found = read(plan, tmp_path, plan.chain(keys=plan.list(), table_mib=4, cache_mib=4))

    # Half of it each, and their plan beside it: no one holds more than half.
    assert found.holders[0].bytes // MIB == 8
    assert found.holders[0].site is not None
    assert "hashAggregations" not in found.holders[0].field_path


@pytest.mark.parametrize("name", ["_col1", "KEY._col0"])
def test_a_name_that_the_query_gave_is_followed_to_its_columns(tmp_path: Path, name: str) -> None:
    plan = Plan()
    made = plan.function(plan.function(plan.column("uri")), plan.column("host"))

    keys = plan.list(plan.column(name), plan.column("day"))
    found = columns_of(plan, tmp_path, keys, **{name: made})

    assert found == ("day", "host", "uri")


def test_a_name_that_leads_nowhere_leaves_the_columns_unknown(tmp_path: Path) -> None:
    plan = Plan()

    keys = plan.list(plan.column("_col7"), plan.column("day"))

    assert columns_of(plan, tmp_path, keys, _col1=plan.column("uri")) == ()


def test_a_plan_that_leads_back_to_itself_ends(tmp_path: Path) -> None:
    plan = Plan()
    chain = plan.chain(keys=plan.list(plan.column("day")), table_mib=5)
    plan.builder.set(chain[0], parentOperators=plan.list(chain[2]))

    assert read(plan, tmp_path, chain).holders[0].script is not None
