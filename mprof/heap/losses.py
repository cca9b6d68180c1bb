"""What a damaged dump leaves unknown, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.hprof import Dump, scan
from mprof.hprof.format import LENGTH_WRAP
from mprof.units import format_bytes

if TYPE_CHECKING:
    from mprof.heap.graph import Graph

__all__ = ["describe_damage", "describe_file_losses", "describe_losses"]


def describe_file_losses(dump: Dump) -> tuple[str, ...]:
    """Losses of the file itself: what could not be read; empty for a whole dump."""
    losses = list(dump.losses)
    if dump.is_cut:
        losses.append(
            f"the dump is cut: it ends after {format_bytes(dump.buffer.size)} without its last "
            "record; objects after that are missing"
        )
    return (*losses, *describe_damage(dump))


def describe_damage(dump: Dump) -> tuple[str, ...]:
    """What was wrong inside the file; empty for a whole dump, and for one that is only cut."""
    losses = []
    skipped = [fault for fault in dump.faults if fault.kind == scan.UNREADABLE]
    if skipped:
        total = sum(fault.end - fault.start for fault in skipped)
        losses.append(
            f"{len(skipped):,} stretches of damaged records were skipped, {format_bytes(total)} "
            f"in all, the first at byte {skipped[0].start:,}"
        )
    lengths = sum(fault.kind == scan.WRONG_LENGTH for fault in dump.faults)
    if lengths and not (dump.buffer.size >= LENGTH_WRAP and not dump.state[scan.SEGMENTS]):
        losses.append(f"{lengths:,} segments have a wrong length; their records were read anyway")
    return tuple(losses)


def describe_losses(dump: Dump, graph: Graph) -> tuple[str, ...]:
    """One sentence for each kind of loss; empty for a whole dump."""
    losses = list(describe_file_losses(dump))
    if graph.roots.incomplete:
        losses.append(
            "roots are missing: class statics and objects that nothing refers to were taken as "
            "roots, so garbage may count as reachable, and threads and frames may be missing"
        )
    notes = graph.notes
    if notes.dangling:
        losses.append(
            f"{notes.dangling:,} references point to objects that are not in the dump; what those "
            "held may be counted as unreachable"
        )
    if notes.duplicates:
        losses.append(f"{notes.duplicates:,} objects occur more than once; the first record counts")
    if notes.classless:
        losses.append(
            f"the class of {notes.classless:,} objects is not in the dump; their references and "
            "exact sizes are not known"
        )
    if notes.mismatched:
        losses.append(f"{notes.mismatched:,} objects have fields that do not match their class")
    if graph.roots.absent:
        losses.append(f"{graph.roots.absent:,} roots refer to objects that are not in the dump")
    return tuple(losses)
