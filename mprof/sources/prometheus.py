"""Exports of Prometheus with the metrics of node_exporter.

Three forms: answers of its HTTP API (``/api/v1/query_range``, or ``/api/v1/query`` with a range
selector) as one JSON object or several, one JSON object a series (``/api/v1/export`` of
VictoriaMetrics), and text with times (``promtool tsdb dump-openmetrics``). Counters must be
exported as they are, not as ``rate()``: mprof takes the difference of two samples itself, and none
where a counter began anew. The label ``instance``, without its port, is the host; where that is an
address, ``node_uname_info`` says its name. A node that is scraped twice, by two jobs or two
Prometheus, counts once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from mprof.sources.json_objects import json_objects
from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader, as_word, lines_of
from mprof.store import frame_of, is_address

__all__ = ["NAMES_OF_NODE_EXPORTER", "PROMETHEUS_JSON", "PROMETHEUS_TEXT"]

_GAUGES: Final = {
    "node_procs_running": "runq_sz",
    "node_processes_threads": "plist_sz",
    "node_load1": "ldavg_1",
}
_SECTOR: Final = 512
_COUNTERS: Final = {
    "node_context_switches_total": ("ctxt", 1.0),
    "node_network_receive_bytes_total": ("eth_rxbyt", 1.0),
    "node_network_transmit_bytes_total": ("eth_txbyt", 1.0),
    "node_vmstat_pgpgin": ("pgpgin", 1.0),
    "node_vmstat_pgpgout": ("pgpgout", 1.0),
    "node_vmstat_pgfault": ("fault", 1.0),
    "node_disk_read_bytes_total": ("bread", 1 / _SECTOR),
    "node_disk_written_bytes_total": ("bwrtn", 1 / _SECTOR),
    "node_netstat_TcpExt_TCPAbortOnData": ("tcp_abort_on_data", 1.0),
    "node_netstat_Tcp_RetransSegs": ("retrans", 1.0),
}
"""Counters, the metric that their growth a second is of, and the factor to its unit."""

_CPU: Final = "node_cpu_seconds_total"
_UNAME: Final = "node_uname_info"
_OF_A_CONTAINER: Final = re.compile(r"[0-9a-f]{12}")  # what Docker calls one that has no name
NAMES_OF_NODE_EXPORTER: Final = frozenset({*_GAUGES, *_COUNTERS, _CPU, _UNAME})
"""What is read of it."""
# sar counts interrupts as system too
_MODES: Final = {
    "user": "user", "system": "system", "irq": "system", "softirq": "system", "iowait": "iowait",
}  # fmt: skip
_PER_CENT: Final = 100.0
_WITHIN_A_NODE: Final = ("device", "cpu", "mode")
"""Labels that tell the parts of a node apart; others say who scraped it."""
# What stands for devices that are counted themselves, and what a host sends to itself.
_NOT_A_DEVICE: Final = re.compile(r"lo|(?:dm-|md|loop|ram|veth|docker|br-|virbr|cni)\w*")
_PORT: Final = re.compile(r":\d+$")
_LINE: Final = re.compile(
    r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+(?P<at>[\d.eE+-]+))?"
)
# Not from within a word: a long one would be gone through from each of its letters on.
_LABEL: Final = re.compile(r'(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"')
_FIRST_MS: Final = 1e11  # as seconds, in the year 5138: such a time counts milliseconds
_NODE: Final = re.compile(rb"(?m)^(?:# (?:HELP|TYPE) )?node_[a-z]")
_SAMPLE: Final = re.compile(
    rb"[a-zA-Z_:][\w:]*(?:\{[^{}]*\})? (?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|[-+]Inf) \d[\d.eE+]*"
)
_ENOUGH: Final = 3
_ANSWER: Final = re.compile(rb'\s*\{\s*"(?:status|data|metric)"\s*:')
_ANSWER_WORDS: Final = re.compile(rb'"(?:resultType|__name__)"')

Labels = Mapping[str, str]


@dataclass(slots=True)
class _Samples:
    """Metrics of hosts and seconds, added up over the series that they consist of.

    Attributes:
        losses: what could not be read.
        sums: of each host and second, its metrics.
        processors: likewise, how many were counted of each mode.
        last: of each series its last sample, with its time.
        told: of each part of a host the series that tells of it, from when to when.
        named: addresses of hosts, each with the names that it was given.
    """

    losses: Losses
    sums: dict[tuple[str, float], dict[str, float]] = field(default_factory=dict)
    processors: dict[tuple[str, float], dict[str, int]] = field(default_factory=dict)
    last: dict[tuple[str, ...], tuple[float, float]] = field(default_factory=dict)
    told: dict[tuple[str, ...], tuple[tuple[str, ...], float, float]] = field(default_factory=dict)
    named: set[tuple[str, str]] = field(default_factory=set)

    def add(self, name: str, labels: Labels, at_s: float, value: float) -> None:
        """One sample of a series; those of a series come in the order of time."""
        if name not in NAMES_OF_NODE_EXPORTER:
            return
        host = _PORT.sub("", labels.get("instance", "")).strip("[]")
        if not host:
            self.losses.add("a series has no label instance", f"{name}{dict(labels)}")
            return
        if not (math.isfinite(value) and math.isfinite(at_s)):
            return  # NaN marks where a series ends
        if name == _UNAME:
            self._note_name(host, labels.get("nodename", ""))
            return
        if _NOT_A_DEVICE.fullmatch(labels.get("device", "")):
            return
        series = (name, *(f"{key}={labels[key]}" for key in sorted(labels)))
        grown = value if name in _GAUGES else self._growth(series, at_s, value)
        part = (name, host, *(labels.get(key, "") for key in _WITHIN_A_NODE))
        if grown is None or self._is_told(part, series, at_s):
            return
        if name in _GAUGES:
            self._put(host, at_s, _GAUGES[name], value)
            return
        if name != _CPU:
            metric, factor = _COUNTERS[name]
            self._put(host, at_s, metric, grown * factor)
            return
        mode = labels.get("mode", "")
        if mode in _MODES:
            self._put(host, at_s, _MODES[mode], grown * _PER_CENT)
        counts = self.processors.setdefault((host, at_s), {})
        counts[mode] = counts.get(mode, 0) + 1

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each host and second, by time."""
        for host, at_s in sorted(self.sums, key=lambda key: (key[1], key[0])):
            metrics = self.sums[host, at_s]
            counts = self.processors.get((host, at_s), {})
            for metric in _MODES.values():
                if metric in metrics and metric not in counts:
                    # Interrupts alone are no time of the system.
                    del metrics[metric]
            shares = {
                metric: metrics[metric] / counts[metric]
                for metric in set(_MODES.values())
                if metric in metrics
            }
            if metrics:
                yield {"host": host, "at_s": at_s, **metrics, **shares}

    def _put(self, host: str, at_s: float, metric: str, value: float) -> None:
        of_second = self.sums.setdefault((host, at_s), {})
        of_second[metric] = of_second.get(metric, 0.0) + value

    def _note_name(self, host: str, name: str) -> None:
        """The name that a node has for itself, where it is scraped by its address."""
        if name and is_address(host) and not _OF_A_CONTAINER.fullmatch(name):
            self.named.add((name, host))

    def _is_told(self, part: tuple[str, ...], series: tuple[str, ...], at_s: float) -> bool:
        """Whether another series tells of this part of the node at that time."""
        teller, first_s, last_s = self.told.get(part, (series, at_s, at_s))
        if teller != series and first_s <= at_s <= last_s:
            return True
        self.told[part] = (series, min(first_s, at_s), max(last_s, at_s))
        return False

    def _growth(self, series: tuple[str, ...], at_s: float, value: float) -> float | None:
        """Growth a second since the sample before; None for the first, and after a restart."""
        before = self.last.get(series)
        if before is not None and at_s <= before[0]:
            self.losses.add("a series goes back in time", f"{' '.join(series)} {at_s}")
            return None
        self.last[series] = (at_s, value)
        if before is None or value < before[1]:
            return None
        return (value - before[1]) / (at_s - before[0])


