"""A dump with a secret in every place where a dump can hold bytes that others chose."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from typing import Any

from builders.hprof_builder import CODES, FORMATS, WIDTHS, Builder, FrameSpec

__all__ = ["Planted", "forms", "planted_dump", "without_texts"]

NUMBERS = ("byte", "short", "char", "int", "long", "float", "double")


@dataclass
class Planted:
    """A dump and what is hidden in it.

    Attributes:
        content: of the dump.
        texts: secrets that are texts, of at least 12 characters.
        patterns: secrets that are bytes, of at least 4.
    """

    content: bytes = b""
    texts: list[str] = field(default_factory=list)
    patterns: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts) + len(self.patterns)

    def all_forms(self) -> set[bytes]:
        """Every secret in every form."""
        found = set(self.patterns)
        for text in self.texts:
            found |= forms(text)
        return found

    def left_in(self, content: bytes) -> set[bytes]:
        """The secrets that a file still has."""
        return {form for form in self.all_forms() if form in content}

    def count_in(self, content: bytes) -> int:
        """How many secrets a file has, in any form."""
        texts = sum(any(form in content for form in forms(text)) for text in self.texts)
        return texts + sum(pattern in content for pattern in self.patterns)


def forms(text: str) -> set[bytes]:
    """A text in the encodings of a dump."""
    found = {text.encode(), text.encode("utf-16-le"), text.encode("utf-16-be")}
    return found | ({text.encode("latin-1")} if max(text) <= "\xff" else set())


class _Secrets:
    def __init__(self, planted: Planted, seed: int) -> None:
        self._planted = planted
        self._random = random.Random(seed)

    def text(self, alphabet: str = "abcdefghkmnpqrstuvwxyz23456789") -> str:
        """A new text."""
        text = "pw:" + "".join(self._random.choices(alphabet, k=17))
        self._planted.texts.append(text)
        return text

    def pattern(self, size: int = 8) -> bytes:
        """New bytes; none is 0, 1 or 255, so that no count looks like a part of them."""
        pattern = bytes(self._random.randrange(0x41, 0x7B) for _ in range(size))
        self._planted.patterns.append(pattern)
        return pattern

    def values(self, kind: str, size: int = 8) -> list[object]:
        """New bytes as values of a type."""
        pattern = self.pattern(max(size, WIDTHS[kind]))
        return list(struct.unpack(f">{len(pattern) // WIDTHS[kind]}{FORMATS[kind]}", pattern))


def planted_dump(
    *, seed: int = 1, width: int = 8, rounds: int = 28, compact_strings: bool = True,
    second_texts: bool = True,
) -> Planted:  # fmt: skip
    """A dump with more than a thousand secrets.

    Args:
        seed: of the secrets.
        width: bytes of an identifier.
        rounds: how often everything is planted.
        compact_strings: as of JDK 9; before that, texts are arrays of chars.
        second_texts: whether a name has further texts behind it, which are none of its own unless
            the first one is damaged.
    """
    planted = Planted()
    secrets = _Secrets(planted, seed)
    builder = Builder(width=width, segment_bytes=3000, compact_strings=compact_strings)
    _plant(builder, secrets, rounds)
    planted.content = _with_raw_records(builder, secrets, width, second_texts)
    return planted


def _plant(builder: Builder, secrets: _Secrets, rounds: int) -> None:
    held: list[int] = []
    builder.class_("app.Top", fields={"top_a": "long", "size": "int", "link": "object"})
    builder.class_(
        "app.Fields", above="app.Top",
        fields={"link0": "object"}
        | {f"{kind}_{index}": kind for kind in NUMBERS for index in range(8 // WIDTHS[kind])}
        | {"flag": "boolean", "link1": "object"},
    )  # fmt: skip
    builder.class_("app.Plain", fields={"size": "long", "count": "int", "used": "short"})
    builder.class_("app.Holder", fields={"items": "object"})
    for each in range(rounds):
        held += [
            builder.string(secrets.text()),
            builder.string(secrets.text("äöüßéñabc23456789")),
            builder.string(secrets.text("ЖЙЛЩЪЭЮЯжйлщъэюя23456789")),
        ]
        for kind in NUMBERS:
            held.append(builder.primitives(kind, secrets.values(kind)))
            held.append(builder.primitives(kind, secrets.values(kind, 64)))
        text = secrets.text()
        held.append(builder.primitives("byte", list(struct.unpack("20b", text.encode()))))
        held.append(builder.primitives("char", [ord(char) for char in text]))
        held.append(builder.primitives("char", list(struct.unpack("<20H", _little(text)))))
        values: dict[str, object] = {}
        for kind in NUMBERS:
            for index, value in enumerate(secrets.values(kind)):
                values[f"{kind}_{index}"] = value
        values["top_a"] = secrets.values("long")[0]
        values["size"] = secrets.values("int", 4)[0]  # larger than any count can be
        held.append(builder.instance("app.Fields", link0=held[0], link1=held[1], **values))
        held.append(
            builder.instance(
                "app.Plain",
                size=secrets.values("long")[0],
                count=secrets.values("int", 4)[0],
                used=7,
            )
        )
        statics: dict[str, tuple[str, object]] = {"link": ("object", held[-1])}
        for kind in NUMBERS:
            if WIDTHS[kind] >= 4:
                statics[f"{kind}_static"] = (kind, secrets.values(kind, WIDTHS[kind])[0])
        builder.class_(f"app.Statics{each}", statics=statics)
        builder.thread(
            secrets.text(),
            [FrameSpec("app.Fields", "work", "Fields.java", 12, [held[-1]])],
        )
    items = builder.array("java.lang.Object", held)
    holder = builder.instance("app.Holder", items=items)
    builder.root(0xFF, holder)


def _little(text: str) -> bytes:
    """UTF-16 in the order of a little machine."""
    return text.encode("utf-16-le")


def _with_raw_records(builder: Builder, secrets: _Secrets, width: int, second_texts: bool) -> bytes:
    """The dump, with records that the builder does not write."""
    plain = builder.build()
    head = plain.index(b"\0") + 1
    start = head + 12

    def ident(number: int) -> bytes:
        return number.to_bytes(width, "big")

    def record(tag: int, body: bytes) -> bytes:
        return bytes([tag]) + secrets.pattern(4) + struct.pack(">I", len(body)) + body

    known = builder.class_identifier("app.Fields")
    name = builder._name("app/Fields")
    raw = b""
    for number in range(20):
        raw += record(0x01, ident(0x9000_0000 + number) + secrets.text().encode())
        if second_texts:
            raw += record(0x01, ident(name) + secrets.text().encode())  # the first one counts
    raw += record(0x01, ident(0x9000_1000) + secrets.text().encode())
    raw += record(0x01, ident(0x9000_1001) + secrets.text().encode())
    raw += record(0x0A, struct.pack(">I", 99) + ident(known) + secrets.pattern(4)
                  + ident(0x9000_1000) + ident(0x9000_1001) + ident(0x9000_1001))  # fmt: skip
    frame = 0x7F01
    raw += record(0x04, ident(frame) + ident(name) * 2 + ident(0) + struct.pack(">Ii", 1, 5)
                  + secrets.pattern())  # fmt: skip
    raw += record(0x05, struct.pack(">III", 77, 0, 1) + ident(frame) + secrets.pattern())
    raw += record(0x05, struct.pack(">III", 78, 0, 1) + secrets.pattern(width))
    raw += record(0x02, struct.pack(">I", 900) + ident(known) + secrets.pattern(4) + ident(name)
                  + secrets.pattern())  # fmt: skip
    for tag in (0x03, 0x06, 0x07, 0x0B, 0x0D, 0x0E):
        raw += record(tag, struct.pack(">I", 5) + secrets.text().encode())
    at = 0x7_7000_0000 if width == 8 else 0x1700_0000

    def constants() -> bytes:
        kinds = ("int", "long", "float", "double")
        body = struct.pack(">H", len(kinds))
        for kind in kinds:
            body += struct.pack(">HB", 7, CODES[kind]) + secrets.pattern(WIDTHS[kind])
        return body

    sub = b"\x20" + ident(at) + secrets.pattern(4) + ident(known) + 3 * ident(0)
    sub += 2 * secrets.pattern(width) + struct.pack(">I", 0) + constants()
    sub += struct.pack(">HH", 0, 0)
    sub += b"\x21" + ident(at + 64) + secrets.pattern(4) + secrets.pattern(width)  # no such class
    sub += struct.pack(">I", 8) + secrets.pattern()
    plain_class = builder.class_identifier("app.Plain")
    sub += b"\x21" + ident(at + 128) + secrets.pattern(4) + ident(plain_class)
    sub += struct.pack(">I", 30) + bytes(14) + secrets.pattern(16)  # longer than its class says
    sub += b"\x22" + ident(at + 256) + secrets.pattern(4) + struct.pack(">I", 3)
    sub += ident(builder.class_identifier("java.lang.Object[]"))
    sub += ident(known) + secrets.pattern(width) + ident(0)  # a reference to nothing
    sub += b"\x23" + ident(0) + secrets.pattern(4) + struct.pack(">IB", 8, 8) + secrets.pattern()
    sub += b"\x01" + ident(at + 256) + secrets.pattern(width)  # a JNI reference
    sub += b"\xfe" + secrets.pattern(4) + secrets.pattern(width)
    sub += b"\xc3" + ident(at + 512) + secrets.pattern(4) + struct.pack(">IB", 8, 8)
    raw += b"\x1c" + secrets.pattern(4) + struct.pack(">I", len(sub)) + sub
    return plain[: head + 4] + secrets.pattern() + _behind_names(plain[start:], raw)


def _behind_names(records: bytes, raw: bytes) -> bytes:
    """The raw records behind the names, so that of two names the right one comes first."""
    at = 0
    while records[at] != 0x1C:
        at += 9 + struct.unpack_from(">I", records, at + 5)[0]
    return records[:at] + raw + records[at:]


def without_texts(value: Any) -> Any:
    """A summary without the names of threads, which stand in the steps of paths as well."""
    if isinstance(value, dict):
        return {
            key: without_texts(one)
            for key, one in value.items()
            if not (key == "thread" or (key == "name" and "frames" in value))
        }
    if isinstance(value, list):
        return [without_texts(one) for one in value]
    if isinstance(value, str) and value.startswith('thread "'):
        return value.rpartition('": ')[2]
    return value
