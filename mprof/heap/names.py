"""Class and field-type names as Java source writes them."""

from __future__ import annotations

__all__ = ["PRIMITIVE_NAMES", "java_name"]

PRIMITIVE_NAMES = {
    4: "boolean",
    5: "char",
    6: "float",
    7: "double",
    8: "byte",
    9: "short",
    10: "int",
    11: "long",
}
"""By the basic type's code in the dump (``hprof_b_spec.h``)."""

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
    """The source form of a name as the virtual machine has it.

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
