"""The heap at death as one account: every byte that live objects may take, once, and whose it is.

The items add up to the capacity: Hadoop's buffers, each large object of the job's code with how
long it lives, what the output's writer and the input's reader keep, the record at work, what the
collector loses, what was asked for and refused, what is left over. Verdicts are statements about
this account.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Composition, Evidence, Holder, Unknown, known
from mprof.patterns.failed_allocation import FailedAllocation
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.sizes import HUGE

__all__ = ["Account", "Item", "ItemKind", "account_of", "account_of_live_heap"]

_MOST_UNNAMED = 0.03
"""Share of the capacity: what holds less is added up, so that a page has room for all rows."""

ItemKind = Literal[
    "sort_buffer", "shuffle", "framework", "holder", "other_user", "record", "record_written",
    "serialization", "other", "collector", "refused", "free",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the account.

    Attributes:
        kind: what it is.
        bytes: of it.
        share: of the capacity.
        holder: the object, of the kind ``holder``.
    """

    kind: ItemKind
    bytes: int
    share: float
    holder: Holder | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What the heap held when the task died.

    Attributes:
        capacity_bytes: what live objects may take before this collector gives up.
        live_bytes: what was live.
        items: the largest first, what is lost, refused or free last; they add up to the
            capacity, or to what was live and asked for where that is more.
    """

    capacity_bytes: int
    live_bytes: int
    items: tuple[Item, ...]

    @property
    def holders(self) -> tuple[Item, ...]:
        """The large objects that the job's code, its writer, its reader or a library keeps."""
        return tuple(one for one in self.items if one.kind == "holder")

    @property
    def of_the_record(self) -> int:
        """Bytes of the record at work: itself, what is made of it, what it asked for in vain."""
        return sum(
            one.bytes
            for one in self.items
            if one.kind in ("record", "record_written", "refused")
            or (one.holder is not None and one.holder.lifecycle == "record")
        )

    def has_larger_of_others(self, size_bytes: int) -> bool:
        """Whether a reader, a writer or a library holds more than so much in one object."""
        return any(
            one.bytes > size_bytes and one.holder is not None and one.holder.owner in _FOREIGN
            for one in self.holders
        )

    @property
    def has_huge(self) -> bool:
        """Whether anything holds a huge share of the heap by itself."""
        return any(
            one.share >= HUGE.value and one.kind not in ("free", "other_user", "collector")
            for one in self.items
        )


def account_of(
    evidence: Evidence, memory: MemoryModel | Unknown, allocation: FailedAllocation
) -> Account | Unknown:
    """The account of the heap at death.

    Args:
        evidence: of the attempt.
        memory: of the attempt.
        allocation: the one that failed.
    """
    if isinstance(memory, Unknown):
        return memory
    if isinstance(evidence.composition, Unknown):
        return evidence.composition
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    capacity = memory.capacity_bytes
    rows = [
        *_framework(evidence, evidence.composition),
        *_user(evidence.composition, evidence.holders, capacity),
    ]
    live = evidence.composition.total_bytes
    rest = max(0, capacity - live - allocation.lost_bytes - allocation.record_bytes)
    ordered = sorted(rows, key=lambda row: -row[1])
    last: list[tuple[ItemKind, int, Holder | None]] = [
        ("collector", allocation.lost_bytes, None),
        ("refused", allocation.record_bytes, None),
        ("free", rest, None),
    ]
    return Account(
        capacity_bytes=capacity,
        live_bytes=live,
        items=tuple(
            Item(kind, size, size / max(capacity, 1), holder)
            for kind, size, holder in (*ordered, *last)
            if size > 0
        ),
    )


def account_of_live_heap(evidence: Evidence) -> Account | None:
    """The account of what was live, where nothing says how much more the heap could have held.

    So it is with a dump of which neither the job's configuration nor an event log is at hand. No
    verdict hangs on it, since its shares are of the live heap and so a little too large.
    """
    composition = known(evidence.composition)
    holders = known(evidence.holders) or evidence.program
    if composition is None or holders is None:
        return None
    live = composition.total_bytes
    rows = [*_framework(evidence, composition), *_user(composition, holders, live)]
    rows.sort(key=lambda row: -row[1])
    items = (Item(kind, size, size / max(live, 1), holder) for kind, size, holder in rows if size)
    return Account(capacity_bytes=live, live_bytes=live, items=tuple(items))


def _framework(
    evidence: Evidence, composition: Composition
) -> list[tuple[ItemKind, int, Holder | None]]:
    buffer = known(evidence.map_buffer)
    sorting = buffer.requested_bytes if buffer is not None and buffer.allocated else 0
    sorting = min(sorting, composition.framework_bytes)
    shuffled = min(composition.shuffle_bytes, composition.framework_bytes - sorting)
    return [
        ("sort_buffer", sorting, None),
        ("shuffle", shuffled, None),
        ("framework", composition.framework_bytes - sorting - shuffled, None),
        ("record", composition.record_bytes, None),
        ("record_written", composition.output_bytes, None),
        ("serialization", composition.serialization_bytes, None),
        ("other", composition.other_bytes, None),
    ]


_FOREIGN = ("writer", "reader", "library")
_OF_THE_JOB = ("user", "external", *_FOREIGN)


def _user(
    composition: Composition, holders: tuple[Holder, ...], capacity: int
) -> list[tuple[ItemKind, int, Holder | None]]:
    """A row for each large object, and one for all others."""
    of_the_job = composition.total_bytes - (
        composition.framework_bytes + composition.record_bytes + composition.output_bytes
        + composition.serialization_bytes + composition.other_bytes
    )  # fmt: skip
    large = [
        one for one in holders if one.owner in _OF_THE_JOB and one.bytes >= _MOST_UNNAMED * capacity
    ]
    rows: list[tuple[ItemKind, int, Holder | None]] = []
    rest = of_the_job
    for one in sorted(large, key=lambda one: (-one.bytes, one.key)):
        # A path from two frames may count an object twice: no more is told than there is.
        size = min(one.bytes, rest)
        rows.append(("holder", size, one))
        rest -= size
    return [*rows, ("other_user", rest, None)]
