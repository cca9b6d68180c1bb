"""A dump that may leave the house: nothing of its texts and values is left, all else is."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from builders.hprof_builder import Builder, FrameSpec, gzip_like_hotspot
from builders.planted_secrets import planted_dump, without_texts
from oracles.heap_oracle import read_oracle
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.heap import duplicate_strings, open_heap
from mprof.hprof import read_dump
from mprof.hprof.format import EMPTIED
from mprof.objects.summary import summarise_dump
from mprof.redaction import kept_of, redact, redact_dump
from mprof.redaction.kept import Kept


def _redacted(content: bytes, folder: Path, *, kept: Kept | None = None, name: str = "out") -> Path:
    source = folder / "in.hprof"
    source.write_bytes(content)
    target = folder / f"{name}.hprof"
    redact_dump(source, target, kept=kept or Kept())
    return target


def _summary(path: Path) -> Any:
    return without_texts(summarise_dump(path)[1].to_json())


@pytest.mark.parametrize("width", [8, 4])
@pytest.mark.parametrize("compact", [True, False])
def test_of_a_thousand_secrets_none_is_left(tmp_path: Path, width: int, compact: bool) -> None:
    planted = planted_dump(width=width, compact_strings=compact)
    assert len(planted) >= 1000
    assert len(planted) == planted.count_in(planted.content)
    target = _redacted(planted.content, tmp_path)
    assert set() == planted.left_in(target.read_bytes())
    assert () == read_dump(target).faults


@pytest.mark.parametrize("width", [8, 4])
def test_the_summary_is_the_same_but_for_the_names_of_threads(tmp_path: Path, width: int) -> None:
    planted = planted_dump(width=width)
    target = _redacted(planted.content, tmp_path)
    assert _summary(tmp_path / "in.hprof") == _summary(target)


@pytest.mark.parametrize(("width", "version"), [(8, "1.0.2"), (4, "1.0.2"), (8, "1.0.1")])
def test_another_reader_finds_the_same_references(tmp_path: Path, width: int, version: str) -> None:
    """The plain and slow reader of the tests, which shares nothing with the one that wrote it."""
    builder = Builder(width=width, version=version, segment_bytes=600)
    builder.class_("app.Node", fields={"left": "object", "weight": "long", "right": "object"})
    nodes = [builder.instance("app.Node", weight=each) for each in range(40)]
    chance = random.Random(width)
    for node in nodes:
        builder.set(node, left=chance.choice(nodes), right=chance.choice([0, *nodes]))
    array = builder.array("app.Node", nodes)
    builder.set_static("app.Node", "ALL", "object", array)
    frames = [FrameSpec("app.Node", "walk", "Node.java", 7, nodes[:3], nodes[3:5])]
    builder.thread("main", frames)
    content = builder.build()
    before, after = read_oracle(content), read_oracle(_redacted(content, tmp_path).read_bytes())
    assert len(before.edges) > 40
    assert before.edges == after.edges
    assert before.class_of == after.class_of


def test_secrets_are_left_where_they_are_kept(tmp_path: Path) -> None:
    """That the search finds what is there: the same with options that keep things."""
    planted = planted_dump()
    texts = len(planted.texts)
    numbers = _redacted(planted.content, tmp_path, kept=Kept(numbers=True), name="numbers")
    assert 0 < planted.count_in(numbers.read_bytes()) < len(planted) - texts
    names = _redacted(planted.content, tmp_path, kept=Kept(thread_names=True), name="names")
    assert 28 == planted.count_in(names.read_bytes())  # one a round


def test_strings_of_a_class_are_kept_and_no_others(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Settings", fields={"host": "object", "port": "int"})
    builder.class_("app.User", fields={"name": "object"})
    builder.class_("app.Sub", above="app.Settings", fields={"more": "object"})
    held = [
        builder.instance("app.Settings", host=builder.string("kept in a field"), port=1234567),
        builder.instance("app.Sub", more=builder.string("kept below"), host=0, port=7654321),
        builder.instance("app.User", name=builder.string("of a user")),
    ]
    builder.set_static("app.Settings", "NAME", "object", builder.string("kept in a static"))
    builder.thread("main", [FrameSpec("app.User", "run", "User.java", 3, held)])
    kept = kept_of(["strings-of:app.Settings"])
    content = _redacted(builder.build(), tmp_path, kept=kept).read_bytes()
    for text in (b"kept in a field", b"kept below", b"kept in a static"):
        assert text in content
    for secret in (b"of a user", b"main", struct.pack(">i", 1234567)):
        assert secret not in content


def test_counts_stay_where_they_can_be_counts(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("lib.Bag", fields={"size": "int", "items": "object", "other": "int"})
    items = builder.array("java.lang.Object", [0] * 100)
    bags = [
        builder.instance("lib.Bag", size=size, items=items, other=17)
        for size in (0, 37, 100, 101, 5_000_000, -5)
    ]
    builder.thread("main", [FrameSpec("lib.Bag", "run", "Bag.java", 3, bags)])
    target = _redacted(builder.build(), tmp_path)
    before, after = open_heap(tmp_path / "in.hprof"), open_heap(target)
    for bag in bags:
        first, second = before.node_at(bag), after.node_at(bag)
        assert first is not None
        assert second is not None
        assert before.container(first) == after.container(second)
        assert 0 == after.fields(second)["other"]
    large, negative = after.node_at(bags[4]), after.node_at(bags[5])
    assert large is not None
    assert negative is not None
    assert -1 == after.fields(large)["size"] == after.fields(negative)["size"]


def test_packed_dumps_give_and_become_packed_ones(tmp_path: Path) -> None:
    planted = planted_dump(rounds=3)
    plain = _redacted(planted.content, tmp_path).read_bytes()
    source = tmp_path / "packed.hprof.gz"
    for content in (
        gzip.compress(planted.content),
        gzip_like_hotspot(planted.content, block=4096),
    ):
        source.write_bytes(content)
        target = tmp_path / "packed-out.hprof.gz"
        redact_dump(source, target, kept=Kept())
        assert plain == gzip.decompress(target.read_bytes())
        assert _summary(source) == _summary(target)
        target.unlink()


def test_the_parts_of_a_dump_that_was_never_merged_are_read(tmp_path: Path) -> None:
    planted = planted_dump(rounds=3)
    for number, cut in enumerate((planted.content[:5000], planted.content[5000:])):
        (tmp_path / f"secret-name.hprof.p{number}").write_bytes(cut)
    target = tmp_path / "out.hprof"
    written = redact_dump(tmp_path / "secret-name.hprof", target, kept=Kept())
    assert ("the dump was never merged",) == written.losses == read_dump(target).losses
    assert b"secret-name" not in target.read_bytes()
    assert set() == planted.left_in(target.read_bytes())


@pytest.mark.parametrize("seed", range(150))
def test_of_a_damaged_dump_nothing_gets_through_unread(tmp_path: Path, seed: int) -> None:
    planted = planted_dump(seed=seed, rounds=4, width=8 if seed % 3 else 4, second_texts=False)
    chance = random.Random(seed)
    content = bytearray(planted.content)
    for _ in range(chance.choice((1, 1, 3, 20))):
        at = chance.randrange(40, len(content))
        match chance.randrange(4):
            case 0:
                content[at] = chance.randrange(256)
            case 1:
                content[at : at + 4] = struct.pack(">I", chance.randrange(1 << 14))
            case 2:
                del content[at : at + chance.randrange(1, 300)]
            case _:
                content = content[: max(at, 3000)]
    try:
        target = _redacted(bytes(content), tmp_path)
    except EvidenceError:  # nothing of it can be read
        assert ["in.hprof"] == [each.name for each in tmp_path.iterdir()]
        return
    assert set() == planted.left_in(target.read_bytes())
    again = read_dump(target)
    assert () == again.faults
    before = read_dump(tmp_path / "in.hprof")
    assert before.is_cut == again.is_cut
    strange = [loss for loss in again.losses if loss.endswith("are no addresses")]
    if strange:  # a damaged identifier: its object is left out
        assert before.object_records - int(strange[0].split()[0]) == again.object_records
        return
    assert before.object_records == again.object_records
    assert _summary(tmp_path / "in.hprof")["classes"] == _summary(target)["classes"]


def test_a_length_that_swallows_what_follows_carries_no_text_away(tmp_path: Path) -> None:
    builder = Builder()
    short = builder.array("java.lang.Object", [0] * 3)
    secret = builder.primitives("byte", list(b"AbCdEfGhIjKlMnOpQrStUvWx" * 10))
    builder.thread("main", [FrameSpec("app.User", "run", "User.java", 3, [short, secret])])
    content = builder.build()
    at = content.index(b"\x22" + short.to_bytes(8, "big")) + 13
    assert struct.pack(">I", 3) == content[at : at + 4]
    damaged = content[:at] + struct.pack(">I", 20) + content[at + 4 :]
    out = _redacted(damaged, tmp_path).read_bytes()
    assert b"IjKl" not in out
    assert b"AbCd" not in out


def test_losses_are_named_in_the_new_dump_as_well(tmp_path: Path) -> None:
    planted = planted_dump(rounds=4)
    at = planted.content.rindex(b"\x1c") - 200
    damaged = planted.content[:at] + b"\x99" * 60 + planted.content[at + 60 :]
    source, target = tmp_path / "in.hprof", tmp_path / "out.hprof"
    source.write_bytes(damaged)
    written = redact_dump(source, target, kept=Kept())
    assert any("damaged records were skipped" in loss for loss in written.losses)
    assert set(written.losses) <= set(open_heap(target).losses)


def test_pieces_and_segments_may_be_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of records that are larger than a piece, and stretches larger than a segment can be."""
    planted = planted_dump(rounds=3)
    whole = _redacted(planted.content, tmp_path, name="whole").read_bytes()
    monkeypatch.setattr(redact, "_PIECE", 1024)
    pieces = _redacted(planted.content, tmp_path, name="pieces").read_bytes()
    assert whole == pieces
    monkeypatch.setattr(redact, "_MOST_SEGMENT_BYTES", 2000)
    target = _redacted(planted.content, tmp_path, name="segments")
    assert read_dump(target).tables.chunks.shape[0] > 5
    assert _summary(tmp_path / "in.hprof") == _summary(target)
    monkeypatch.setattr(redact, "_MOST_SEGMENT_BYTES", 10)
    with pytest.raises(EvidenceError, match="fits into no segment"):
        _redacted(planted.content, tmp_path, name="none")
    assert not (tmp_path / "none.hprof").exists()


