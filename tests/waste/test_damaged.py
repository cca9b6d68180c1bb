"""A dump that is cut, or in which bytes are wrong, has tables and waste as far as it goes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("duckdb", reason="duckdb is not there: pip install 'mprof-hadoop[sql]'")

from builders.hprof_builder import Builder, FrameSpec

from mprof.errors import EvidenceError
from mprof.questions import HeapTables
from mprof.questions.schema import TABLES
from mprof.waste import find_waste


def _dump() -> bytes:
    builder = Builder()
    builder.class_("java.lang.ClassLoader", fields={"name": "object"})
    builder.class_("app.Loader", above="java.lang.ClassLoader")
    loader = builder.instance("app.Loader", name=builder.string("of plugins"))
    builder.class_("app.Plugin", fields={"n": "long"}, loader=loader,
                   statics={"LIMIT": ("int", 3)})  # fmt: skip
    builder.class_("java.util.HashMap", fields={"table": "object", "size": "int"})
    links = {"hash": "int", "key": "object", "next": "object"}
    builder.class_("java.util.HashMap$Node", fields=links)
    builder.class_("java.util.HashSet", fields={"map": "object"})
    builder.class_("java.lang.Long", fields={"value": "long"})
    first = 0
    for number in range(12):  # one chain
        key = builder.instance("java.lang.Long", value=number % 3)
        first = builder.instance("java.util.HashMap$Node", hash=7, key=key, next=first)
    table = builder.array("java.util.HashMap$Node", [0, first, 0, 0])
    crowded = builder.instance("java.util.HashMap", table=table, size=12)
    objects = [builder.instance("app.Plugin", n=4), crowded,
               builder.instance("java.util.HashSet", map=crowded),
               builder.primitives("int", [0] * 9), builder.primitives("int", [1, 2]),
               builder.primitives("int", [1, 2]), *map(builder.string, "xx")]  # fmt: skip
    held = builder.array("java.lang.Object", objects)
    builder.class_("app.Main", statics={"ALL": ("object", held)})
    builder.thread("main", [FrameSpec("app.Main", "main", "Main.java", 1, [held])])
    return builder.build()


def _read_all(path: Path) -> int:
    try:
        tables = HeapTables(path)
        rows = sum(
            tables.arrow(name).num_rows
            for name in (*(table.name for table in TABLES if table.name != "holders"),
                         "app.Plugin", "java.util.HashMap+", "int[]")
        )  # fmt: skip
        find_waste(path)
    except EvidenceError:
        return 0
    except Exception as error:  # a class that is lost is no table any more
        if "no table and no class" in str(error):
            return 1
        raise
    return rows


def test_the_whole_dump_has_a_crowded_map_and_a_loader(tmp_path: Path) -> None:
    path = tmp_path / "whole.hprof"
    path.write_bytes(_dump())
    waste = find_waste(path)
    (chain,) = waste.chains
    assert (12, 12, 11) == (chain.longest, chain.equal, chain.crowded)
    (loader,) = [row for row in waste.loaders if row.class_name == "app.Loader"]
    assert ("of plugins", 1, 1) == (loader.name, loader.classes, loader.objects)
    assert loader.held_by is not None
    assert "[0] -> app.Plugin" == loader.held_by[-1]  # the object, not its class or loader
    (box,) = waste.boxes
    assert (12, 3, 12, 9 * 24) == (box.objects, box.distinct, box.cached, box.saved_bytes)


def test_a_dump_that_is_cut_anywhere_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    data, path = _dump(), tmp_path / "cut.hprof"
    found = set()
    for cut in range(len(data), 60, -61):
        path.write_bytes(data[:cut])
        found.add(_read_all(path))
    assert len(found) > 3


@pytest.mark.parametrize("seed", range(40))
def test_wrong_bytes_end_nothing(tmp_path: Path, seed: int) -> None:
    chance, data = random.Random(seed), bytearray(_dump())
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(40, len(data))] = chance.choice([0, 1, 0x7F, 0xFF, 0x21, 0x22])
    path = tmp_path / "wrong.hprof"
    path.write_bytes(bytes(data))
    assert _read_all(path) >= 0
