"""How every kernel is compiled: the one place where compiler flags and the cache stand.

Kernels release the interpreter lock, so a caller may run one per core in plain threads; that
needs no threading layer and a third of the compile time of ``parallel=True``.

numba is imported only to compile. The machine code is kept in a folder named after a digest of
all kernel sources, of the compiler and of the processor: change one, and all kernels are compiled
afresh, each for the argument types it is called with.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from mprof.kernels import _machine_code
from mprof.kernels._machine_code import Loaded, MachineCode, Signature

__all__ = ["Instruction", "inlined", "is_first_run", "kernel", "repeated"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("kernels/*.py", "hprof/**/*.py", "heap/*.py")
_MARKS = (b"@kernel", b"@inlined", b"Instruction(", b"llvmlite")
_STALE_SECONDS = 14 * 24 * 3600.0
_lock = threading.RLock()  # the compiler and the linker are not made for several threads


def _jit(function: Callable[..., Any], *, inline: bool = False) -> Any:
    """Numba's dispatcher of a function; it is never called from Python, so it needs no wrapper.

    "_nrt": arrays are not counted as owned, or loops that read arrays out of a named tuple take
    three times as long. "forceinline" for what only kernels call: an array is passed as seven
    words, and left to itself LLVM made filling rows, and the walk, take twice the time; whether it
    inlines hangs on details. "boundscheck" is off unless asked for; asking makes the same code.
    """
    import numba

    return cast("Any", numba.njit)(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=inline,
    )(function)


def _numba_type(kind: Any) -> Any:
    from numba import types

    if kind is None:
        return types.int64
    if isinstance(kind[0], type):
        parts = [_numba_type(part) for part in kind[1]]
        return cast("Any", types.NamedTuple)(parts, kind[0])
    from numba.np.numpy_support import from_dtype

    return types.Array(from_dtype(np.dtype(kind[0])), kind[1], "C")


def _compiled(dispatcher: Any, signature: Signature) -> MachineCode | None:
    """Compiles a function for one combination of argument types.

    None where this numba lays arguments out in another way than ours is: its own dispatcher has to
    call the function then.
    """
    from numba import types

    types_ = tuple(_numba_type(kind) for kind in signature)
    result = dispatcher._compiler.compile(types_, None)
    returned: Any = result.signature.return_type
    parts = () if returned == types.none else tuple(getattr(returned, "types", (returned,)))
    if any(part != types.int64 for part in parts):
        raise TypeError(
            f"{dispatcher.py_func} returns {returned}; a kernel returns 64-bit integers"
        )
    convention = result.target_context.call_conv.get_function_type(returned, types_)
    words = len(convention.args) - 2
    if words != _machine_code.count_words(signature):
        return None
    return MachineCode(
        symbol=result.fndesc.llvm_func_name,
        results=len(parts),
        words=words,
        content=result.library._get_compiled_object(),
    )


# --- where it is kept -----------------------------------------------------------------------------


def _version(package: str) -> str:
    """What tells releases of a package apart, without importing it or a reader of metadata."""
    spec = find_spec(package)
    file = Path(spec.origin).with_name("_version.py") if spec and spec.origin else None
    if file is not None and file.exists():
        return file.read_text(encoding="utf-8")
    from importlib.metadata import version

    return version(package)


def _digest() -> str:
    from llvmlite import binding  # type: ignore[import-untyped]

    digest = hashlib.sha256()
    for part in (_version("numba"), _version("llvmlite"), binding.get_host_cpu_name(),
                 binding.get_host_cpu_features().flatten()):  # fmt: skip
        digest.update(part.encode())
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            text = path.read_bytes()
            if any(mark in text for mark in _MARKS):
                digest.update(path.name.encode())
                digest.update(text)
    return digest.hexdigest()[:16]


def _folder() -> Path:
    """A folder that can be written: the user's choice, beside the code, or the user's cache."""
    name = f"mprof-{_digest()}"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [Path(chosen)] if chosen else [_PACKAGE / "kernels" / "__pycache__"]
    places += [Path(home).expanduser() / "mprof"]
    for place in places:
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _forget_stale(place, keep=name)
            return folder
    return places[0] / name  # nothing is kept


def _forget_stale(place: Path, *, keep: str) -> None:
    """Removes machine code of sources that were replaced long ago."""
    for folder in place.glob("mprof-*"):
        try:
            if folder.name != keep and time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


_CACHE = _folder()
_FIRST_RUN = not any(_CACHE.glob("*.code"))


def is_first_run() -> bool:
    """Whether nothing is compiled yet, so that the first analysis takes seconds longer."""
    return _FIRST_RUN


# --- what kernels are declared with ---------------------------------------------------------------


class _Compiled:
    """A function over arrays and integers; compiled when it is first called, or by its caller."""

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        self._function = function
        self._inline = inline
        self._ready: dict[Signature, Callable[..., Any]] = {}
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    @cached_property
    def _dispatcher(self) -> Any:
        return _jit(self._function, inline=self._inline)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes it for where another kernel calls it (``numba.typeof``)."""
        return self._dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.code_for(arguments)(arguments)

    def code_for(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """What is to be called with arguments of these types."""
        signature = _machine_code.signature_of(arguments)
        code = self._ready.get(signature)
        if code is None:
            with _lock:
                code = self._ready.get(signature) or self._prepare(signature)
        return code

    def _prepare(self, signature: Signature) -> Callable[..., Any]:
        name = f"{self._function.__module__}.{self.__name__}".removeprefix("mprof.")
        kinds = hashlib.sha256(repr(signature).encode()).hexdigest()[:12]
        path = _CACHE / f"{name}-{kinds}.code"
        code = _machine_code.read(path)
        if code is None:
            code = _compiled(self._dispatcher, signature)
            if code is None:
                self._ready[signature] = call = self._by_numba()
                return call
            _machine_code.write(path, code)
        self._ready[signature] = loaded = _machine_code.load(code)
        return loaded

    def _by_numba(self) -> Callable[..., Any]:
        import numba

        jit = cast("Any", numba.njit)
        dispatcher: Any = jit(nogil=True, error_model="numpy", _nrt=False)(self._function)

        def call(arguments: tuple[Any, ...]) -> Any:
            return dispatcher(*arguments)

        return call


class Instruction:
    """A machine instruction that numba does not offer; ``make`` declares it to numba."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        self._intrinsic = self._make()  # numba itself holds it weakly
        context = cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(self._intrinsic)


def kernel(function: _Function) -> _Function:
    """Compiles a function over arrays to machine code, once per machine.

    It takes C-contiguous arrays, integers and named tuples of them, and returns nothing, a 64-bit
    integer or a tuple of those. Arrays are not counted as owned inside a kernel, so it must not
    make any: the caller allocates.
    """
    return cast("_Function", _Compiled(function, inline=False))


def repeated(
    function: Callable[..., Any], *arguments: Any, changing: tuple[int, ...]
) -> Callable[..., Any]:
    """A call of a kernel that is made over and over, each time with other integers only.

    To take arguments apart takes 60 µs for a pass over a chunk, while no other thread of Python
    runs: nearly as much as to count the chunk's objects. Here that is done once.

    Args:
        function: the kernel.
        arguments: its arguments; any integers where they change.
        changing: which ones change, ascending.

    Returns:
        A function of the integers that change, for one thread.
    """
    code = cast("_Compiled", function).code_for(arguments)
    given = list(arguments)  # keeps the arrays
    words: list[int] = []
    places: list[int] = []
    for index, argument in enumerate(arguments):
        if index in changing:
            places.append(len(words))
        _machine_code.flatten((argument,), words)

    def call(*values: int) -> Any:
        if isinstance(code, Loaded):
            for place, value in zip(places, values, strict=True):
                words[place] = value
            return code.invoke(words)
        for place, value in zip(changing, values, strict=True):
            given[place] = value
        return code(tuple(given))

    return call


def inlined(function: _Function) -> _Function:
    """Compiles a small function that only other kernels call."""
    return cast("_Function", _Compiled(function, inline=True))
