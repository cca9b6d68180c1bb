"""Settings of the map side: the split and the sort buffer."""

from __future__ import annotations

import math

from mprof.advice.properties import HEADROOM, input_format, setting
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence, known
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.need import capacity_of, end_of_data, live_of, need_at
from mprof.units import MIB, format_bytes

__all__ = ["smaller_buffer", "smaller_split"]

_SHARES = tuple(1 / n for n in range(2, 9))
_SORT_MB = "mapreduce.task.io.sort.mb"
_SPLIT_MAX = "mapreduce.input.fileinputformat.split.maxsize"
_SPLIT_MIN = "mapreduce.input.fileinputformat.split.minsize"
_LINES = "mapreduce.input.lineinputformat.linespermap"
_LEAST_SORT_MB = 16


def smaller_split(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """The largest split, of a half to an eighth of this one, that ends with room to spare."""
    found, split = find_growth(evidence, "map"), known(evidence.split)
    capacity = capacity_of(evidence)
    if not isinstance(found, Growing) or split is None or capacity is None:
        return ()
    end = end_of_data(evidence, found)
    if end is None:
        return ()
    chosen, peak = _SHARES[-1], 0.0
    for share in _SHARES:
        peak = need_at(evidence, found, end * share) or 0.0
        if peak <= HEADROOM * capacity:
            chosen = share
            break
    pieces = round(1 / chosen)
    size = max(1, math.floor(split.length_bytes * chosen / MIB)) * MIB
    size = min(size, max(1, round(split.length_bytes * chosen)))
    text = (
        f"Splits of {format_bytes(size)} instead of "
        f"{format_bytes(split.length_bytes)}: each mapper then ends at about "
        f"{format_bytes(peak)} of {format_bytes(capacity)}. The code still accumulates, so a "
        "split that large must not come back."
    )
    if (input_format(evidence) or "").endswith(".NLineInputFormat"):
        # It splits by lines, whatever their size.
        lines_old = evidence.conf.get(_LINES, "1")
        fewer = int(lines_old) // pieces if lines_old.isdigit() else 0
        if fewer < 1:
            return ()
        return (setting(evidence, cause.cause, _LINES, str(fewer), text, peak_bytes=peak),)
    combines = (split.class_name or "").endswith(".CombineFileSplit")
    if evidence.conf.get("mapred.mapper.new-api") == "false" and not combines:
        # FileInputFormat of the old API knows no largest split: it divides by the wanted maps.
        # Only its CombineFileInputFormat is the new one in disguise.
        old = evidence.conf.get("mapreduce.job.maps", "2")
        maps = max(pieces, int(old) * pieces if old.isdigit() else pieces)
        line = setting(
            evidence, cause.cause, "mapreduce.job.maps", str(maps), text, peak_bytes=peak
        )
        return (line,)
    lines = [setting(evidence, cause.cause, _SPLIT_MAX, str(size), text, peak_bytes=peak)]
    least = evidence.conf.get(_SPLIT_MIN, "0")
    if least.isdigit() and int(least) > size:
        why = "The smallest split is larger than that, and it wins."
        lines.append(setting(evidence, cause.cause, _SPLIT_MIN, str(size), why))
    return tuple(lines)


def smaller_buffer(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """The largest sort buffer that leaves the mapper room to the end of its split."""
    buffer, capacity = known(evidence.map_buffer), capacity_of(evidence)
    if buffer is None or capacity is None:
        return ()
    live = live_of(evidence) or capacity
    found = find_growth(evidence, "map")
    need = float(live)
    if isinstance(found, Growing):
        end = end_of_data(evidence, found)
        need = need_at(evidence, found, end if end is not None else found.x_now) or need
    # What the mapper needs without any buffer; nothing of it is known if it never began.
    rest = max(0.0, need - buffer.requested_bytes) if buffer.allocated else 0.25 * capacity
    room = HEADROOM * capacity - rest
    # Half of what is left: the collector, and the records in flight, want the other half.
    most = min(room, 0.5 * buffer.requested_bytes)
    megabytes = max(_LEAST_SORT_MB, math.floor(most / MIB))
    megabytes = min(megabytes, max(1, buffer.requested_bytes // MIB - 1))
    peak = rest + megabytes * MIB
    text = (
        f"A sort buffer of {megabytes} MB instead of "
        f"{format_bytes(buffer.requested_bytes)}: the mapper then ends at about "
        f"{format_bytes(peak)} of {format_bytes(capacity)}; it spills more often."
    )
    old = evidence.conf.get(_SORT_MB, str(buffer.requested_bytes // MIB))
    line = setting(evidence, cause.cause, _SORT_MB, str(megabytes), text, peak_bytes=peak, old=old)
    return (line,)