def test_what_is_there_is_not_overwritten_and_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "in.hprof", tmp_path / "out.hprof"
    source.write_bytes(planted_dump(rounds=2).content)
    for there in (target, source):
        there.write_bytes(there.read_bytes() if there.exists() else b"mine")
        with pytest.raises(UsageError, match="already exists"):
            redact_dump(source, there, kept=Kept())
    assert b"mine" == target.read_bytes()
    target.unlink()
    with pytest.raises(UsageError, match="folder is not there"):
        redact_dump(source, tmp_path / "none" / "out.hprof", kept=Kept())

    written = os.pwrite

    def full(descriptor: int, content: bytes, position: int) -> int:
        if position + len(content) > 1500:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written(descriptor, content, position)

    monkeypatch.setattr(os, "pwrite", full)
    for name in ("out.hprof", "out.hprof.gz"):
        with pytest.raises(OSError, match="No space") as raised:
            redact_dump(source, tmp_path / name, kept=Kept())
        assert str(tmp_path / name) == raised.value.filename
    assert ["in.hprof"] == [each.name for each in tmp_path.iterdir()]


def test_a_file_that_is_no_dump_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in.hprof"
    source.write_bytes(b"no dump")
    with pytest.raises(MprofError):
        redact_dump(source, tmp_path / "out.hprof", kept=Kept())
    assert ["in.hprof"] == [each.name for each in tmp_path.iterdir()]


