"""A dump is mapped; what is read of it by jumps is read alone."""

from __future__ import annotations

import mmap
from pathlib import Path
from unittest import mock

import numpy as np

from mprof.hprof.source import jumping, open_source


class _Noted(mmap.mmap):
    """A mapping that notes what the system is told of it."""

    told: list[int]

    def madvise(self, *arguments: int) -> None:
        self.told.append(arguments[0])
        super().madvise(*arguments)


def test_a_dump_is_read_by_jumps_until_the_heads_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.hprof"
    path.write_bytes(bytes(range(256)) * 64)
    _Noted.told = []
    with mock.patch.object(mmap, "mmap", _Noted):
        content = open_source(path).content
        with jumping(content):
            assert [mmap.MADV_RANDOM] == _Noted.told
    assert [mmap.MADV_RANDOM, mmap.MADV_NORMAL] == _Noted.told
    assert path.read_bytes() == content.tobytes()


def test_what_is_no_mapping_can_be_read_by_jumps_too() -> None:
    with jumping(np.arange(10, dtype=np.uint8)):
        pass
