"""``mprof nodes --follow``: what is new is taken in, compared, printed, and told to others."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mprof.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from mprof.peers.live import Live
    from mprof.report.nodes.alerts import Alert, Now
    from mprof.sources.feeds import Feed
    from mprof.sources.imports import FileImport
    from mprof.sources.server import Server
    from mprof.sources.watch import Watch
    from mprof.store import Store

__all__ = ["Asking", "Retention", "Scrapes", "Webhook", "follow", "scraped_at"]

_HOLDS_ROUNDS: Final = 4
"""As Prometheus does: an alert that is not sent again in so many rounds is over."""

_LEAST_HOLDS_S: Final = 300.0
_MOST_OWED: Final = 10_000
_TOGETHER: Final = 60
"""Answers that lie apart: so many small sources become one, or the store is slow to open."""


@dataclass(slots=True)
class Asking:
    """Servers that are asked in each round for what is new."""

    feeds: Sequence[Feed]
    store: Store
    since_s: float
    failures: int = 0
    _has_answered: bool = False
    _said: str = ""
    _apart: dict[str, list[str]] = field(default_factory=dict)

    def look(self, now_s: float) -> None:
        """Take in what is new.

        Raises:
            EvidenceError: if one fails that has never answered: its address may be wrong. What
                fails later is said, and asked for again in the next round.
        """
        from mprof.cli.output import say
        from mprof.sources.feeds import taken_in

        if not self.feeds:
            return
        taken = taken_in(
            self.feeds, self.store.folder, since_s=self.since_s, until_s=now_s,
            told=lambda line: say(line, on_stderr=True),
        )  # fmt: skip
        try:
            for one in taken:
                self._note(one)
        except EvidenceError as error:
            if not self._has_answered:
                raise
            self.failures += 1
            if error.what != self._said:
                say(f"{error.what}; it is asked again", on_stderr=True)
            self._said = error.what
        else:
            self._has_answered, self._said = True, ""

    def _note(self, one: FileImport) -> None:
        from mprof.cli.output import say
        from mprof.store.retention import merged

        if one.outcome == "unreadable":
            say(f"{one.path.name}: not read: {one.first_unread}", on_stderr=True)
        if one.source is None or one.kind is None or one.outcome != "imported":
            return
        apart = self._apart.setdefault(one.kind, [])
        apart.append(one.source)
        if len(apart) >= _TOGETHER:
            known = set(self.store.sources())
            there = [source for source in apart if source in known]
            merged(self.store, there, path=f"{len(there)} answers", kind=one.kind)
            apart.clear()


@dataclass(frozen=True, slots=True)
class Retention:
    """What is too old goes out of the store.

    Attributes:
        keep_s: how long rows are kept, by the time of the data; None for ever.
    """

    store: Store
    keep_s: float | None

    def look(self, evidence_s: float | None) -> None:
        """Drop what is older than that."""
        from mprof.store.retention import drop_before

        if self.keep_s is not None and evidence_s is not None:
            drop_before(self.store, evidence_s - self.keep_s, kept_s=self.keep_s)


@dataclass(slots=True)
class Webhook:
    """Alerts that are sent to an Alertmanager; what cannot be sent stays owed.

    Attributes:
        server: to which they are sent; None for none.
        every_s: between two rounds.
        failures: how often it did not take them.
    """

    server: Server | None
    every_s: float
    failures: int = 0
    _fires: dict[Any, Alert] = field(default_factory=dict)
    _owed: dict[Any, Alert] = field(default_factory=dict)
    _said: str = ""

    def tell(self, now: Now) -> None:
        """Send what holds, once a round, and what holds no more, until it is taken."""
        from mprof.cli.output import say
        from mprof.report.nodes.alerts import alerts_of, as_postable

        if self.server is None:
            return
        fires = {one.key: one for one in alerts_of(now)}
        self._owed |= {key: one for key, one in self._fires.items() if key not in fires}
        self._owed = {
            key: one for key, one in list(self._owed.items())[-_MOST_OWED:] if key not in fires
        }
        self._fires = fires
        if not fires and not self._owed:
            return
        body = as_postable(
            fires.values(), self._owed.values(), now_s=now.looked_s,
            holds_s=max(_LEAST_HOLDS_S, _HOLDS_ROUNDS * self.every_s),
        )  # fmt: skip
        try:
            self.server.told("/api/v2/alerts", body)
        except EvidenceError as error:
            self.failures += 1
            if error.what != self._said:
                say(f"alerts were not sent: {error.what}", on_stderr=True)
            self._said = error.what
        else:
            self._owed.clear()
            self._said = ""


@dataclass(slots=True)
class Scrapes:
    """What a Prometheus that scrapes gets: the text of the last round."""

    text: str = ""


@contextlib.contextmanager
def scraped_at(address: str | None, scrapes: Scrapes) -> Iterator[str | None]:
    """Answer at ``/metrics`` while the block runs; gives the address.

    Args:
        address: a port of this machine's own, or ``HOST:PORT``; None for no answers.
        scrapes: that are given.

    Raises:
        UsageError: if the address is none, or is taken.
    """
    if address is None:
        yield None
        return
    from mprof.cli.output import say
    from mprof.report.serving import text_served

    host, colon, port = address.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65_535:
        raise UsageError(
            f"--serve-metrics {address} is no address", next_step="write it as 9464 or 0.0.0.0:9464"
        )
    own = host.strip("[]") if colon else "127.0.0.1"
    with text_served("metrics", lambda: scrapes.text, own, int(port)) as at:
        say(f"metrics at {at}", on_stderr=True)
        yield at


def follow(
    live: Live,
    watch: Watch,
    *,
    json: bool,
    wait: Callable[[], None],
    asking: Asking | None = None,
    retention: Retention | None = None,
    webhook: Webhook | None = None,
    scrapes: Scrapes | None = None,
) -> None:
    """Print what becomes of suspects, until ``wait`` raises."""
    from mprof.cli.output import say
    from mprof.report.nodes import (
        change_as_json,
        change_as_text,
        state_as_json,
        state_as_text,
    )
    from mprof.report.nodes.alerts import Now, as_exposition

    line_of = change_as_json if json else change_as_text
    while True:
        now_s = time.time()
        if asking is not None:
            asking.look(now_s)
        for one in watch.changed():
            if one.outcome == "unreadable":
                say(f"{one.path}: not read: {one.first_unread}", on_stderr=True)
        for change in live.advance():
            say(line_of(change))
            sys.stdout.flush()  # whoever reads the lines waits for each of them
        changed, well = live.report()
        for state in changed:
            say(state_as_json(state, now_s) if json else state_as_text(state, now_s))
        for state in well:
            say(state_as_json(state, now_s, is_over=True) if json
                else state_as_text(state, now_s, is_over=True))  # fmt: skip
        sys.stdout.flush()
        if retention is not None:
            retention.look(live.evidence_s)
        told = [each for each in (asking, webhook) if each is not None]
        now = Now(
            looked_s=now_s,
            evidence_s=live.evidence_s,
            compared=live.compared,
            suspects=live.suspects,
            reported=live.reported,
            failures=sum(each.failures for each in told),
        )
        if webhook is not None:
            webhook.tell(now)
        if scrapes is not None:
            scrapes.text = as_exposition(now)
        wait()