def _parts(samples: _Samples) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for row in samples.rows():
        rows.append(row)
        if len(rows) >= ROWS_AT_ONCE:
            yield "metrics", frame_of("metrics", rows)
            rows = []
    yield "metrics", frame_of("metrics", rows)
    processors: dict[str, int] = {}
    for (host, _), counts in samples.processors.items():
        processors[host] = max([processors.get(host, 0), *counts.values()])
    hardware = [
        {"host": host, "what": "processors", "amount": float(count)}
        for host, count in sorted(processors.items())
    ]
    yield "hardware", frame_of("hardware", hardware)
    names = [{"name": name, "address": host} for name, host in sorted(samples.named)]
    yield "names", frame_of("names", names)


def _series_of(answer: Mapping[str, Any], losses: Losses) -> Iterable[Any]:
    """The series of one JSON object."""
    if "metric" in answer:
        return (answer,)
    data = answer.get("data", answer)
    result = data.get("result") if isinstance(data, dict) else None
    if not isinstance(result, list):
        losses.add("an answer has no series", answer.get("error", answer))
        return ()
    return result


def _points_of(series: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Times and values of a series, in either form."""
    values, times = series.get("values"), series.get("timestamps")
    if isinstance(values, list) and isinstance(times, list) and len(values) == len(times):
        yield from zip(times, values, strict=True)
    elif isinstance(values, list) and times is None:
        for each in values:
            yield tuple(each) if isinstance(each, list) and len(each) == 2 else (None, None)
    else:
        yield None, None


def _seconds(at: float) -> float:
    return at / 1000 if at > _FIRST_MS else at


def _read_json(path: Path, losses: Losses) -> Iterator[Part]:
    samples = _Samples(losses)
    for answer in json_objects(path, losses):
        for series in _series_of(answer, losses):
            labels = series.get("metric") if isinstance(series, dict) else None
            if not isinstance(labels, dict) or not isinstance(labels.get("__name__"), str):
                losses.add("a series has no name: export it as it is, without rate()", series)
                continue
            texts = {
                key: text
                for key, value in labels.items()
                if key != "__name__" and (text := as_word(value)) is not None
            }
            for at, value in _points_of(series):
                try:
                    samples.add(labels["__name__"], texts, _seconds(float(at)), float(value))
                except (TypeError, ValueError, OverflowError):
                    losses.add("a sample is no time and value", series)
                    break
    yield from _parts(samples)


def _read_text(path: Path, losses: Losses) -> Iterator[Part]:
    samples = _Samples(losses)
    for line in lines_of(path, losses):
        if not line or line.startswith("#"):
            continue
        found = _LINE.match(line)
        try:
            if found is None or found["at"] is None:
                raise ValueError
            at, value = float(found["at"]), float(found["value"])
        except ValueError:
            losses.add("a line is no sample with a time", line)
            continue
        labels = dict(_LABEL.findall(found["labels"] or ""))
        samples.add(found["name"], labels, _seconds(at), value)
    yield from _parts(samples)


def _is_answer(_: Path, head: bytes) -> bool:
    return _ANSWER.match(head) is not None and _ANSWER_WORDS.search(head) is not None


def _is_exposition(head: bytes) -> bool:
    """Whether it is samples with times, whichever series come first."""
    *whole, _ = head.split(b"\n")
    lines = [line for line in whole if line.strip() and not line.startswith(b"#")]
    return len(lines) >= _ENOUGH and all(_SAMPLE.fullmatch(line.rstrip()) for line in lines)


PROMETHEUS_JSON: Final = Reader(
    kind="Prometheus export",
    recognises=_is_answer,
    read=_read_json,
    tables=("metrics", "hardware", "names"),
)
PROMETHEUS_TEXT: Final = Reader(
    kind="Prometheus text",
    recognises=lambda _, head: _NODE.search(head) is not None or _is_exposition(head),
    read=_read_text,
    tables=("metrics", "hardware", "names"),
)
