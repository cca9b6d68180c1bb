"""Whom `mprof triage` names in a recording."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mprof.runs import SilentObserver
from mprof.sources import import_files
from mprof.store import Store
from mprof.triage import triage
from testbed.recording import parts_of

__all__ = ["named_by_triage"]


def named_by_triage(recording: Path) -> list[frozenset[str]]:
    """The nodes that are named, for each job of a recording."""
    with tempfile.TemporaryDirectory(prefix="mprof-store-") as folder:
        store = Store(Path(folder) / "store")
        list(import_files(parts_of(recording), store))
        found = [
            triage(job, store=Path(folder) / "store", observer=SilentObserver())
            for job in store.read("jobs")["job"]
        ]
    return [
        frozenset(host for one in each.branch("node").findings for host in one.hosts)
        for each in found
    ]
