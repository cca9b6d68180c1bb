"""A holder in words for people, made from its key and never read again."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mprof.heap.words import contents_in_words
from mprof.objects.heap_objects import Holder, HolderKey
from mprof.units import format_count

__all__ = ["contents_in_words", "holder_in_words", "is_lambda", "is_proxy", "path_in_words"]

_OUTER: Final = "this$"  # fields in which inner objects have the one around them
_CAPTURED: Final = "val$"  # fields in which they have the variables of the method they stand in
_SCALA_CLOSURE: Final = re.compile(r"^\$anonfun\$(?:adapted\$)?(.+?)\$\d+(?:\$adapted)?$")


def holder_in_words(holder: Holder) -> str:
    """The same for a reader who has the dump only: ``field WordMapper.counts``.

    No longer than the user's classes declare: what a cache of a library calls its own table, is not
    where to look. A local that is the frame's own object is no local of the source.
    """
    if holder.within is not None and holder.path:
        called = f"{_short(holder.within.class_name)}.{holder.within.method}()"
        local = f"local {_short(holder.class_name)} within {called}"
        word = "which calls" if holder.calls else "called by"
        return f"{local}, {word} {_in_method(holder.key)}"
    if holder.key.kind == "unheld":
        return f"{_short(holder.key.value_class)} that no root of the dump reaches"
    outer = _declared_in_words(holder)
    if holder.inner_field is None:
        return outer
    if is_lambda(holder.inner_field):
        of = _short(holder.inner_field.partition("$$Lambda")[0])
        return (
            f"local {_short(holder.class_name)} captured by a lambda of {of} (reached from {outer})"
        )
    word, _, field = holder.inner_field.rpartition(" ")
    each = f" of {format_count(holder.objects)} objects" if holder.objects > 1 else ""
    of, _, name = field.rpartition(".")
    if name.startswith(_CAPTURED):
        captured = name.removeprefix(_CAPTURED)
        return f"variable {captured} captured by {_short(of)} (reached from {outer})"
    return f"{word or 'field'} {_short(of)}.{name}{each} (reached from {outer})"


def _declared_in_words(holder: Holder) -> str:
    key, path = holder.key, holder.declared_path or ""
    if key.kind == "writer" and holder.copies > 1:
        return _open_writers(holder)
    if key.kind == "static":
        name = _qualified(key) if path.startswith("this") else path or _qualified(key)
        by_thread = key.thread_local and holder.loaded == 1
        of = "threads" if by_thread else "classes of that name"
        copies = f" in {format_count(holder.copies)} {of}" if holder.copies > 1 else ""
        kept_by = "" if holder.kept_by is None else f" (kept by {holder.kept_by})"
        return f"static {name}{copies}{kept_by}"
    begins, _, fields = path.partition(".")
    if begins == "this" and fields and holder.path and key.kind in ("field", "local", "writer"):
        names, at = fields.split("."), 0
        while (
            len(names) > 1
            and len(holder.path) > at + 1
            and (is_lambda(holder.path[at].class_name) or names[0].startswith(_OUTER))
        ):
            names, at = names[1:], at + 1  # neither the class behind a lambda is in the source
        of = _short(holder.path[at].class_name)
        if names[0].startswith(_CAPTURED):
            captured = ".".join((names[0].removeprefix(_CAPTURED), *names[1:]))
            return f"variable {captured} captured by {of}"
        return f"field {of}.{'.'.join(names)}"
    if key.kind in ("field", "writer") and key.fields:
        return f"field {_short(key.class_name)}.{'.'.join(key.fields)}"
    return path_in_words(replace(holder, field_path=path or None))


def path_in_words(holder: Holder) -> str:
    """``this.counts (WordMapper.counts)``; a static by its class, a local by class and method."""
    key = holder.key
    if key.kind == "writer" and holder.copies > 1:
        return _open_writers(holder)
    if key.kind == "static":
        return f"static {holder.field_path or _qualified(key)}"
    if key.kind in ("field", "writer") or (key.kind == "reader" and not key.method):
        declared = ".".join(key.fields)
        path = holder.field_path or declared
        if path == _qualified(key):  # between two calls no frame has it as this
            path = f"this.{declared}"
        return f"{path} ({_short(key.class_name)}.{declared})"
    if key.kind in ("local", "reader"):
        return _local_in_words(holder)
    if key.kind == "finalizers":
        return f"objects of {_short(key.value_class)} that wait for their finalizers"
    if key.kind == "thread_locals":
        return f"thread-locals with objects of {_short(key.value_class)}"
    if key.kind == "buffer" and holder.site is not None and holder.element_class == "byte":
        return "the serialised record that is being written"
    return holder.field_path or str(key)


def _open_writers(holder: Holder) -> str:
    kept_by = "" if holder.kept_by is None else f" kept by {holder.kept_by}"
    return f"the set of open {_short(holder.key.class_name)} objects{kept_by}"


def _qualified(key: HolderKey) -> str:
    return ".".join((key.class_name, *key.fields))


def _local_in_words(holder: Holder) -> str:
    """``local Index.rows of Join.reduce()``."""
    key = holder.key
    word, via = f"local {key.value_class}", holder.field_path or ""
    if is_lambda(key.value_class) and holder.path and holder.site is not None:
        # What a lambda has captured has a name in the methods that it calls.
        begins, _, fields = via.partition(".")
        if begins == "this" and fields and not is_lambda(holder.path[0].class_name):
            return f"{via} ({_short(holder.path[0].class_name)}.{fields})"
        if begins.startswith("local ") and not via.startswith(word):
            of = holder.path[0].class_name
            local = "".join((_short(of), via.removeprefix(f"local {of}")))
            return f"local {local} of {_short(holder.site.class_name)}.{holder.site.method}()"
    if via.startswith("this.") and holder.path and holder.path[0].class_name == key.value_class:
        via = via.replace("this", word, 1)  # a method of the local's own is at work
    tail = via.removeprefix(word) if via.startswith(f"{word}.") else ""
    if not tail and key.fields:
        tail = f".{'.'.join(key.fields)}"
    number = f" #{key.number}" if key.number > 1 else ""
    local = f"local {_short(key.value_class)}{number}{tail}"
    return f"{local} of {_in_method(key)}"


def is_lambda(class_name: str) -> bool:
    """Whether the class stands behind a lambda or is a dynamic proxy: it has no source."""
    return "$$Lambda" in class_name or is_proxy(class_name)


def is_proxy(class_name: str) -> bool:
    """Whether it is a dynamic proxy, which has the package of its interface."""
    return class_name.rpartition(".")[2].startswith("$Proxy")


def _short(class_name: str) -> str:
    return class_name.rpartition(".")[2].replace("$$", "$").strip("$").replace("$", ".")


def _in_method(key: HolderKey) -> str:
    """``Fold.latest()``; of the body of a closure as scalac names it the method it stands in."""
    method = _SCALA_CLOSURE.sub(r"\1", key.method)
    return f"{_short(key.class_name)}.{method}()"