def test_an_emptied_dump_says_so_and_can_be_emptied_again(tmp_path: Path) -> None:
    planted = planted_dump(rounds=2)
    first = _redacted(planted.content, tmp_path)
    heap = open_heap(first)
    assert heap.emptied is not None
    assert open_heap(tmp_path / "in.hprof").emptied is None
    with pytest.raises(EvidenceError, match="emptied"):
        duplicate_strings(heap)
    said = CliRunner().invoke(app, ["heap", str(first)]).output
    assert "values and texts of this dump were emptied. Kept: references" in said
    assert {f"thread {serial}" for serial in (1, 2)} <= {one.name for one in heap.threads}
    second = tmp_path / "second.hprof"
    redact_dump(first, second, kept=Kept(numbers=True))
    assert first.read_bytes() == second.read_bytes()


def test_a_dump_that_says_it_was_emptied_is_not_believed(tmp_path: Path) -> None:
    """What stands in that record is a text as any other."""
    said = EMPTIED + b"references and the lengths of containers, SECRET-1\nSECRET-2 was lost"
    content = planted_dump(rounds=2).content
    begin = content.index(b"\0") + 13
    record = struct.pack(">BII", 1, 0, 8 + len(said)) + struct.pack(">Q", 987654321) + said

    target = _redacted(content[:begin] + record + content[begin:], tmp_path)

    assert open_heap(tmp_path / "in.hprof").emptied is not None
    assert b"SECRET-" not in target.read_bytes()
    heap = open_heap(target)
    assert heap.emptied is not None
    assert "not known" in heap.emptied
    assert any("lost when it was emptied before" in loss for loss in heap.losses)


def test_the_command_says_what_it_kept(tmp_path: Path) -> None:
    source, target = tmp_path / "in.hprof", tmp_path / "out.hprof"
    source.write_bytes(planted_dump(rounds=2).content)
    call = ["heap", str(source), "--redact", str(target)]
    found = CliRunner().invoke(app, call)
    assert 0 == found.exit_code, found.output
    assert "Emptied: all other values and texts" in found.output
    target.unlink()
    value = json.loads(CliRunner().invoke(app, [*call, "--json", "--keep", "numbers"]).stdout)
    assert "references and the lengths of containers, numbers" == value["kept"]
    assert target.stat().st_size == value["bytes"]
    for words in (["--redact", str(target), "--keep", "all"], ["--keep", "numbers"]):
        failed = CliRunner().invoke(app, ["heap", str(source), *words])
        assert isinstance(failed.exception, UsageError), words
