"""Machine code that was compiled before: kept in files, loaded and called without numba.

Importing numba and setting it up takes longer than the analysis of a small dump. So the code of
each kernel is compiled once for each combination of argument types, its object file is kept, and
later runs load that with LLVM's linker alone and call it as C code, in numba's own calling
convention (``numba/core/callconv.py``, ``CPUCallConv``): a pointer to the result, one to an
exception, then the arguments, with arrays and tuples taken apart into their members
(``numba/core/datamodel``, ``ArrayModel``). ``_compile`` checks both before code is kept.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mprof.io.ownership import other_writer

__all__ = [
    "ARRAY_MEMBERS", "Loaded", "MachineCode", "Signature", "count_words", "flatten", "load", "read",
    "signature_of", "write",
]  # fmt: skip

Signature = tuple[Any, ...]
"""Types of arguments: None for a number, (type, dimensions) of an array, (class, signature)."""

ARRAY_MEMBERS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")
"""What numba passes for an array, in this order; ``flatten`` does the same."""

_keep: list[Any] = []  # LLVM frees the code with its engine


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The compiled code of one kernel for one combination of argument types.

    Attributes:
        symbol: the function's name in the object file.
        results: how many 64-bit integers it returns.
        words: how many words its arguments take.
        content: the object file.
    """

    symbol: str
    results: int
    words: int
    content: bytes


def signature_of(arguments: tuple[Any, ...]) -> Signature:
    """The types of arguments.

    Raises:
        TypeError: if an array is not C-contiguous, or an argument is neither array nor integer.
    """
    return tuple(_type_of(argument) for argument in arguments)


def _type_of(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        if not argument.flags.c_contiguous:
            raise TypeError("a kernel takes C-contiguous arrays")
        return argument.dtype.str, argument.ndim
    if isinstance(argument, tuple):
        return type(argument), tuple(_type_of(part) for part in argument)
    if isinstance(argument, (int, np.integer, np.bool_)):
        return None
    raise TypeError(f"a kernel takes arrays and integers, not {type(argument)}")


def flatten(arguments: tuple[Any, ...], words: list[int]) -> None:
    """Appends the 64-bit words that are passed for the arguments."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += (0, 0, argument.size, argument.itemsize, argument.ctypes.data)
            words += argument.shape
            words += argument.strides
        elif isinstance(argument, tuple):
            flatten(argument, words)
        else:
            words.append(int(argument))


def count_words(signature: Signature) -> int:
    """How many words `flatten` makes of arguments of these types."""
    words = 0
    for kind in signature:
        if kind is None:
            words += 1
        elif isinstance(kind[0], type):
            words += count_words(kind[1])
        else:
            words += 5 + 2 * int(kind[1])
    return words


def write(path: Path, code: MachineCode) -> None:
    """Writes code to a file; who reads it at the same time sees a whole file or none."""
    head = json.dumps(
        {
            "symbol": code.symbol,
            "results": code.results,
            "words": code.words,
            "digest": hashlib.sha256(code.content).hexdigest(),
        }
    )
    part = path.with_suffix(f".{os.getpid()}")
    try:
        # Nobody else may write it, whatever the umask says: it would not be read.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(part, flags, 0o600), "wb") as out:
            out.write(head.encode() + b"\n" + code.content)
        part.replace(path)
    except OSError:  # disk full or read-only: it is compiled again next time
        with suppress(OSError):
            part.unlink(missing_ok=True)


def read(path: Path) -> MachineCode | None:
    """The code in a file; None if there is none, or if it is damaged and might crash us.

    None, too, if somebody else could have written it: its digest stands in the file itself.
    """
    if other_writer(path) is not None:
        return None
    try:
        head, _, content = path.read_bytes().partition(b"\n")
        values = json.loads(head)
        if values["digest"] != hashlib.sha256(content).hexdigest():
            return None
        return MachineCode(values["symbol"], values["results"], values["words"], content)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@cache
def _target() -> Any:
    from llvmlite import binding  # type: ignore[import-untyped]

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Code that can be called; ``invoke`` takes arguments already taken apart."""

    invoke: Callable[[list[int]], Any]

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        words: list[int] = []
        flatten(arguments, words)
        return self.invoke(words)


def load(code: MachineCode) -> Loaded:
    """Links the code and makes it callable; a call releases the interpreter lock."""
    from llvmlite import binding

    target = _target()
    machine = target.create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    _keep.append(engine)
    word = ctypes.c_int64
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, *[word] * code.words)
    function = prototype(engine.get_function_address(code.symbol))
    results = word * max(1, code.results)

    def invoke(words: list[int]) -> Any:
        result, failure = results(), ctypes.c_void_p()
        status = function(ctypes.byref(result), ctypes.byref(failure), *words)
        if status:
            raise RuntimeError(f"{code.symbol} ended with status {status}")
        if code.results == 1:
            return result[0]
        return tuple(result) if code.results else None

    return Loaded(invoke)
