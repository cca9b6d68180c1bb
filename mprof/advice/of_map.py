"""Settings of the map side: the split and the sort buffer."""

from __future__ import annotations

import math

from mprof.advice.peaks import Peaks, peaks_of
from mprof.advice.properties import input_format, setting
from mprof.advice.thresholds import (
    HEADROOM,
    LEAST_SORT_BUFFER,
    MOST_OF_USABLE,
    OF_THE_SORT_BUFFER,
    UNKNOWN_MAPPER,
)
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence, known
from mprof.patterns import Patterns
from mprof.units import MIB, format_bytes, parse_long

__all__ = ["SPLIT_MAX", "smaller_buffer", "smaller_pass", "smaller_split"]

_SPILLS = "sortAndSpill"
_COMBINES_FROM = "mapreduce.map.combine.minspills"
_NO_MERGE = "1000000"  # more spills than a task makes
_SHARES = tuple(1 / n for n in range(2, 9))
_SORT_MB = "mapreduce.task.io.sort.mb"
SPLIT_MAX = "mapreduce.input.fileinputformat.split.maxsize"
_SPLIT_MIN = "mapreduce.input.fileinputformat.split.minsize"
_LINES = "mapreduce.input.lineinputformat.linespermap"


def smaller_split(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The largest split, of a half to an eighth of this one, that ends with room to spare."""
    found, split, memory = patterns.growth("map"), known(evidence.split), patterns.memory
    if found is None or found.end_x is None or split is None or memory is None:
        return ()
    peaks = peaks_of(memory, found, evidence.series)
    chosen = _share_that_fits(peaks, found.end_x)
    if chosen is None:
        return (_no_split_helps(cause, peaks, found.end_x),)
    capacity, peak = memory.capacity_bytes, peaks.of_a_part(found.end_x * chosen)
    pieces = round(1 / chosen)
    size = max(1, math.floor(split.length_bytes * chosen / MIB)) * MIB
    size = min(size, max(1, round(split.length_bytes * chosen)))
    text = (
        f"Splits of {format_bytes(size)} instead of "
        f"{format_bytes(split.length_bytes)}: the fullest mapper then peaks at about "
        f"{format_bytes(peak)} of the usable {format_bytes(capacity)}, "
        f"{format_bytes(peaks.constant_bytes)} of which do not grow with the split. The code still "
        "accumulates, so never go back to larger splits."
    )
    if (input_format(evidence) or "").endswith(".NLineInputFormat"):
        # It splits by lines, whatever their size.
        lines_old = evidence.conf.get(_LINES, "1")
        fewer = (parse_long(lines_old) or 0) // pieces
        if fewer < 1:
            return ()
        return (setting(evidence, cause.cause, _LINES, str(fewer), text, peak_bytes=peak),)
    # Hadoop's CombineFileSplit, and what frameworks wrap it in.
    combines = "Combine" in (split.class_name or "").rpartition(".")[2]
    if evidence.conf.get("mapred.mapper.new-api") == "false" and not combines:
        # FileInputFormat of the old API knows no largest split: it divides by the wanted maps.
        # Only its CombineFileInputFormat is the new one in disguise.
        old = parse_long(evidence.conf.get("mapreduce.job.maps", "2"))
        maps = max(pieces, (old or 1) * pieces)
        line = setting(
            evidence, cause.cause, "mapreduce.job.maps", str(maps), text, peak_bytes=peak
        )
        return (line,)
    lines = [setting(evidence, cause.cause, SPLIT_MAX, str(size), text, peak_bytes=peak)]
    least = parse_long(evidence.conf.get(_SPLIT_MIN, "0"))
    if least is not None and least > size:
        why = "The job sets a larger minimum, which would override that maximum."
        lines.append(setting(evidence, cause.cause, _SPLIT_MIN, str(size), why))
    return tuple(lines)


def _share_that_fits(peaks: Peaks, end_x: float) -> float | None:
    """The largest share with room to spare; else the smallest, where it leaves some."""
    with_room = (one for one in _SHARES if peaks.fits(end_x * one, HEADROOM.value))
    least = _SHARES[-1]
    otherwise = least if peaks.fits(end_x * least, MOST_OF_USABLE.value) else None
    return next(with_room, otherwise)


def _no_split_helps(cause: Cause, peaks: Peaks, end_x: float) -> Advice:
    text = (
        f"No smaller split is advised: at an eighth of this one the mapper would still peak at "
        f"about {format_bytes(peaks.of_a_part(end_x * _SHARES[-1]))} of the usable "
        f"{format_bytes(peaks.memory.capacity_bytes)}, because "
        f"{format_bytes(peaks.constant_bytes)} do not grow with the split. Keep less in memory."
    )
    return Advice(cause.cause, "code", text)


def smaller_pass(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """A sort buffer whose spills have so few records that a pass of the combiner ends with room.

    A pass is of one partition of a spill, and a spill of what the buffer takes
    (`MapTask.MapOutputBuffer.sortAndSpill`). A smaller buffer makes more spills, and of three or
    more the merge combines all there is of a partition (`mergeParts`), unless it is told not to.
    """
    buffer, memory = known(evidence.map_buffer), patterns.memory
    found = patterns.growth("reduce")
    spills = any(frame.method == _SPILLS for frame in known(evidence.stack) or ())
    if buffer is None or memory is None or found is None or found.end_x is None or not spills:
        return ()
    peaks = peaks_of(memory, found, evidence.series)
    most = HEADROOM.value * memory.capacity_bytes
    size, end = buffer.requested_bytes, found.end_x

    def peak_with(share: float) -> float:
        return peaks.of_a_part(end * share) - (1 - share) * size

    chosen = next((one for one in _SHARES if peak_with(one) <= most), None)
    megabytes = math.floor(size * (chosen or 0) / MIB)
    if chosen is None or megabytes < 1:
        return ()
    peak = peak_with(chosen)
    text = (
        f"A sort buffer of {megabytes} MB instead of {format_bytes(size)}: each pass of the "
        "combiner then gets about as much less, and the mapper peaks at about "
        f"{format_bytes(peak)} of the usable {format_bytes(memory.capacity_bytes)}."
    )
    without = (
        "With that: the merge of the spills does not run the combiner over all of a partition, "
        "which would hold more than one spill does."
    )
    old = evidence.conf.get(_SORT_MB, str(size // MIB))
    name = cause.cause
    spills_old = evidence.conf.get(_COMBINES_FROM, "3")
    return (
        setting(evidence, name, _SORT_MB, str(megabytes), text, peak_bytes=peak, old=old),
        setting(evidence, name, _COMBINES_FROM, _NO_MERGE, without, old=spills_old),
    )


def smaller_buffer(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """The largest sort buffer that leaves the mapper room to the end of its split."""
    buffer, memory = known(evidence.map_buffer), patterns.memory
    if buffer is None or memory is None:
        return ()
    capacity, found = memory.capacity_bytes, patterns.growth("map")
    need = float(memory.live_bytes)
    if found is not None:
        end = found.end_x if found.end_x is not None else found.x_now
        need = peaks_of(memory, found, evidence.series).at(end) or need
    # What the mapper needs without any buffer; nothing of it is known if it never began.
    rest = UNKNOWN_MAPPER.value * capacity
    if buffer.allocated:
        rest = max(0.0, need - buffer.requested_bytes)
    room = HEADROOM.value * capacity - rest
    # Half of what is left: the collector, and the records in flight, want the other half.
    most = min(room, OF_THE_SORT_BUFFER.value * buffer.requested_bytes)
    megabytes = math.floor(max(min(LEAST_SORT_BUFFER.value, room), most) / MIB)
    megabytes = min(megabytes, max(1, buffer.requested_bytes // MIB - 1))
    peak = rest + megabytes * MIB
    if megabytes < 1:
        text = (
            "No smaller sort buffer is advised: beside any the mapper would peak at more than "
            f"{HEADROOM.value:.0%} of the usable {format_bytes(capacity)}. Keep less in "
            "memory, or give it a larger heap."
        )
        return (Advice(cause.cause, "code", text),)
    text = (
        f"A sort buffer of {megabytes} MB instead of "
        f"{format_bytes(buffer.requested_bytes)}: the mapper then peaks at about "
        f"{format_bytes(peak)} of the usable {format_bytes(capacity)}, and spills more often."
    )
    old = evidence.conf.get(_SORT_MB, str(buffer.requested_bytes // MIB))
    line = setting(evidence, cause.cause, _SORT_MB, str(megabytes), text, peak_bytes=peak, old=old)
    return (line,)
