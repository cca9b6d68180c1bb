"""How every kernel is compiled: the one place for compiler flags and for what is bound of numba.

Kernels release the interpreter lock, so a caller may run one per core in plain threads; that
needs no threading layer and a third of the compile time of ``parallel=True``.

Nothing is imported, read or written before a kernel is first called. numba is imported only to
compile; the machine code is kept (:mod:`mprof.kernels._cache`), and later runs load it without
numba (:mod:`mprof.kernels._machine_code`).

What is bound of numba that its documentation does not promise, and why:

- the options ``no_cpython_wrapper`` and ``no_cfunc_wrapper``: Python never calls the compiled
  function through numba, and wrappers double the time to compile;
- the options ``_nrt`` and ``forceinline``: half to two thirds of the speed, see ``_jit``;
- ``Dispatcher._compiler.compile``: compiles for given types without calling;
- ``CompileResult.library._get_compiled_object`` and ``.fndesc.llvm_func_name``: the object file
  and the function in it;
- ``CompileResult.target_context.call_conv`` and ``numba.core.datamodel``: the calling convention
  and the members of an array, which ``_machine_code`` reproduces;
- the attribute ``_numba_type_`` of a global, and ``numba.core.registry.cpu_target``: let one
  kernel call another, or an instruction, that nobody has compiled yet.

Tried with numba 0.61.2, 0.64.0 and 0.68.1. No version is asked for: where a part is missing,
refuses what it is given or shows another layout, the kernel goes through numba's public dispatcher
instead. That is several times slower, and compiled afresh by each process, but right.
"""

from __future__ import annotations

import hashlib
import threading
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from mprof.kernels import _machine_code
from mprof.kernels._cache import code_cache
from mprof.kernels._machine_code import Loaded, MachineCode, Signature

__all__ = ["Instruction", "inlined", "kernel", "repeated"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_lock = threading.RLock()  # neither the compiler nor the linker may be entered by two threads


# --- numba, by its private parts ------------------------------------------------------------------


def _jit(function: Callable[..., Any], *, inline: bool) -> Any:
    """Numba's dispatcher of a function; it is never called from Python, so it needs no wrapper.

    "_nrt": arrays are not reference-counted, or loops that read arrays out of a named tuple take
    three times as long. "forceinline" for what only kernels call: an array is passed as seven
    words, and where LLVM was left to decide, filling rows and the walk took twice the time.
    "boundscheck" is off unless asked for; asking makes the same code.
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
    from numba import types as numba_types

    if kind is None:
        return numba_types.int64
    if isinstance(kind[0], type):
        parts = [_numba_type(part) for part in kind[1]]
        return cast("Any", numba_types.NamedTuple)(parts, kind[0])
    from numba.np.numpy_support import from_dtype

    return numba_types.Array(from_dtype(np.dtype(kind[0])), kind[1], "C")


def _compiled(dispatcher: Callable[[], Any], signature: Signature) -> MachineCode | None:
    """Compiles a function for one combination of argument types.

    None where this numba lacks a part that is bound here, or passes arguments otherwise. An error
    in the function itself gives None too: the public dispatcher then meets and reports it.

    Raises:
        TypeError: if the function returns anything but 64-bit integers.
    """
    import numba

    try:
        arguments = tuple(_numba_type(kind) for kind in signature)
        result = dispatcher()._compiler.compile(arguments, None)
        returned: Any = result.signature.return_type
        convention = result.target_context.call_conv.get_function_type(returned, arguments)
        array = result.target_context.data_model_manager[numba.types.Array(numba.int32, 1, "C")]
        words, members = len(convention.args) - 2, array._fields
        symbol, content = result.fndesc.llvm_func_name, result.library._get_compiled_object()
    except (AttributeError, ImportError, KeyError, TypeError, numba.errors.NumbaError):
        return None
    if words != _machine_code.count_words(signature) or members != _machine_code.ARRAY_MEMBERS:
        return None
    parts = () if returned == numba.types.none else getattr(returned, "types", (returned,))
    if any(part != numba.int64 for part in parts):
        raise TypeError(f"{symbol} returns {returned}; a kernel returns 64-bit integers")
    return MachineCode(symbol=symbol, results=len(parts), words=words, content=content)


# --- numba, by its public parts -------------------------------------------------------------------


def _public_dispatcher(function: Callable[..., Any]) -> Any:
    """A plain dispatcher; what the function calls of this module becomes plain ones, too."""
    import numba

    code = function.__code__
    called = {name: function.__globals__.get(name) for name in code.co_names}
    plain = {
        name: value.public
        for name, value in called.items()
        if isinstance(value, (_Compiled, Instruction))
    }
    copy = types.FunctionType(code, {**function.__globals__, **plain}, function.__name__)
    return cast("Any", numba.njit)(nogil=True, error_model="numpy")(copy)


def _as_word(argument: Any) -> Any:
    """The argument as machine code takes it: every number a 64-bit integer."""
    if isinstance(argument, np.ndarray):
        return argument
    if isinstance(argument, tuple):
        return type(argument)(*(_as_word(part) for part in argument))
    return int(argument)


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

    @cached_property
    def public(self) -> Any:
        """The function as a dispatcher that needs numba's public parts only."""
        return _public_dispatcher(self._function)

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
        cache, file = code_cache(), f"{name}-{kinds}.code"
        found = (_machine_code.read(path) for path in cache.places_of(file))
        code = next((each for each in found if each is not None), None)
        if code is None:
            code = _compiled(lambda: self._dispatcher, signature)
            if code is None:
                self._ready[signature] = call = self._call_public
                return call
            if cache.folder is not None:
                _machine_code.write(cache.folder / file, code)
        self._ready[signature] = loaded = _machine_code.load(code)
        return loaded

    def _call_public(self, arguments: tuple[Any, ...]) -> Any:
        return self.public(*(_as_word(argument) for argument in arguments))


class Instruction:
    """A machine instruction that numba does not offer; ``make`` declares it to numba."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def public(self) -> Any:
        """The intrinsic; numba itself refers to it weakly."""
        return self._make()

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        context = cpu_target.typing_context
        intrinsic = self.public
        context.refresh()
        return context.resolve_value_type(intrinsic)


def kernel(function: _Function) -> _Function:
    """Compiles a function over arrays to machine code, once per machine.

    It takes C-contiguous arrays, integers and named tuples of them, and returns nothing, a 64-bit
    integer or a tuple of those. Arrays are not reference-counted inside a kernel, so it must not
    make any: the caller allocates.
    """
    return cast("_Function", _Compiled(function, inline=False))


def inlined(function: _Function) -> _Function:
    """Compiles a small function that only other kernels call."""
    return cast("_Function", _Compiled(function, inline=True))


def repeated(
    function: Callable[..., Any], *arguments: Any, changing: tuple[int, ...]
) -> Callable[..., Any]:
    """A call of a kernel that is made over and over, each time with other integers only.

    Taking the arguments of a pass over a chunk apart takes 60 µs, during which no other thread of
    Python runs: nearly as long as counting the chunk's objects. Here that is done once.

    Args:
        function: the kernel.
        arguments: its arguments; any integers where they change.
        changing: which ones change, ascending.

    Returns:
        A function of the integers that change, for one thread.
    """
    code = cast("_Compiled", function).code_for(arguments)
    given = list(arguments)  # keeps the arrays alive
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
