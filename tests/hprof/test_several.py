"""Two heap dumps in one file, as the HPROF agent writes them: the last one is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.hprof_builder import Builder

from mprof.heap import open_heap
from mprof.hprof.format import ROOT_UNKNOWN


def _boxes(version: str, count: int) -> bytes:
    builder = Builder(version=version)
    builder.class_("Box")
    for _ in range(count):
        builder.root(ROOT_UNKNOWN, builder.instance("Box"))
    return builder.build()


@pytest.mark.parametrize("version", ["1.0.1", "1.0.2"])
def test_of_two_dumps_in_one_file_the_last_is_read_and_both_are_told(
    tmp_path: Path, version: str
) -> None:
    first, last = _boxes(version, 100), _boxes(version, 20)
    header = first.index(b"\0") + 1 + 4 + 8
    (tmp_path / "two.hprof").write_bytes(first + last[header:])
    (tmp_path / "last.hprof").write_bytes(last)

    two, alone = open_heap(tmp_path / "two.hprof"), open_heap(tmp_path / "last.hprof")

    assert ("2 heap dumps in this file: the last of them is read",) == two.losses
    assert alone.class_histogram == two.class_histogram
    assert () == alone.losses
