"""Servers that are asked again and again: each time for what is new since the time before.

A feed knows how far it has come; what it gives are files, which are imported as any file is.
"""

from __future__ import annotations

import math
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from mprof.errors import EvidenceError
from mprof.remote.address import Place
from mprof.sources.history_server import jobs_of_history_server
from mprof.sources.imports import FileImport, import_files
from mprof.sources.prometheus import PROMETHEUS_JSON
from mprof.sources.prometheus_api import USUAL_STEP_S, metrics_of_prometheus, scrape_interval_s
from mprof.sources.resource_manager import answers_of_resource_manager, standing_in
from mprof.sources.server import Server
from mprof.store import Store

__all__ = ["Feed", "HistoryFeed", "PrometheusFeed", "ResourceManagerFeed", "taken_in"]

_LATE_STEPS: Final = 2
"""Of the last steps Prometheus may have scraped a part of the nodes only."""

_LEAST_NEW_S: Final = 60.0
_LATE_S: Final = 600.0
"""A history is there when its file has been moved: up to three minutes after the job's end
(``mapreduce.jobhistory.move.interval-ms``), and later where the server was down."""

_MOST_KNOWN: Final = 100_000
_UNCHANGED_S: Final = 600.0
"""After which nodes are noted again though nothing has become of any."""

Told = Callable[[str], None]


class Feed(Protocol):
    """What gives files about a cluster."""

    def step_s(self, until_s: float) -> float | None:
        """Seconds between two samples at the end of a time; None where it gives no samples.

        Raises:
            EvidenceError: if its server is asked, and does not answer.
        """

    def new(
        self, *, since_s: float, until_s: float, store: Store | None, folder: Path, told: Told
    ) -> Iterator[Path]:
        """What is new, as files that may be deleted once they are read.

        Args:
            since_s: from this second on, when it is asked for the first time.
            until_s: up to this one.
            store: that has what was given before; None where there is none yet.
            folder: for the files.
            told: what could not be had.

        Raises:
            EvidenceError: if its server does not answer, refuses, or has nothing; what was given
                until then need not be asked for again.
        """


class PrometheusFeed:
    """Samples that are newer than the last one."""

    def __init__(
        self, server: Server, *, step_s: float | None = None, match: str = "", follows: bool = False
    ) -> None:
        """Begin.

        Args:
            server: whom to ask.
            step_s: between two samples; where None, as often as it scrapes.
            match: labels that nodes must have.
            follows: it is asked again and again as time goes on: begin behind what the store has,
                do without the last steps, and wait until a minute is new.
        """
        self._server = server
        self._given_s = step_s
        self._match = match
        self._follows = follows
        self._next_s: float | None = None

    def step_s(self, until_s: float) -> float:
        """Seconds between two samples; asks, if nobody said.

        Args:
            until_s: the end of the time that will be asked for.

        Raises:
            EvidenceError: if it does not answer, or refuses.
        """
        if self._given_s is None:
            found_s = scrape_interval_s(self._server, until_s=until_s, match=self._match)
            self._given_s = USUAL_STEP_S if found_s is None else found_s
        return self._given_s

    def new(
        self, *, since_s: float, until_s: float, store: Store | None, folder: Path, told: Told
    ) -> Iterator[Path]:
        """An hour of all nodes in a file."""
        _ = told
        begin_s = self._next_s
        step_s = self.step_s(until_s)
        if self._follows:
            until_s -= _LATE_STEPS * step_s
        if begin_s is None:
            begin_s = self._behind(store, since_s, until_s, step_s) if self._follows else since_s
        last_s = math.floor(until_s / step_s) * step_s
        if last_s - begin_s < (_LEAST_NEW_S - step_s if self._follows else 0.0):
            return
        yield from metrics_of_prometheus(
            self._server, since_s=begin_s, until_s=last_s, step_s=step_s, folder=folder,
            match=self._match,
        )  # fmt: skip
        self._next_s = last_s + step_s

    def _behind(self, store: Store | None, since_s: float, until_s: float, step_s: float) -> float:
        """Behind the last sample that the store has of Prometheus, or from that time on."""
        if store is None:
            return since_s
        notes = store.read("sources", columns=["source", "kind"])
        own = set(notes.loc[notes["kind"] == PROMETHEUS_JSON.kind, "source"])
        groups = store.rows("metrics", columns=("at_s",), by="at_s").groups
        lasts = (each.high for each in groups if Path(each.file).stem in own)
        last_s = max((each for each in lasts if each is not None), default=-math.inf)
        return max(since_s, last_s + step_s) if last_s <= until_s else since_s


