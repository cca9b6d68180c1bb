"""What each instruction of the JVM takes from the operand stack, and what it leaves there.

Java Virtual Machine Specification, chapter 6. The stack is counted in slots: a ``long`` or a
``double`` has two, so that ``dup2`` and its like move slots whatever is in them.
"""

from __future__ import annotations

import struct
from typing import Final

__all__ = [
    "ENDS",
    "JUMPS",
    "MOVED",
    "descriptor_slots",
    "effect_of",
    "length_of",
    "switch_targets",
]

# opcodes from, to; bytes with operands; slots taken; slots left
_ROWS: Final = (
    (0, 0, 1, 0, 0), (1, 8, 1, 0, 1), (9, 10, 1, 0, 2), (11, 13, 1, 0, 1), (14, 15, 1, 0, 2),
    (16, 16, 2, 0, 1), (17, 17, 3, 0, 1), (18, 18, 2, 0, 1), (19, 19, 3, 0, 1), (20, 20, 3, 0, 2),
    (21, 21, 2, 0, 1), (22, 22, 2, 0, 2), (23, 23, 2, 0, 1), (24, 24, 2, 0, 2), (25, 25, 2, 0, 1),
    (26, 29, 1, 0, 1), (30, 33, 1, 0, 2), (34, 37, 1, 0, 1), (38, 41, 1, 0, 2), (42, 45, 1, 0, 1),
    (46, 46, 1, 2, 1), (47, 47, 1, 2, 2), (48, 48, 1, 2, 1), (49, 49, 1, 2, 2), (50, 53, 1, 2, 1),
    (54, 54, 2, 1, 0), (55, 55, 2, 2, 0), (56, 56, 2, 1, 0), (57, 57, 2, 2, 0), (58, 58, 2, 1, 0),
    (59, 62, 1, 1, 0), (63, 66, 1, 2, 0), (67, 70, 1, 1, 0), (71, 74, 1, 2, 0), (75, 78, 1, 1, 0),
    (79, 79, 1, 3, 0), (80, 80, 1, 4, 0), (81, 81, 1, 3, 0), (82, 82, 1, 4, 0), (83, 86, 1, 3, 0),
    (87, 87, 1, 1, 0), (88, 88, 1, 2, 0),
    (116, 116, 1, 1, 1), (117, 117, 1, 2, 2), (118, 118, 1, 1, 1), (119, 119, 1, 2, 2),
    (120, 120, 1, 2, 1), (121, 121, 1, 3, 2), (122, 122, 1, 2, 1), (123, 123, 1, 3, 2),
    (124, 124, 1, 2, 1), (125, 125, 1, 3, 2), (126, 126, 1, 2, 1), (127, 127, 1, 4, 2),
    (128, 128, 1, 2, 1), (129, 129, 1, 4, 2), (130, 130, 1, 2, 1), (131, 131, 1, 4, 2),
    (132, 132, 3, 0, 0), (133, 133, 1, 1, 2), (134, 134, 1, 1, 1), (135, 135, 1, 1, 2),
    (136, 137, 1, 2, 1), (138, 138, 1, 2, 2), (139, 139, 1, 1, 1), (140, 141, 1, 1, 2),
    (142, 142, 1, 2, 1), (143, 143, 1, 2, 2), (144, 144, 1, 2, 1), (145, 147, 1, 1, 1),
    (148, 148, 1, 4, 1), (149, 150, 1, 2, 1), (151, 152, 1, 4, 1), (153, 158, 3, 1, 0),
    (159, 166, 3, 2, 0), (167, 167, 3, 0, 0), (168, 168, 3, 0, 1), (169, 169, 2, 0, 0),
    (170, 171, 0, 1, 0), (172, 172, 1, 1, 0), (173, 173, 1, 2, 0), (174, 174, 1, 1, 0),
    (175, 175, 1, 2, 0), (176, 176, 1, 1, 0), (177, 177, 1, 0, 0), (178, 184, 3, 0, 0),
    (185, 186, 5, 0, 0), (187, 187, 3, 0, 1), (188, 188, 2, 1, 1), (189, 189, 3, 1, 1),
    (190, 190, 1, 1, 1), (191, 191, 1, 1, 0), (192, 193, 3, 1, 1), (194, 195, 1, 1, 0),
    (197, 197, 4, 0, 1), (198, 199, 3, 1, 0), (200, 200, 5, 0, 0), (201, 201, 5, 0, 1),
)  # fmt: skip

