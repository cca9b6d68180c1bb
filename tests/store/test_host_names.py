"""Names are taken for one host only where they cannot be two."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.sources_read import read_source
from hypothesis import given
from hypothesis import strategies as st

from mprof.store import SourceNote, Store, frame_of
from mprof.store.host_names import host_names

LABELS = st.sampled_from(["n1", "N1", "n2", "m"])
DOMAINS = st.sampled_from(["", ".a.org", ".b.org", ".A.ORG."])
NAMES = st.builds(str.__add__, LABELS, DOMAINS) | st.sampled_from(["10.0.0.1", "10.0.0.2", "::2"])


@pytest.mark.parametrize(
    ("named", "listed", "expected"),
    [
        ([("n1", None), ("n1.a.org", None)], [], {"n1": "n1.a.org"}),
        ([("n1", None), ("n1.a.org", None)], ["n1"], {"n1.a.org": "n1"}),
        ([("n1", None), ("n1.a.org", None), ("n1.b.org", None)], [], {}),
        ([("N1.A.org.", None)], [], {"N1.A.org.": "n1.a.org"}),
        ([("n1", "10.0.0.1"), ("10.0.0.1", None)], [], {"10.0.0.1": "n1"}),
        # Behind one address there may be two machines, one after the other.
        ([("n1", "10.0.0.1"), ("n2", "10.0.0.1"), ("10.0.0.1", None)], [], {}),
        (
            [("n1", "10.0.0.1"), ("n1.a.org", "10.0.0.1")],
            [],
            {"n1": "n1.a.org", "10.0.0.1": "n1.a.org"},
        ),
        ([("10.0.0.1", None), ("10.0.0.2", None)], [], {}),
        ([("n1", None)], ["n1.a.org"], {"n1": "n1.a.org"}),
        # With the port of a daemon, as YARN and Prometheus write nodes.
        ([("n1", None), ("n1:45454", None)], [], {"n1:45454": "n1"}),
        ([("N1.a.org.:45454", None)], ["n1"], {"N1.a.org.:45454": "n1", "n1.a.org": "n1"}),
        (
            [("10.0.0.1:9866", "10.0.0.1"), ("n1:1", "10.0.0.1:2")],
            [],
            {"10.0.0.1:9866": "n1", "10.0.0.1": "n1", "n1:1": "n1"},
        ),
        ([("[::2]:9866", None), ("::2", None)], [], {"[::2]:9866": "::2"}),
        ([("a:b:1", None), (":1", None)], [], {}),
    ],
)
def test_each_name_stands_for_one_host(
    named: list[tuple[str, str | None]], listed: list[str], expected: dict[str, str]
) -> None:
    assert expected == host_names(named, listed)


@given(
    named=st.lists(st.tuples(NAMES, st.none() | st.sampled_from(["10.0.0.1", "10.0.0.2"]))),
    listed=st.lists(NAMES, max_size=3),
)
def test_a_host_stands_for_itself_and_no_two_full_names_are_one(
    named: list[tuple[str, str | None]], listed: list[str]
) -> None:
    found = host_names(named, listed)
    by_host: dict[str, set[str]] = {}
    for name in (name for name, _ in named):
        by_host.setdefault(found.get(name, name), set()).add(name.lower().rstrip("."))

    assert not set(found.values()) & set(found)
    assert all(sum(".org" in name for name in names) <= 1 for names in by_host.values())


def test_hosts_that_are_asked_for_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with store.writing("s") as writer:
        writer.write("transfers", frame_of("transfers", [{"host": "n1"}, {"host": "n2.a.org"}]))
        writer.finish(SourceNote("s", "p", "k", 1, writer.rows, 0, None))

    assert {"n1", "n2.a.org", "n3"} == store.hosts_called(["N1.a.org", "n2", "n3"])


def test_a_host_has_one_name_in_all_tables(tmp_path: Path) -> None:
    log = tmp_path / "hadoop-hdfs-datanode-n8.log"
    log.write_text(
        "2014-08-20 12:34:56,789 INFO DataNode.clienttrace: src: /10.0.0.7:1, dest: /10.0.0.8:2, "
        "bytes: 1, op: HDFS_WRITE, cliID: c, offset: 0, srvID: s, blockid: blk_1_1, "
        "duration: 1000000000\n"
    )
    _, tables, _ = read_source(log)
    other = [{"host": "n7.a.org", "peer": "10.0.0.8", "seconds": 1.0}]
    store = Store(tmp_path / "store")
    for source, rows in {
        "one": tables,
        "two": {"transfers": other, "nodes": [{"host": "N8.a.org"}]},
        "three": {"names": [{"name": "n7", "address": "10.0.0.7"}]},
    }.items():
        with store.writing(source) as writer:
            for table, part in rows.items():
                given_ = [{k: v for k, v in row.items() if k != "source"} for row in part]
                writer.write(table, frame_of(table, given_))
            writer.finish(SourceNote(source, "p", "k", 1, writer.rows, 0, None))

    pairs = {("n8.a.org", "n7.a.org"), ("n7.a.org", "n8.a.org")}
    read = store.read("transfers", columns=["host", "peer"])

    assert pairs == set(read.itertuples(index=False, name=None))
