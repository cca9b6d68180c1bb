"""The JSON Schema of a published value: its types say what may stand where, its docstrings why."""

from __future__ import annotations

import inspect
import re
from typing import Any, Final

import msgspec

__all__ = ["json_schema"]

_LIST_OF_WORDS: Final = re.compile(r"\[[^\[\]{}]*\]")
_MEMBER: Final = re.compile(r"^(\w+): ")


def json_schema(kind: type, title: str) -> str:
    """The schema as text.

    The docstring of a struct or a dataclass is the description of its objects, the lines of its
    ``Attributes`` those of their members. Each member is there unless it may be unset; others may
    be added.
    """
    (root,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    documented = {key: _described(one) for key, one in components.items()}
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **documented.pop(name),
        "title": title,
        "$defs": documented,
    }
    text = msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()
    return _LIST_OF_WORDS.sub(lambda found: " ".join(found[0].split()), text) + "\n"


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    text, _, attributes = inspect.cleandoc(schema.get("description", "")).partition("Attributes:")
    says = _members(inspect.cleandoc(attributes))
    members = {_named(name): _short(member) for name, member in schema["properties"].items()}
    there = {_named(name) for name in schema.get("required", ())}
    for name, member in members.items():
        if "default" in member:  # it is written all the same
            there.add(name)
            del member["default"]
        if name in says:
            member["description"] = says[name]
    return {
        "type": "object",
        "description": " ".join(text.split()),
        "properties": members,
        "required": [name for name in members if name in there],
    }


def _named(name: str) -> str:
    """A dataclass can have no field that is called ``class``."""
    return "class" if name == "class_name" else name


def _short(member: dict[str, Any]) -> dict[str, Any]:
    """``"type": ["string", "null"]`` in place of an ``anyOf`` of the two."""
    kinds = [set(each) == {"type"} and each["type"] for each in member.get("anyOf", ())]
    rest = {key: each for key, each in member.items() if key != "anyOf"}
    return {"type": kinds, **rest} if kinds and all(kinds) else dict(member)


def _members(attributes: str) -> dict[str, str]:
    """Name -> what the lines of a docstring's ``Attributes`` say of it."""
    found: dict[str, str] = {}
    name = ""
    for line in attributes.splitlines():
        begins = _MEMBER.match(line)
        name = begins[1] if begins else name
        rest = line[begins.end() :] if begins else line.strip()
        found[name] = f"{found.get(name, '')} {rest}".strip()
    return found