MOVED: Final = {
    89: (1, (0, 0)), 90: (2, (1, 0, 1)), 91: (3, (2, 0, 1, 2)), 92: (2, (0, 1, 0, 1)),
    93: (3, (1, 2, 0, 1, 2)), 94: (4, (2, 3, 0, 1, 2, 3)), 95: (2, (1, 0)),
}  # fmt: skip
"""Of ``dup`` and its like: how many slots, and in which order they lie afterwards, lowest first."""

JUMPS: Final = frozenset({*range(153, 169), 198, 199, 200, 201})
"""Instructions with one target, relative to them."""

ENDS: Final = frozenset({167, 169, 170, 171, *range(172, 178), 191, 200})
"""After these the next instruction is not reached from here."""

_TABLE, _WIDE, _IINC = 170, 196, 132


def _table() -> dict[int, tuple[int, int, int]]:
    table = {code: row for low, high, *row in _ROWS for code in range(low, high + 1)}
    for code in range(96, 116):  # + - * / %, each of int, long, float, double
        table[code] = [1, 4, 2] if code % 2 else [1, 2, 1]
    return {code: (row[0], row[1], row[2]) for code, row in table.items()}


_EFFECTS: Final = _table()


def length_of(code: bytes, at: int) -> int:
    """Bytes of the instruction there.

    Raises:
        KeyError: if it is none.
        struct.error: if it is cut off.
    """
    opcode = code[at]
    if opcode in {_TABLE, _TABLE + 1}:
        base = (at + 4) & ~3
        if opcode == _TABLE:
            low, high = struct.unpack_from(">ii", code, base + 4)
            return base + 12 + 4 * int(high - low + 1) - at
        return base + 8 + 8 * int(struct.unpack_from(">i", code, base + 4)[0]) - at
    if opcode == _WIDE:
        return 6 if code[at + 1] == _IINC else 4
    return 1 if opcode in MOVED else _EFFECTS[opcode][0]


def effect_of(opcode: int) -> tuple[int, int]:
    """Slots taken and left, where that hangs on the opcode alone."""
    return _EFFECTS[opcode][1:]


def switch_targets(code: bytes, at: int) -> tuple[int, ...]:
    """The targets of a ``tableswitch`` or ``lookupswitch``."""
    base = (at + 4) & ~3
    default = at + int(struct.unpack_from(">i", code, base)[0])
    if code[at] == _TABLE:
        low, high = struct.unpack_from(">ii", code, base + 4)
        many = struct.unpack_from(f">{high - low + 1}i", code, base + 12)
    else:
        pairs = int(struct.unpack_from(">i", code, base + 4)[0])
        many = struct.unpack_from(f">{2 * pairs}i", code, base + 8)[1::2]
    return (default, *(at + one for one in many))


def descriptor_slots(descriptor: str) -> tuple[int, int]:
    """Slots of a method's arguments, without ``this``, and of its result.

    Raises:
        ValueError: if it is no descriptor of a method.
    """
    inside, closed, result = descriptor.partition(")")
    if not inside.startswith("(") or not closed or not result:
        raise ValueError(f"{descriptor!r} describes no method")
    arguments, at = 0, 1
    while at < len(inside):
        begin = at
        while inside[at : at + 1] == "[":
            at += 1
        at = inside.index(";", at) + 1 if inside[at : at + 1] == "L" else at + 1
        arguments += 2 if inside[begin] in "JD" else 1
    return arguments, 0 if result == "V" else 2 if result in {"J", "D"} else 1
