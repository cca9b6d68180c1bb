"""Instructions that numba does not offer: big-endian words, bit count, prefetch, atomic or."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from mprof.kernels._compile import Instruction

__all__ = [
    "add_bits",
    "count_bits",
    "integer",
    "load_be16",
    "load_be32",
    "load_be64",
    "prefetch",
    "store_be32",
    "store_be64",
]


def _load(bits: int) -> Any:
    """A load of ``bits`` bits at any byte position, most significant byte first."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types
    from numba.extending import intrinsic

    def load(typing_context: Any, buffer: Any, position: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type = signature.args[0]
            array = context.make_array(array_type)(context, builder, arguments[0])
            index = context.cast(builder, arguments[1], signature.args[1], types.int64)
            byte = builder.gep(array.data, [index], inbounds=True)
            word = builder.bitcast(byte, ir.IntType(bits).as_pointer())
            value = builder.bswap(builder.load(word, align=1))
            return value if bits == 64 else builder.zext(value, ir.IntType(64))

        return types.int64(buffer, position), generate

    return intrinsic(load)


def _store(bits: int) -> Any:
    """A store of the lowest ``bits`` bits at any byte position, most significant byte first."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def store(typing_context: Any, buffer: Any, position: Any, value: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            index = context.cast(builder, arguments[1], signature.args[1], types.int64)
            number = context.cast(builder, arguments[2], signature.args[2], types.int64)
            byte = builder.gep(array.data, [index], inbounds=True)
            word = builder.bitcast(byte, ir.IntType(bits).as_pointer())
            part = number if bits == 64 else builder.trunc(number, ir.IntType(bits))
            builder.store(builder.bswap(part), word, align=1)
            return context.get_dummy_value()

        return types.void(buffer, position, value), generate

    return intrinsic(store)


integer = cast("Callable[[Any], int]", np.int64)
"""A signed 64-bit integer; numba turns arithmetic on signed and unsigned ones into floats."""

_Load = Callable[[Any, Any], int]

load_be16 = cast("_Load", Instruction(partial(_load, 16)))
load_be32 = cast("_Load", Instruction(partial(_load, 32)))
load_be64 = cast("_Load", Instruction(partial(_load, 64)))

_Write = Callable[[Any, Any, Any], None]

store_be32 = cast("_Write", Instruction(partial(_store, 32)))
store_be64 = cast("_Write", Instruction(partial(_store, 64)))


def _count_bits() -> Any:
    """The number of set bits of a 64-bit word."""
    from numba import types
    from numba.extending import intrinsic

    def count(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    return intrinsic(count)


count_bits = cast("Callable[[Any], int]", Instruction(_count_bits))


def _prefetch() -> Any:
    """Prefetches one element, or row, of an array; has no other effect."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    def ask(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            data = array.data
            position = context.cast(builder, arguments[1], signature.args[1], types.int64)
            if signature.args[0].ndim == 2:
                columns = cgutils.unpack_tuple(builder, array.shape)[1]  # type: ignore[no-untyped-call]
                position = builder.mul(position, columns)
            element = builder.gep(data, [position])
            byte_pointer = cgutils.voidptr_t
            int32 = ir.IntType(32)
            function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
                builder.module,
                ir.FunctionType(ir.VoidType(), [byte_pointer, int32, int32, int32]),
                "llvm.prefetch.p0",
            )
            hint = [ir.Constant(int32, value) for value in (0, 3, 1)]  # read, keep, data
            builder.call(function, [builder.bitcast(element, byte_pointer), *hint])
            return context.get_dummy_value()

        return types.void(array, index), generate

    return intrinsic(ask)


prefetch = cast("Callable[[Any, Any], None]", Instruction(_prefetch))


def _add_bits() -> Any:
    """Atomically sets bits of an element; returns the element as it was before."""
    from numba import types
    from numba.extending import intrinsic

    def add(typing_context: Any, array: Any, index: Any, bits: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            position = context.cast(builder, arguments[1], signature.args[1], types.int64)
            element = builder.gep(data, [position])
            return builder.atomic_rmw("or", element, arguments[2], "monotonic")

        return types.uint64(array, index, types.uint64), generate

    return intrinsic(add)


add_bits = cast("Callable[[Any, Any, Any], Any]", Instruction(_add_bits))
