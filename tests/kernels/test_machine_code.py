"""Machine code in files: kept, never run if damaged, and done without where numba has changed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from mprof.kernels import _cache, _compile, _machine_code
from mprof.kernels._compile import inlined, kernel, repeated
from mprof.kernels._intrinsics import count_bits
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
    monkeypatch.setattr(_cache, "_found", _cache.CodeCache(tmp_path, was_empty=True))
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


def test_as_many_words_as_arguments_are_taken_apart_into() -> None:
    words: list[int] = []
    _machine_code.flatten((PAIR, 3), words)
    assert len(words) == _machine_code.count_words(_machine_code.signature_of((PAIR, 3))) == 17


def test_a_folder_without_room_costs_the_file_only(tmp_path: Path) -> None:
    code = MachineCode("f", 1, 1, b"x")
    _machine_code.write(tmp_path / "gone" / "f.code", code)
    assert _machine_code.read(tmp_path / "gone" / "f.code") is None


# --- where numba lacks what is bound of it --------------------------------------------------------


def _set_bits(pair: Pair, index: int) -> int:
    return count_bits(np.uint64(pair.left[index])) + pair.right[index, 0]


def _weigh(pair: Pair, scale: int, out: np.ndarray) -> tuple[int, int]:
    total = 0
    for i in range(pair.left.shape[0]):
        total += set_bits(pair, i) * scale
    out[0] = total
    return total, scale


set_bits = inlined(_set_bits)


@pytest.fixture
def weigh(cache: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """A kernel that calls an inlined one and an instruction; nothing of it is compiled yet."""
    monkeypatch.setitem(globals(), "set_bits", inlined(_set_bits))
    return kernel(_weigh)


def _refuse_options(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    offered = numba.njit

    def njit(**options: object) -> object:
        if options.keys() - {"nogil", "error_model"}:
            raise KeyError(f"Unrecognized options: {options}")
        return offered(**options)

    monkeypatch.setattr(numba, "njit", njit)


def _lose_the_object_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.codegen import CodeLibrary

    monkeypatch.delattr(CodeLibrary, "_get_compiled_object")


def _lose_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compile, "_jit", lambda function, inline: function)


def _ignore_types_of_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_compile._Compiled, "_numba_type_")


def _lose_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_instruction: object) -> object:
        raise ImportError("cannot import name 'cpu_target'")

    monkeypatch.setattr(_compile.Instruction, "_numba_type_", property(missing))


def _reorder_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    members = ("parent", "meminfo", *_machine_code.ARRAY_MEMBERS[2:])
    monkeypatch.setattr(_machine_code, "ARRAY_MEMBERS", members)


def _add_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_machine_code, "count_words", lambda signature: 1)


@pytest.mark.parametrize(
    "lose",
    [_refuse_options, _lose_the_object_file, _lose_the_compiler, _ignore_types_of_globals,
     _lose_the_target, _reorder_arrays, _add_an_argument],
)  # fmt: skip
def test_where_numba_lacks_a_private_part_its_public_dispatcher_runs_the_kernel(
    cache: Path, weigh: object, monkeypatch: pytest.MonkeyPatch, lose: object
) -> None:
    lose(monkeypatch)  # type: ignore[operator]
    out = np.zeros(1, np.int64)
    expected = 3 * sum(i.bit_count() + 2 * i for i in range(5))
    for scale in (3, np.int32(3)):
        assert (expected, 3) == weigh(PAIR, scale, out)  # type: ignore[operator]
    assert [expected] == out.tolist()
    again = repeated(weigh, PAIR, 0, out, changing=(1,))  # type: ignore[arg-type]
    assert (5 * expected // 3, 5) == again(5)
    assert not list(cache.glob("*.code"))


def test_where_numba_has_all_parts_the_same_kernel_is_kept_as_machine_code(
    cache: Path, weigh: object
) -> None:
    out = np.zeros(1, np.int64)
    assert (3 * sum(i.bit_count() + 2 * i for i in range(5)), 3) == weigh(PAIR, 3, out)  # type: ignore[operator]
    assert 1 == len(list(cache.glob("*.code")))


def _half(numbers: np.ndarray) -> float:
    return numbers[0] / 2


def _no_such_name(numbers: np.ndarray) -> int:
    return numbers[0] + no_such_name  # type: ignore[name-defined]  # noqa: F821


def test_a_fault_of_the_kernel_itself_is_raised_and_not_taken_for_a_lack(cache: Path) -> None:
    from numba.core.errors import TypingError

    with pytest.raises(TypeError, match="returns 64-bit integers"):
        kernel(_half)(np.ones(1, np.int64))
    with pytest.raises(TypingError, match="no_such_name"):
        kernel(_no_such_name)(np.ones(1, np.int64))
