"""What the testbed recorded: the sick node is named, and no other (`tests/testbed/README.md`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mprof.peers.looking import look_at_nodes, suspects
from mprof.sources.importing import import_files
from mprof.store import Store

RECORDINGS = sorted((Path(__file__).parents[1] / "testbed" / "recordings").iterdir())


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda folder: folder.name)
def test_the_sick_node_is_named_and_no_other(recording: Path, tmp_path: Path) -> None:
    label = json.loads((recording / "label.json").read_text())
    store = Store(tmp_path / "store")
    parts = [recording / name for name in ("histories", "logs", "metrics", "workers")]

    done = list(import_files(parts, store))
    named = [one.host for one in suspects(look_at_nodes(store))]

    assert all(one.unread == 0 for one in done)
    assert named == ([] if label["node"] is None else [label["node"]])