class HistoryFeed:
    """Jobs that have ended and are not in the store."""

    def __init__(self, server: Server) -> None:
        """Begin.

        Args:
            server: whom to ask.
        """
        self._server = server
        self._known: OrderedDict[str, None] | None = None
        self._until_s: float | None = None

    def step_s(self, until_s: float) -> None:
        """It gives jobs."""

    def new(
        self, *, since_s: float, until_s: float, store: Store | None, folder: Path, told: Told
    ) -> Iterator[Path]:
        """A job in a file."""
        if self._known is None:
            self._known = OrderedDict.fromkeys(_whole_jobs(store))
        if self._until_s is not None:
            since_s = max(since_s, self._until_s - _LATE_S)
        for path in jobs_of_history_server(
            self._server, since_s=since_s, until_s=until_s, folder=folder, known=self._known,
            told=told,
        ):  # fmt: skip
            yield path
            self._known[path.name.partition(".")[0]] = None
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        self._until_s = until_s


class ResourceManagerFeed:
    """How the nodes stand, when that has changed."""

    def __init__(self, server: Server) -> None:
        """Begin.

        Args:
            server: whom to ask.
        """
        self._server = server
        self._standing: frozenset[tuple[str, ...]] | None = None
        self._written_s = -math.inf

    def step_s(self, until_s: float) -> None:
        """It gives what is true when it is asked."""

    def new(
        self, *, since_s: float, until_s: float, store: Store | None, folder: Path, told: Told
    ) -> Iterator[Path]:
        """All nodes in a file."""
        _ = store, told
        text = answers_of_resource_manager(
            self._server, since_s=since_s, until_s=until_s, now_s=until_s
        )
        standing = standing_in(text)
        if standing == self._standing and until_s - self._written_s < _UNCHANGED_S:
            return
        path = folder / f"nodes-{until_s:.0f}.rest.json"
        path.write_bytes(text)
        yield path
        self._standing, self._written_s = standing, until_s


def taken_in(
    feeds: Sequence[Feed],
    store: Place,
    *,
    since_s: float,
    until_s: float,
    told: Told,
) -> Iterator[FileImport]:
    """Put what feeds have that is new into a store, which is made where there is none.

    A server that does not answer leaves a folder as it is.

    Args:
        feeds: to be asked, one after the other.
        store: the folder of the store, or its address.
        since_s: where feeds begin that are asked for the first time.
        until_s: where they end.
        told: what could not be had.

    Raises:
        EvidenceError: what the first feed that failed says; the others are asked all the same.
    """
    failed: Exception | None = None
    tables = Store.at(store) if Store.is_at(store) else None
    for feed in feeds:
        with tempfile.TemporaryDirectory(prefix="mprof-asked-") as name:
            new = feed.new(
                since_s=since_s, until_s=until_s, store=tables, folder=Path(name), told=told
            )
            try:
                for path in new:
                    tables = tables or Store(store)
                    yield from import_files([path], tables)
                    path.unlink(missing_ok=True)
            except EvidenceError as error:
                failed = failed or error
    if failed is not None:
        raise failed


def _whole_jobs(store: Store | None) -> list[str]:
    """Jobs of which the store has the attempts and the end."""
    if store is None:
        return []
    jobs = store.read("jobs", columns=["job", "finished_s"]).dropna()["job"]
    rows = store.rows("attempts", columns=("job", "kind"), by="job")
    with_attempts: set[str] = set()
    for batch in rows.batches(1_000_000):
        read = batch.read()
        with_attempts.update(read.loc[read["kind"].notna(), "job"].unique())
    return [job for job in jobs if job in with_attempts]
