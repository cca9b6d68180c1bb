"""Kernels called as machine code: arguments arrive whole, wrong types are refused."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from mprof.kernels import _cache, _compile
from mprof.kernels._compile import inlined, kernel, repeated
from mprof.kernels.cores import on_all_cores, touch


class Pair(NamedTuple):
    one: NDArray[np.int32]
    factor: int


@inlined
def _scaled(pair: Pair, index: int) -> int:
    return np.int64(pair.one[index]) * pair.factor


@kernel
def _sums(
    pair: Pair, table: NDArray[np.float64], out: NDArray[np.int64], extra: int
) -> tuple[int, int]:
    total = np.int64(0)
    for index in range(pair.one.size):
        total += _scaled(pair, index)
    rows = np.int64(0)
    for row in range(table.shape[0]):
        rows += np.int64(table[row, table.shape[1] - 1])
    out[0] = total + extra
    return total, rows


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_cache, "_found", _cache.CodeCache(tmp_path, was_empty=True))
    _sums._ready.clear()  # type: ignore[attr-defined]
    return tmp_path


def _call(extra: int = 5) -> tuple[tuple[int, int], int]:
    out = np.zeros(1, np.int64)
    table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = _sums(Pair(np.array([1, -2, 30], np.int32), -(1 << 40)), table, out, extra)
    return found, int(out[0])


def test_arrays_tuples_and_integers_beyond_32_bits_arrive_whole() -> None:
    total = -29 * (1 << 40)
    assert ((total, 9), total + 5) == _call()
    assert ((total, 9), total - (1 << 62)) == _call(-(1 << 62))


def test_other_types_are_other_code_and_wrong_ones_are_refused(own_cache: Path) -> None:
    _call()
    out, table = np.zeros(1, np.int64), np.ones((2, 2))
    wide = Pair(np.array([1, 2], np.int64), 2)  # type: ignore[arg-type]
    assert (6, 2) == _sums(wide, table, out, 0)
    assert 2 == len(list(own_cache.glob("*.code")))
    for wrong in (np.zeros((4, 4))[:, ::2], [1.0], "text", None):
        with pytest.raises(TypeError):
            _sums(Pair(np.array([1], np.int32), 2), wrong, out, 0)  # type: ignore[arg-type]


def test_threads_that_meet_an_uncompiled_kernel_compile_it_once(own_cache: Path) -> None:
    gate = threading.Barrier(4)

    def run() -> object:
        gate.wait()
        return _call()

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(run) for _ in range(4)]
        assert 1 == len({repr(one.result()) for one in results})
    assert 1 == len(list(own_cache.glob("*.code")))


def test_a_heap_is_analysed_without_importing_numba_once_kernels_are_compiled(
    tmp_path: Path,
) -> None:
    from builders.hprof_builder import Builder, FrameSpec

    builder = Builder()
    builder.class_("app.Job", fields={"cache": "object"})
    job = builder.instance("app.Job", cache=builder.primitives("int", [1, 2, 3]))
    builder.thread("main", [FrameSpec("app.Job", "map", "Job.java", 12, [job])])
    path = tmp_path / "one.hprof"
    path.write_bytes(builder.build())
    code = (
        "import sys; from pathlib import Path; from mprof.heap import open_heap, summarise;"
        f"summarise(open_heap(Path({str(path)!r}))); print('numba' in sys.modules)"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert "False\n" == told[1]


def test_parts_for_all_cores_cover_a_range_once() -> None:
    count = 1_000_003
    seen = np.zeros(count, np.int64)

    def add(start: int, end: int) -> None:
        seen[start:end] += 1

    on_all_cores(add, count)
    assert 1 == seen.min() == seen.max()


def test_touching_an_array_changes_nothing_in_it() -> None:
    for size in (0, 1, 5000, 3_000_000):
        array = np.arange(size, dtype=np.int32)
        touch(array)
        assert np.array_equal(np.arange(size), array)


@pytest.mark.parametrize("by_numba", [False, True])
def test_a_repeated_call_is_the_same_call_with_other_integers(
    monkeypatch: pytest.MonkeyPatch, by_numba: bool
) -> None:
    if by_numba:  # as where a release of numba lays arguments out in another way
        monkeypatch.setattr(_compile, "_compiled", lambda *_: None)
    ones, table = np.array([1, -2, 30], np.int32), np.array([[1.0, 2.0], [4.0, 5.0]])
    out, again_out = np.zeros((2, 1), np.int64)
    again = repeated(_sums, Pair(ones, 7), table, again_out, 0, changing=(3,))
    for extra in (5, -(1 << 40), 0):
        ones[0] += 1  # what arrays hold may change
        assert _sums(Pair(ones, 7), table, out, extra) == again(extra)
        assert out.tolist() == again_out.tolist()
    with pytest.raises(ValueError, match="zip"):
        again(1, 2)
