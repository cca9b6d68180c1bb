"""Machine code in files: damaged code is compiled again, code laid out otherwise is not run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from mprof.kernels import _compile, _machine_code
from mprof.kernels._compile import kernel
from mprof.kernels._machine_code import MachineCode


class Pair(NamedTuple):
    """Two columns."""

    left: np.ndarray
    right: np.ndarray


@kernel
def dot(pair: Pair, scale: int) -> int:
    """A kernel with every kind of argument."""
    total = 0
    for i in range(pair.left.shape[0]):
        total += pair.left[i] * pair.right[i, 0]
    return total * scale


PAIR = Pair(np.arange(5, dtype=np.int64), np.arange(10, dtype=np.int32).reshape(5, 2))
EXPECTED = 3 * sum(i * 2 * i for i in range(5))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_compile, "_CACHE", tmp_path)
    monkeypatch.setattr(dot, "_ready", {})
    return tmp_path


def test_code_is_kept_and_used_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dot(PAIR, 3) == EXPECTED
    assert len(list(cache.glob("*.code"))) == 1
    monkeypatch.setattr(dot, "_ready", {})
    monkeypatch.setattr(_compile, "_compiled", None)  # it would not be callable
    assert dot(PAIR, 3) == EXPECTED


@pytest.mark.parametrize("where", [0, 20, -1])
def test_damaged_code_is_compiled_again_and_never_run(
    cache: Path, monkeypatch: pytest.MonkeyPatch, where: int
) -> None:
    assert dot(PAIR, 3) == EXPECTED
    (file,) = cache.glob("*.code")
    whole = bytearray(file.read_bytes())
    whole[where] ^= 0xFF
    file.write_bytes(whole)
    assert _machine_code.read(file) is None
    file.write_bytes(whole[: len(whole) // 2])
    assert _machine_code.read(file) is None
    monkeypatch.setattr(dot, "_ready", {})
    assert dot(PAIR, 3) == EXPECTED


def test_where_numba_lays_arguments_out_in_another_way_it_calls_the_function_itself(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_machine_code, "count_words", lambda signature: 1)
    assert dot(PAIR, 3) == EXPECTED
    assert not list(cache.glob("*.code"))


def test_as_many_words_as_arguments_are_taken_apart_into() -> None:
    words: list[int] = []
    _machine_code.flatten((PAIR, 3), words)
    assert len(words) == _machine_code.count_words(_machine_code.signature_of((PAIR, 3))) == 17


def test_a_folder_without_room_costs_the_file_only(tmp_path: Path) -> None:
    code = MachineCode("f", 1, 1, b"x")
    _machine_code.write(tmp_path / "gone" / "f.code", code)
    assert _machine_code.read(tmp_path / "gone" / "f.code") is None
