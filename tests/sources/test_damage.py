"""Files of every kind, damaged in every way: rows, losses, and never an error."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from builders.cluster_files import FILES
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from mprof.sources import import_files, reader_of
from mprof.sources.imports import FAULT
from mprof.sources.readers import READERS
from mprof.store import Store


def test_there_is_a_whole_file_of_every_kind(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in FILES.values():
        (folder / name).write_text(content)
    read = {one.kind: one for one in import_files([folder], Store(tmp_path / "store"))}

    assert {reader.kind for reader in READERS} == set(FILES) == set(read)
    assert {"imported"} == {one.outcome for one in read.values()}
    assert all(one.rows for one in read.values())
    # The history has no end of its job; all else is whole.
    assert {"job history"} == {str(kind) for kind, one in read.items() if one.unread}


def test_no_file_is_of_two_kinds(tmp_path: Path) -> None:
    for kind, (name, content) in FILES.items():
        path, head = tmp_path / name, content.encode()[:4096]
        kinds = [reader.kind for reader in READERS if reader.recognises(path, head)]
        assert [kind] == kinds
        first = reader_of(path, head)
        assert first is not None


@pytest.mark.parametrize("kind", sorted(FILES))
@given(
    at=st.integers(0, 2_000), removed=st.integers(0, 400), added=st.binary(max_size=40),
    packed=st.booleans(), behind=st.booleans(),
)  # fmt: skip
@example(at=0, removed=0, added=b"\x1f\x8b", packed=False, behind=False)
@example(at=10, removed=0, added=b"\0" * 40, packed=False, behind=True)
@settings(max_examples=60, deadline=None)
def test_damage_ends_in_rows_and_losses(
    kind: str, at: int, removed: int, added: bytes, packed: bool, behind: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    name, text = FILES[kind]
    whole = text.encode()
    at = len(whole) - at % len(whole) if behind else at % len(whole)
    damaged = whole[:at] + added + whole[at + removed :]
    if packed:  # the damage is to the packed bytes
        whole = gzip.compress(whole)
        at %= len(whole)
        damaged = whole[:at] + added + whole[at + removed % 60 :]
    folder = tmp_path_factory.mktemp("damage")
    (folder / name).write_bytes(damaged)

    store = Store(folder / "store")
    (one,) = import_files([folder / name], store)

    assert one.outcome in {"imported", "of no known kind", "unreadable"}
    assert not (one.first_unread or "").startswith(FAULT)
    assert (one.first_unread is None) == (one.outcome != "unreadable" and one.unread == 0)
    # as they lie in the store: a job or an attempt that a file has twice is read once
    tables = (
        "jobs", "attempts", "transfers", "heartbeats", "heartbeat_lines", "metrics", "nodes",
        "node_states",
    )  # fmt: skip
    files = [each for table in tables for each in (folder / "store" / table).rglob("*.parquet")]
    assert one.rows == sum(parquet.read_metadata(each).num_rows for each in files)
