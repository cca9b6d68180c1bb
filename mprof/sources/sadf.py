"""Output of ``sadf -j`` of sysstat: the metrics of a host, sample by sample.

``json_stats.c`` and ``sadf_misc.c`` of sysstat. ``sadf -j datafile -- -A`` gives all that is read
here: ``cpu-load`` (``user``, or ``usr`` with ``-u ALL``), ``process-and-context-switch``,
``queue``, ``paging``, ``io``, ``net-etcp``, and ``net-dev`` in KiB. Times are UTC unless sadf was
told otherwise (``-t``, ``-T``); then a sample says so, and is not read, since the name of a zone
tells no offset.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader, as_figure, as_text, pieces_of
from mprof.store import frame_of

__all__ = ["SADF"]

_SAMPLE: Final = re.compile(r'\{\s{0,80}"timestamp"\s?:')
_HOST: Final = re.compile(r'"nodename"\s?:\s?"([^"\\]{1,255})"')
_PROCESSORS: Final = re.compile(r'"number-of-cpus"\s?:\s?(\d{1,6})\b')
_DECODER: Final = json.JSONDecoder()
_LONGEST_MARK: Final = 100  # of what begins a sample
_LONGEST_SAMPLE: Final = 16 << 20
"""Characters: of a host with 1,000 processors and disks a sample has some 2 MB."""
_KIB: Final = 1024
_UTC: Final = frozenset({"UTC", "GMT"})

_FIGURES: Final[Mapping[str, tuple[str, ...]]] = {
    "ctxt": ("process-and-context-switch", "cswch"),
    "runq_sz": ("queue", "runq-sz"),
    "plist_sz": ("queue", "plist-sz"),
    "ldavg_1": ("queue", "ldavg-1"),
    "pgpgin": ("paging", "pgpgin"),
    "pgpgout": ("paging", "pgpgout"),
    "fault": ("paging", "fault"),
    "bread": ("io", "io-reads", "bread"),
    "bwrtn": ("io", "io-writes", "bwrtn"),
    "retrans": ("network", "net-etcp", "retrans"),
}
"""Metrics, and where they stand in a sample."""

_OF_CPU: Final = {"user": ("user", "usr"), "system": ("system", "sys"), "iowait": ("iowait",)}
_OF_NETWORK: Final = {"eth_rxbyt": "rxkB", "eth_txbyt": "txkB"}


def _texts(
    path: Path, losses: Losses, processors: dict[str, float]
) -> Iterator[tuple[str | None, str]]:
    """The text of each sample up to the next one, and the host that it is of."""
    held, host = "", None
    begun = False  # what is held begins with a sample
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces_of(path, losses):
        # The search goes on where it ended: a sample may be much longer than a piece.
        searched = max(int(begun), len(held) - _LONGEST_MARK)
        held += decoder.decode(piece)
        starts = [found.start() for found in _SAMPLE.finditer(held, searched)]
        if starts and not begun and (named := _HOST.findall(held, 0, starts[0])):
            host = named[-1]
            _note_processors(held[: starts[0]], host, processors)
        if begun:
            starts.insert(0, 0)
        for start, end in pairwise(starts):
            yield host, held[start:end]
            # The next host of the file begins behind the last sample of the one before.
            if named := _HOST.findall(held, start, end):
                host = named[-1]
                _note_processors(held[start:end], host, processors)
        if starts:
            held, begun = held[starts[-1] :], True
        if len(held) > _LONGEST_SAMPLE:
            losses.add("a sample is too long, or no JSON", held[:80])
            return
    if begun:
        yield host, held
    elif held:
        losses.add("there is no sample in it", held[:80])


_OF_MPSTAT: Final = (
    "it is output of mpstat -o JSON, which has no dates: let sysstat record, and export its file "
    "with sadf -j"
)


def _note_processors(header: str, host: str, processors: dict[str, float]) -> None:
    if counts := _PROCESSORS.findall(header):
        processors[host] = float(counts[-1])


def _at_s(timestamp: Any) -> float | None:
    """When a sample was taken; None where it does not say, or by local time."""
    if not isinstance(timestamp, dict):
        return None
    if timestamp.get("utc", 1) != 1 or as_text(timestamp.get("tz", "UTC")) not in _UTC:
        return None
    date, time = as_text(timestamp.get("date")), as_text(timestamp.get("time"))
    if date is None or time is None:
        return None
    try:
        return datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _at(sample: Any, place: tuple[str, ...]) -> Any:
    for name in place:
        sample = sample.get(name) if isinstance(sample, dict) else None
    return sample


def _listed(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _metrics(sample: dict[str, Any]) -> dict[str, float]:
    figures: dict[str, float | None] = {
        name: as_figure(_at(sample, place)) for name, place in _FIGURES.items()
    }
    for load in _listed(sample.get("cpu-load") or sample.get("cpu-load-all")):
        if load.get("cpu") == "all":
            for name, words in _OF_CPU.items():
                figures[name] = next(
                    (value for word in words if (value := as_figure(load.get(word))) is not None),
                    None,
                )
    devices = _listed(_at(sample, ("network", "net-dev")))
    for name, word in _OF_NETWORK.items():
        # What a host sends to itself is no traffic of its network.
        known = [as_figure(each.get(word)) for each in devices if each.get("iface") != "lo"]
        if known and None not in known:
            figures[name] = sum(each or 0 for each in known) * _KIB
    return {name: value for name, value in figures.items() if value is not None}


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    processors: dict[str, float] = {}
    for host, text in _texts(path, losses, processors):
        try:
            sample, _ = _DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            losses.add("a sample is damaged or cut off", text[:80])
            continue
        if isinstance(sample["timestamp"], str):  # a time without a date
            losses.add(_OF_MPSTAT, text[:80])
            continue
        at_s = _at_s(sample["timestamp"])
        if at_s is None:
            losses.add("a sample is not of UTC: run sadf without -t and -T", text[:80])
            continue
        metrics = _metrics(sample)
        if metrics:  # else it is of something that is not kept, such as interrupts
            rows.append({"host": host, "at_s": at_s, **metrics})
        if len(rows) >= ROWS_AT_ONCE:
            yield "metrics", frame_of("metrics", rows)
            rows = []
    yield "metrics", frame_of("metrics", rows)
    hardware = [
        {"host": host, "what": "processors", "amount": count}
        for host, count in processors.items()
        if count
    ]
    yield "hardware", frame_of("hardware", hardware)


SADF: Final = Reader(
    kind="sadf -j",
    recognises=lambda _, head: re.match(rb'\s*\{\s*"sysstat"\s*:', head) is not None,
    read=_read,
    tables=("metrics", "hardware"),
)
