"""Evidence, and what the rule of external_data_fills_the_heap.py says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from builders.evidence import growing_series, holder, key_of, map_attempt, with_growth
from builders.examples import Example

from mprof.evidence import (
    DeathPosition,
    Evidence,
    ExternalLoad,
    OpenedFile,
    Unknown,
)
from mprof.units import MIB

_MODEL = OpenedFile("hdfs:/cache/model.txt", 40 * MIB)


def _loaded(size_bytes: int, when: Any = "setup") -> Evidence:
    one = replace(holder("this.model", size_bytes, method="setup"), loaded_before_first_record=True)
    load = ExternalLoad(size_bytes, (key_of("this.model"),), when, (_MODEL,))
    return map_attempt(holders=(one,), external=load)


def _bounded_by(live_mib: int, sizes_mib: list[float]) -> Evidence:
    # a watch run: no dump but that at death, and the live heap after collections
    live = growing_series(None, [size * MIB for size in sizes_mib], source="passive")
    return map_attempt(
        holders=(holder("this.model", 130 * MIB),),
        external=ExternalLoad(live_mib * MIB, (), "setup", (_MODEL,), "passive"),
        series=(live,),
        record_growth=Unknown("heap sizes at earlier records", "rerun"),
    )


def _watched() -> Evidence:
    return _bounded_by(200, [201, 200, 202, 201, 200])


def _grew() -> Evidence:
    return _bounded_by(75, [75, 110, 140, 170, 200])


def _load_of(evidence: Evidence) -> ExternalLoad:
    assert isinstance(evidence.external, ExternalLoad)
    return evidence.external


def _work_space() -> Evidence:
    one = holder("this.cost", 170 * MIB, method="setup", class_name="double[][]")
    evidence = _in_setup()
    load = replace(_load_of(evidence), opened=())
    return replace(evidence, holders=(replace(one, key=key_of("this.model")),), external=load)


def _in_setup() -> Evidence:
    return replace(
        _loaded(170 * MIB, "loading"), place="setup", position=DeathPosition("setup", record=0)
    )


EXAMPLES = (
    Example("FIRES", "dead in setup() with 170 MB of a table", _in_setup),
    Example("FIRES", "a model of 130 MB, dead in map()", lambda: _loaded(130 * MIB)),
    Example("FIRES", "no early dump: as much was live after every collection", _watched),
    Example("CANNOT_TELL", "no early dump: little was live at the first collection", _grew),
    Example(
        "SILENT",
        "the same, and no file was opened",
        lambda: replace(_grew(), external=replace(_load_of(_grew()), opened=())),
    ),
    Example("SILENT", "a matrix of numbers that a setting sized", _work_space),
    Example(
        "CANNOT_TELL",
        "a map filled in setup(), and no file was opened",
        lambda: replace(_in_setup(), external=replace(_load_of(_in_setup()), opened=())),
    ),
    Example("SILENT", "a model of 30 MB", lambda: _loaded(30 * MIB)),
    Example(
        "SILENT",
        "a model of 80 MB that fits beside what grows",
        lambda: with_growth(_loaded(80 * MIB), "this.counts", 110 * MIB),
    ),
    Example("SILENT", "nothing was loaded", map_attempt),
    Example(
        "CANNOT_TELL",
        "no dump",
        lambda: map_attempt(external=Unknown("a heap dump made at the death", "run")),
    ),
)
