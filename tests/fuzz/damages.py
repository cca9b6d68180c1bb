"""What can be wrong with a file: its place, its name, its content. Each damage is one function.

A damage takes the path of a whole file or folder and a seeded generator, and damages what is there.
It raises `NotApplicable` where it does not fit: no JSON in the file, no folder, not possible here.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import os
import random
import re
import shutil
import socket
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["DAMAGES", "EVIL", "LOST", "NotApplicable"]

Damage = Callable[[Path, random.Random], Path]
"""Returns where the damaged file is now: a damage of its name moves it."""

EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202egpj\nmprof: done\x7f"
"""What a terminal would obey, and a line that looks like one of mprof's."""


class NotApplicable(Exception):
    """The damage does not fit this file."""


# --- place ----------------------------------------------------------------------------------------


def _place(make: Callable[[Path], object]) -> Damage:
    def damage(path: Path, rng: random.Random) -> Path:
        del rng
        _remove(path)
        make(path)
        return path

    return damage


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(path.parent):
        listener.bind(path.name[:90])


def _no_permission(path: Path, rng: random.Random) -> Path:
    del rng
    path.chmod(0)  # the run is made as a user that this stops
    return path


# --- content --------------------------------------------------------------------------------------


def _content(change: Callable[[bytes, random.Random], bytes]) -> Damage:
    def damage(path: Path, rng: random.Random) -> Path:
        if not path.is_file():
            raise NotApplicable
        path.write_bytes(change(path.read_bytes(), rng))
        return path

    return damage


def _cut(share: float) -> Damage:
    def cut(content: bytes, rng: random.Random) -> bytes:
        # near the share, so that another seed cuts elsewhere
        return content[: int(len(content) * min(1.0, max(0.0, share + rng.uniform(-0.05, 0.05))))]

    return _content(cut)


