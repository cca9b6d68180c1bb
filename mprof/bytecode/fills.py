"""Where a method adds to containers: which field, static or new object, and in which line.

One walk over the instructions in their order, with a stack of origins instead of values: javac
leaves the stack empty where a loop turns back, so that each instruction is seen once. What comes
from two places (a ``? :``) has no origin. What is asked of a container, such as the list that
``map.get(key)`` gives, counts as inside it.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mprof.bytecode.adding import ADDS
from mprof.bytecode.class_file import ClassFile, ClassFileError, Method
from mprof.bytecode.instructions import (
    ENDS,
    JUMPS,
    MOVED,
    descriptor_slots,
    effect_of,
    length_of,
    switch_targets,
)

__all__ = ["Fill", "Origin", "fills_in"]

_INSIDE: Final = frozenset({
    "computeIfAbsent", "ceilingEntry", "compute", "firstEntry", "floorEntry", "get", "getFirst",
    "getKey", "getLast", "getOrDefault", "getValue", "lastEntry", "merge", "peek", "putIfAbsent",
    "append", "next", "iterator", "entrySet", "values",
})  # fmt: skip
"""Methods whose result is what they are called on, or lies in it."""

_ALOAD, _ASTORE, _AALOAD = 25, 58, 50
_STORES: Final = frozenset(range(79, 87))  # into arrays
_GETSTATIC, _PUTSTATIC, _PUTFIELD = 178, 179, 181
_INVOKES: Final = frozenset(range(182, 187))
_INVOKESTATIC, _INVOKEDYNAMIC = 184, 186
_NEW, _CHECKCAST, _WIDE, _MULTI = 187, 192, 196, 197
_NEW_ARRAYS: Final = frozenset({188, 189, _MULTI})


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a reference comes from.

    Attributes:
        kind: a field of some object, a static field, or an object that this method made.
        class_name: the class that the instruction names.
        name: of the field; "" of a new object.
    """

    kind: str
    class_name: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Fill:
    """One place where something is added.

    Attributes:
        origin: to what.
        method: in which.
        line: of it; None where it was compiled without.
        replaces: it gives the field another value, and adds nothing to the one it has.
    """

    origin: Origin
    method: str
    line: int | None
    replaces: bool = False


_Stack = list[Origin | None]


def fills_in(of: ClassFile, method: Method) -> tuple[Fill, ...]:
    """All of them in a method; those before a damage where its code is damaged."""
    walk = _Walk(of, method)
    # what follows a damage is not known; what was found stands
    with contextlib.suppress(ClassFileError, IndexError, KeyError, ValueError, struct.error):
        walk.through()
    return tuple(walk.found)


