"""Class and field-type names as Java source writes them."""

from __future__ import annotations

from mprof.hprof.format import (
    TYPE_BOOLEAN,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_DOUBLE,
    TYPE_FLOAT,
    TYPE_INT,
    TYPE_LONG,
    TYPE_SHORT,
)

__all__ = ["PRIMITIVE_NAMES", "hex_id", "java_name"]

PRIMITIVE_NAMES = {
    TYPE_BOOLEAN: "boolean",
    TYPE_CHAR: "char",
    TYPE_FLOAT: "float",
    TYPE_DOUBLE: "double",
    TYPE_BYTE: "byte",
    TYPE_SHORT: "short",
    TYPE_INT: "int",
    TYPE_LONG: "long",
}
"""By the code of the basic type in the dump."""

_DESCRIPTORS = {
    "Z": "boolean",
    "C": "char",
    "F": "float",
    "D": "double",
    "B": "byte",
    "S": "short",
    "I": "int",
    "J": "long",
}


def java_name(internal: str) -> str:
    """The source form of a name in the virtual machine's form.

    A hidden class keeps the slash before its suffix, as ``Class.getName`` prints it.

    >>> java_name("[Ljava/util/HashMap$Node;"), java_name("[[I"), java_name("Main$$Lambda+0x80")
    ('java.util.HashMap$Node[]', 'int[][]', 'Main$$Lambda/0x80')
    """
    depth = len(internal) - len(internal.lstrip("["))
    element = internal[depth:]
    if depth:
        if element.startswith("L") and element.endswith(";"):
            element = element[1:-1]
        else:
            element = _DESCRIPTORS.get(element, element)
    name = element.replace("/", ".").replace("+0x", "/0x")
    return name + "[]" * depth


def hex_id(address: int) -> str:
    """An identifier of the dump as people see it; of a negative one its 64 bits.

    >>> hex_id(0x7F00C0A8), hex_id(-16)
    ('0x7f00c0a8', '0xfffffffffffffff0')
    """
    return f"0x{address & 0xFFFF_FFFF_FFFF_FFFF:x}"