def _flipped(content: bytes, rng: random.Random, *, count: int) -> bytes:
    changed = bytearray(content)
    for _ in range(count if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _replaced(content: bytes, rng: random.Random, *, by: bytes, times: int = 3) -> bytes:
    """Stretches of the content overwritten, its length kept where there is room."""
    changed = bytearray(content)
    for _ in range(times):
        at = rng.randrange(len(changed) + 1)
        changed[at : at + len(by)] = by
    return bytes(changed)


def _inserted(content: bytes, rng: random.Random, *, what: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + what + content[at:]


def _shuffled(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _bomb(content: bytes, rng: random.Random) -> bytes:
    """A gz of 3 GB of zeros after the content, in 3 MB: what unpacks it must have a limit."""
    del rng
    whole = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = packer.compress(whole)
    zeros = bytes(1 << 24)
    for _ in range(192):
        out += packer.compress(zeros)
    return out + packer.flush()


_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % (x + 1, *[x] * 10)
        for x in range(97, 110)
    )
    + b"]><configuration><property><name>a</name><value>&n;</value></property></configuration>"
)


# --- content of a format --------------------------------------------------------------------------


def _value(new: Callable[[random.Random], Any], *, times: int = 2) -> Damage:
    """Replace values of the JSON (or of some of its lines) by another, of any type."""

    def change(content: bytes, rng: random.Random) -> bytes:
        try:
            whole: Any = json.loads(content)
        except ValueError:
            return _line_changed(content, rng)
        for _ in range(times):
            whole = _with(whole, new(rng), rng)
        return _dumped(whole)

    def _line_changed(content: bytes, rng: random.Random) -> bytes:
        lines = content.split(b"\n")
        places = [number for number, line in enumerate(lines) if line.startswith(b"{")]
        if not places:
            raise NotApplicable
        for number in rng.sample(places, min(len(places), 3 * times)):
            with contextlib.suppress(ValueError):
                lines[number] = _dumped(_with(json.loads(lines[number]), new(rng), rng))
        return b"\n".join(lines)

    return _content(change)


_RAW = "raw:"


def _dumped(value: Any) -> bytes:
    """JSON; a text that begins with ``raw:`` stands as it is: 1e400, NaN, deep brackets."""
    text = json.dumps(value)
    return re.sub(rf'"{_RAW}([^"]*)"', lambda found: found[1], text).encode()


def _with(value: Any, new: Any, rng: random.Random) -> Any:
    """The value with one place in it, any, replaced."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(list(value))
        return {**value, key: _with(value[key], new, rng)}
    if isinstance(value, list) and value and rng.random() < 0.95:
        at = rng.randrange(len(value))
        return [*value[:at], _with(value[at], new, rng), *value[at + 1 :]]
    return new


def _numbers(rng: random.Random) -> Any:
    return rng.choice(
        [10**400, -(10**400), 2**63, 2**64, -(2**63), -1, 0, 10**18, 0.5, -0.0,
         f"{_RAW}1e400", f"{_RAW}1e308", f"{_RAW}NaN", f"{_RAW}-Infinity", f"{_RAW}0x10"]
    )  # fmt: skip


def _text_value(text: str) -> Callable[[random.Random], Any]:
    return lambda rng: text


def _xml_value(new: bytes) -> Damage:
    def change(content: bytes, rng: random.Random) -> bytes:
        places = list(re.finditer(rb"(?<=<value>)[^<]*(?=</value>)", content))
        if not places:
            raise NotApplicable
        for place in sorted(
            rng.sample(places, min(8, len(places))), key=lambda each: -each.start()
        ):
            content = content[: place.start()] + new + content[place.end() :]
        return content

    return _content(change)


def _sensitive(content: bytes, rng: random.Random) -> bytes:
    """The job's own expressions for secret names: a few that take for ever."""
    if b"</configuration>" not in content:
        raise NotApplicable
    pattern = rng.choice([b"(a+)+$", b"(a|a)*b", b"(.*)*x", b"(?=(a+)+b)"])
    name = b"a" * 60 + b"!"
    more = (
        b"<property><name>hadoop.security.sensitive-config-keys</name><value>" + pattern
        + b"</value></property><property><name>" + name + b"</name><value>1</value></property>"
    )  # fmt: skip
    return content.replace(b"</configuration>", more + b"</configuration>")


def _named(content: bytes, rng: random.Random, *, text: str = "") -> bytes:
    """Names and messages inside, of the same length in a heap dump, full of control characters."""
    evil = (text or EVIL).encode()
    if content.startswith(b"JAVA PROFILE"):
        words = [b"org/example/Mapper", b"Mapper.java", b"counts", b"main"]
        for word in words:
            content = content.replace(word, (evil * 2)[: len(word)])
        return content
    names = re.findall(rb"[A-Za-z_][\w./$-]{4,}", content)
    if not names:
        raise NotApplicable
    for name in rng.sample(sorted(set(names)), min(12, len(set(names)))):
        escaped = json.dumps(text or EVIL)[1:-1].encode() if content[:1] in b"{[" else evil
        content = content.replace(name, name[: len(name) // 2] + escaped)
    return content


def _schema(change: Callable[[dict[str, Any]], None]) -> Damage:
    """Another schema in a history of Avro: whatever follows it is decoded by it."""

    def changed(content: bytes, rng: random.Random) -> bytes:
        del rng
        if not content.startswith(b"Avro-"):
            raise NotApplicable
        first, line, body = content.split(b"\n", 2)
        schema = json.loads(line)
        change(schema)
        return b"\n".join((first, json.dumps(schema).encode(), body))

    return _content(changed)


def _field(type_: Any) -> Callable[[dict[str, Any]], None]:
    return lambda schema: schema["fields"].insert(0, {"name": "first", "type": type_})


def _doubled(levels: int) -> Any:
    """Records of which each holds the one before twice."""
    made: Any = "null"
    for number in range(levels):
        name = f"R{number}"
        fields = [{"name": "a", "type": made}, {"name": "b", "type": f"R{number - 1}"}]
        made = {"type": "record", "name": name, "fields": fields if number else fields[:1]}
    return made


def _of(items: Any) -> Any:
    return {"type": "array", "items": items}


def _digits(content: bytes, rng: random.Random) -> bytes:
    """Some of the whole numbers of a text, of any length."""
    if b"\0" in content[:4096]:
        raise NotApplicable
    places = list(re.finditer(rb"\d+", content))
    for place in sorted(rng.sample(places, min(9, len(places))), key=lambda each: -each.start()):
        digit = rng.choice(b"0179").to_bytes(1, "big")
        new = digit * rng.choice([9, 10, 18, 19, 20, 400, 5000])
        content = content[: place.start()] + new + content[place.end() :]
    return content


def _not_a_number(content: bytes, rng: random.Random) -> bytes:
    if b"\0" in content[:4096]:
        raise NotApplicable
    places = list(re.finditer(rb"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", content))
    for place in sorted(rng.sample(places, min(9, len(places))), key=lambda each: -each.start()):
        new = rng.choice([b"NaN", b"nan", b"Infinity", b"-inf", b"1e308", b"1e400", b"-1e18"])
        content = content[: place.start()] + new + content[place.end() :]
    return content


def _worded(content: bytes, rng: random.Random) -> bytes:
    """Some of the words of a text, such as hosts and states, made hostile; each in all places."""
    if b"\0" in content[:4096]:
        raise NotApplicable
    words = sorted(set(re.findall(rb"(?<![\w.\-])[A-Za-z][\w.\-]*", content)))
    for word in rng.sample(words, min(6, len(words))):
        new = rng.choice([_MARKUP, EVIL.replace("\n", " "), "", "../../../../x", "nan", "x" * 9999])
        whole = rb"(?<![\w.\-])" + re.escape(word) + rb"(?![\w.\-])"
        content = new.encode().join(re.split(whole, content))
    return content


def _within(opening: bytes, what: bytes) -> Damage:
    """Something very long behind the first such character."""

    def change(content: bytes, rng: random.Random) -> bytes:
        del rng
        head, found, rest = content.partition(opening)
        if not found or b"\0" in head:
            raise NotApplicable
        return head + found + what + rest

    return _content(change)


def _parquet(change: Callable[[pa.Table, random.Random], pa.Table]) -> Damage:
    """Rows of a store, as another program may have written them."""

    def damage(path: Path, rng: random.Random) -> Path:
        if path.suffix != ".parquet":
            raise NotApplicable
        pq.write_table(change(pq.read_table(path), rng), path)
        return path

    return damage


def _encoded(content: bytes, rng: random.Random) -> bytes:
    """An XML file that says that it is of another encoding."""
    new = rng.choice(["ttd-8", "utf-7", "shift_jis", "rot13", "idna", "hex", "latin-1", "UTF-16"])
    said, count = re.subn(
        rb"<\?xml version=[\"']1\.0[\"'](?: encoding=[\"'][^\"']*[\"'])?",
        f'<?xml version="1.0" encoding="{new}"'.encode(), content, count=1,
    )  # fmt: skip
    if not count:
        raise NotApplicable
    return said


def _with_values(
    rows: pa.Table, rng: random.Random, *, is_of: Callable[[pa.DataType], bool], new: Sequence[Any]
) -> pa.Table:
    """Some values of all columns of a type replaced."""
    for place, field in enumerate(rows.schema):
        if is_of(field.type) and field.name != "source":
            values = rows.column(place).to_pylist()
            for row in rng.sample(range(len(values)), -(-len(values) // 3)):
                values[row] = rng.choice(new)
            rows = rows.set_column(place, field, pa.array(values, field.type))
    return rows


def _of_other_types(rows: pa.Table, rng: random.Random) -> pa.Table:
    place = rng.randrange(1, rows.num_columns)
    name = rows.schema.field(place).name
    return rows.set_column(place, name, pa.array([["x"]] * rows.num_rows))


_MARKUP = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>'

# --- name -----------------------------------------------------------------------------------------


def _renamed(new: Callable[[str], str]) -> Damage:
    def damage(path: Path, rng: random.Random) -> Path:
        del rng
        name = new(path.name)
        target = path.with_name(name)
        try:
            path.rename(target)
        except OSError as error:
            raise NotApplicable from error
        return target

    return damage


def _with_suffix(stem: str) -> Callable[[str], str]:
    """Another name with the same ending (``.hprof.gz``) and beginning (``attempt_``)."""

    def new(name: str) -> str:
        head, dot, tail = name.partition(".")
        prefix = head.split("_")[0] if "_" in head else head[:3]
        return f"{prefix}{stem}{dot}{tail}"

    return new


# --- while it is read -----------------------------------------------------------------------------


def _changing(path: Path, rng: random.Random) -> Path:
    """Marks a file that the run itself makes shorter or longer while it is read (see `server`)."""
    del rng
    if not path.is_file():
        raise NotApplicable
    return path


_DEEP = 200_000

DAMAGES: Mapping[str, Damage] = {
    # place
    "missing": _place(lambda path: None),
    "fifo": _place(os.mkfifo),
    "directory": _place(lambda path: path.mkdir()),
    "full directory": _place(lambda path: (path / "a" / "b").mkdir(parents=True)),
    "link to itself": _place(lambda path: path.symlink_to(path.name)),
    "links in a circle": _place(
        lambda path: (path.symlink_to("circle"), path.with_name("circle").symlink_to(path.name))
    ),
    "link to the folder above": _place(lambda path: path.symlink_to("..")),
    "dangling link": _place(lambda path: path.symlink_to("nowhere")),
    "link to environ": _place(lambda path: path.symlink_to("/proc/self/environ")),
    "link to memory": _place(lambda path: path.symlink_to("/proc/self/mem")),
    "link to /dev/zero": _place(lambda path: path.symlink_to("/dev/zero")),
    "link to /dev/null": _place(lambda path: path.symlink_to(os.devnull)),
    "socket": _place(_socket),
    "no permission": _no_permission,
    # name
    "name with controls": _renamed(_with_suffix(EVIL.replace("/", ""))),
    "name not in UTF-8": _renamed(_with_suffix(os.fsdecode(b"\xff\xfe\xe4"))),
    "long name": _renamed(lambda name: _with_suffix("x" * (254 - len(name)))(name)),
    "name of a pattern": _renamed(_with_suffix("[a-z]*?")),
    "name of an option": _renamed(lambda name: f"--json{name}"),
    # content
    "empty": _content(lambda content, rng: b""),
    "one byte": _content(lambda content, rng: content[:1]),
    **{f"cut at {share:.0%}": _cut(share) for share in (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)},
    "without its last byte": _content(lambda content, rng: content[:-1]),
    "one bit": _content(lambda content, rng: _flipped(content, rng, count=1)),
    "twenty bits": _content(lambda content, rng: _flipped(content, rng, count=20)),
    "many bits": _content(lambda content, rng: _flipped(content, rng, count=len(content) // 20)),
    "zeros": _content(lambda content, rng: bytes(len(content))),
    "zeros in it": _content(lambda content, rng: _replaced(content, rng, by=bytes(64))),
    "ones in it": _content(lambda content, rng: _replaced(content, rng, by=b"\xff" * 8)),
    "random bytes": _content(lambda content, rng: rng.randbytes(len(content))),
    "NUL in it": _content(lambda content, rng: _inserted(content, rng, what=b"\0")),
    "not UTF-8": _content(lambda content, rng: _replaced(content, rng, by=b"\xe4\xff", times=9)),
    "UTF-16": _content(lambda content, rng: content.decode("latin-1").encode("utf-16")),
    "byte order mark": _content(lambda content, rng: b"\xef\xbb\xbf" + content),
    "twice": _content(lambda content, rng: content + content),
    "garbage after it": _content(lambda content, rng: content + rng.randbytes(999)),
    "lines in any order": _content(_shuffled),
    "Windows line ends": _content(lambda content, rng: content.replace(b"\n", b"\r\n")),
    "one long line": _content(lambda content, rng: b"a" * 3_000_000),
    "a long word in it": _content(lambda content, rng: _inserted(content, rng, what=b"w" * 99_999)),
    "controls in it": _content(lambda content, rng: _inserted(content, rng, what=EVIL.encode())),
    "controls in names": _content(_named),
    "markup in names": _content(partial(_named, text=_MARKUP)),
    "packed": _content(lambda content, rng: gzip.compress(content, mtime=0)),
    "gz bomb": _content(_bomb),
    # formats
    "deep JSON": _content(lambda content, rng: b"[" * _DEEP),
    "deep whole JSON": _content(lambda content, rng: b"[" * _DEEP + b"]" * _DEEP),
    "deep object": _content(lambda content, rng: b'{"a":' * _DEEP + b"1" + b"}" * _DEEP),
    "deep value": _value(_text_value(f"{_RAW}{'[' * 50_000}{']' * 50_000}"), times=1),
    "huge list": _value(lambda rng: list(range(200_000)), times=1),
    "numbers": _value(_numbers, times=4),
    "many numbers": _value(_numbers, times=40),
    "null": _value(lambda rng: None),
    "other types": _value(lambda rng: rng.choice([True, 1.5, "x", [], {}, [[]], {"": 0}])),
    "controls in values": _value(_text_value(EVIL), times=8),
    "paths in values": _value(_text_value("../../../../x"), times=8),
    "hostile words": _content(_worded),
    "lone surrogate": _value(_text_value("\udcff\ud800"), times=4),
    "long text": _value(_text_value("x" * 100_000)),
    "a JSON number": _content(lambda content, rng: b"1e400"),
    "a huge JSON number": _content(lambda content, rng: b"1" + b"0" * 5000),
    "laughs": _content(lambda content, rng: _LAUGHS),
    "huge numbers in XML": _xml_value(b"1" + b"0" * 400),
    "long number in XML": _xml_value(b"9" * 5000),
    "NaN in XML": _xml_value(b"NaN"),
    "infinity in XML": _xml_value(b"1e999"),
    "negative in XML": _xml_value(b"-7"),
    "variables in XML": _xml_value(b"${a}${mapreduce.map.java.opts}${${x}}"),
    "another encoding in XML": _content(_encoded),
    "expressions that hang": _content(_sensitive),
    "digits beyond any range": _content(_digits),
    "not a number": _content(_not_a_number),
    "wide JSON": _within(b"[", b"{}," * 3_000_000),
    "deep JSON in it": _within(b":", b"[" * 900 + b"]" * 900 + b',"":'),
    "borders in a text": _within(b'"', b"}{" * 200_000),
    "a long label": _within(b"{", b"w" * 900_000),
    # schemas
    "schema of itself": _schema(_field("Event")),
    "schema of itself in a union": _schema(_field(["null", "Event"])),
    "schema of nulls": _schema(_field(_of("null"))),
    "schema of nothing": _schema(_field(_of({"type": "fixed", "name": "F", "size": 0}))),
    "schema that doubles": _schema(_field(_doubled(25))),
    "schema that is deep": _schema(_field(_of(_of(_of(_of(_of(_doubled(60)))))))),
    "schema with a decimal": _schema(_field({"type": "bytes", "logicalType": "decimal"})),
    # foreign Parquet
    "foreign numbers": _parquet(
        partial(
            _with_values,
            is_of=pa.types.is_floating,
            new=(math.inf, -math.inf, math.nan, 1e300, -6.3e10, 9.2e18, 0.0, -1.0),
        )
    ),
    "foreign counts": _parquet(
        partial(_with_values, is_of=pa.types.is_integer, new=(2**63 - 1, -(2**63), 0, -1, None))
    ),
    "foreign texts": _parquet(
        partial(
            _with_values, is_of=pa.types.is_string, new=(EVIL, _MARKUP, "", None, "x" * 100_000)
        )
    ),
    "foreign types": _parquet(_of_other_types),
    "foreign columns": _parquet(lambda rows, rng: rows.drop_columns(rows.column_names[2:3])),
    "no rows": _parquet(lambda rows, rng: rows.slice(0, 0)),
    "rows a thousand times": _parquet(lambda rows, rng: pa.concat_tables([rows] * 1000)),
    # while it is read
    "shrinks": _changing,
    "grows": _changing,
}  # fmt: skip

LOST = frozenset(
    {"fifo", "directory", "full directory", "link to itself", "links in a circle", "dangling link",
     "link to memory", "link to /dev/zero", "socket", "no permission"}
)  # fmt: skip
"""Damages after which nothing of the file can be read: a diagnosis has to say so."""