@dataclass(slots=True)
class _Walk:
    of: ClassFile
    method: Method
    found: list[Fill] = field(default_factory=list)
    stack: _Stack = field(default_factory=list)
    local: dict[int, Origin] = field(default_factory=dict)
    arriving: dict[int, _Stack] = field(default_factory=dict)

    def through(self) -> None:
        code, at, reached = self.method.code, 0, True
        while at < len(code):
            if at in self.method.handlers:
                self.stack = [None]  # the exception
            elif at in self.arriving:
                other = self.arriving[at]
                self.stack = _merged(self.stack, other) if reached else list(other)
            elif not reached:
                self.stack = []
            length = length_of(code, at)
            if length <= 0:
                raise ValueError("an instruction without bytes")
            self._step(code, at)
            opcode = code[at]
            for target in _targets(code, at):
                held = self.arriving.get(target)
                now = list(self.stack)
                self.arriving[target] = now if held is None else _merged(held, now)
            reached = opcode not in ENDS
            at += length

    def _step(self, code: bytes, at: int) -> None:
        opcode, operand = code[at], int.from_bytes(code[at + 1 : at + 3], "big")
        wide = opcode == _WIDE
        if wide:
            opcode, operand = code[at + 1], int.from_bytes(code[at + 2 : at + 4], "big")
        if opcode in MOVED:
            many, order = MOVED[opcode]
            taken = self._taken(many)
            self.stack += [taken[each] for each in order]
        elif _GETSTATIC <= opcode <= _PUTFIELD:
            self._field(opcode, operand, at)
        elif opcode in _INVOKES:
            self._call(opcode, operand, at)
        elif opcode == _NEW:
            self.stack.append(Origin("new", self.of.class_at(operand)))
        elif opcode == _MULTI:
            self._taken(code[at + 3])
            self.stack.append(Origin("new", ""))
        elif opcode in _STORES:
            self._stored(opcode, at)
        else:
            self._other(opcode, operand if wide else code[at + 1 : at + 2])

    def _other(self, opcode: int, operand: int | bytes) -> None:
        slot = operand if isinstance(operand, int) else int.from_bytes(operand, "big")
        taken, left = effect_of(opcode)
        values = self._taken(taken)
        if opcode == _ALOAD or 42 <= opcode <= 45:
            self.stack.append(self.local.get(slot if opcode == _ALOAD else opcode - 42))
        elif opcode == _ASTORE or 75 <= opcode <= 78:
            self._keep(slot if opcode == _ASTORE else opcode - 75, values[0])
        elif opcode in {_CHECKCAST, _AALOAD}:
            self.stack.append(values[0])
        elif opcode in _NEW_ARRAYS:
            self.stack.append(Origin("new", ""))
        else:
            if 54 <= opcode <= 78:  # another kind of value takes the slot
                self.local.pop(slot if opcode < 59 else (opcode - 59) % 4, None)
            self.stack += [None] * left

    def _keep(self, slot: int, origin: Origin | None) -> None:
        if origin is None:
            self.local.pop(slot, None)
        else:
            self.local[slot] = origin

    def _field(self, opcode: int, index: int, at: int) -> None:
        named = self.of.reference(index)
        slots = 2 if named.descriptor in {"J", "D"} else 1
        is_static = opcode in {_GETSTATIC, _PUTSTATIC}
        origin = Origin("static" if is_static else "field", named.owner, named.name)
        if opcode in {_PUTSTATIC, _PUTFIELD}:
            self._taken(slots + (not is_static))
            self._note(origin, at, replaces=True)
            return
        self._taken(not is_static)
        self.stack += [origin] if slots == 1 else [None, None]

    def _call(self, opcode: int, index: int, at: int) -> None:
        named = self.of.reference(index)
        arguments, result = descriptor_slots(named.descriptor)
        self._taken(arguments)
        receiver = None
        if opcode not in {_INVOKESTATIC, _INVOKEDYNAMIC}:
            receiver = self._taken(1)[0]
        if receiver is not None and named.name in ADDS and arguments:
            self._note(receiver, at)
        inside = receiver if named.name in _INSIDE and result == 1 else None
        self.stack += [inside] if result == 1 else [None] * result

    def _stored(self, opcode: int, at: int) -> None:
        array = self._taken(effect_of(opcode)[0])[0]
        if array is not None:
            self._note(array, at)

    def _note(self, origin: Origin, at: int, *, replaces: bool = False) -> None:
        line = self.method.line_at(at)
        self.found.append(Fill(origin, self.method.member.name, line, replaces))

    def _taken(self, many: int) -> _Stack:
        """The topmost slots, lowest first."""
        if many == 0:
            return []
        taken = self.stack[-many:]
        del self.stack[-many:]
        return [None] * (many - len(taken)) + taken


def _targets(code: bytes, at: int) -> Iterator[int]:
    opcode = code[at]
    if opcode in {170, 171}:
        yield from switch_targets(code, at)
    elif opcode in {200, 201}:
        yield at + int(struct.unpack_from(">i", code, at + 1)[0])
    elif opcode in JUMPS:
        yield at + int(struct.unpack_from(">h", code, at + 1)[0])


def _merged(one: _Stack, other: _Stack) -> _Stack:
    if len(one) != len(other):  # damaged, or dead code
        return [None] * min(len(one), len(other))
    return [a if a == b else None for a, b in zip(one, other, strict=True)]
