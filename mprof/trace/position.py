"""The position file: the position of an attempt, its records exact even after a ``SIGKILL``.

Layout: ``docs/reference/position-file.md``. The ``at`` member of events holds the same slots by
name, so one type serves both.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from mprof.engines import Place
from mprof.errors import EvidenceError
from mprof.io.files import UnreadableError, read_file

__all__ = ["PHASES", "SLOTS", "Position", "digest_text", "parse_position", "read_position"]

PHASES: Final = (
    "start",
    "init",
    "setup",
    "map",
    "flush",
    "merge",
    "shuffle",
    "sort",
    "reduce_setup",
    "reduce",
    "cleanup",
    "commit",
    "end",
)
"""Names of the phases; the number of a phase is its index."""

_PLACE_OF_PHASE: Final[Mapping[str, Place]] = {
    "init": "init",
    "setup": "setup",
    "map": "map",
    "flush": "sort",
    "merge": "sort",
    "shuffle": "shuffle",
    "sort": "sort",
    "reduce_setup": "setup",
    "reduce": "reduce",
    "cleanup": "cleanup",
}

_MAGIC: Final = b"MPROFPOS"
_VERSION: Final = 1
_HEADER: Final = struct.Struct("<8sII")
_SLOTS_AT: Final = 64
_ID_AT: Final = 384
_FILE_BYTES: Final = 512
_MAX_BYTES: Final = 64 * 1024  # slots are added over the years; it stays far below
_UNKNOWN: Final = -1
_NEXT_STEP: Final = "name the position.bin that the agent wrote beside events.jsonl"


class Position(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The slots of the position file; None where the agent did not know.

    Ordinals are 1-based, sizes are bytes. The record in flight is counted.
    """

    attempt: str | None = None
    phase: str | None = None
    updated_ms: int | None = None
    records_in: int | None = None
    bytes_in: int | None = None
    record_bytes: int | None = None
    records_out: int | None = None
    bytes_out: int | None = None
    group: int | None = None
    record_in_group: int | None = None
    group_bytes: int | None = None
    group_digest: str | int | None = None
    record_digest: str | int | None = None
    partition: int | None = None
    spill: int | None = None
    progress_ppm: int | None = None
    combine_place: int | None = None
    combine_call: int | None = None
    combine_partition: int | None = None
    combine_records_in: int | None = None
    combine_total: int | None = None
    combine_group: int | None = None
    combine_record_in_group: int | None = None
    combine_group_bytes: int | None = None
    combine_group_digest: str | int | None = None
    combine_record_digest: str | int | None = None
    combine_record_bytes: int | None = None
    combine_records_out: int | None = None
    map_buffer_bytes: int | None = None
    map_buffer_ready: int | None = None
    shuffle_limit: int | None = None
    shuffle_used: int | None = None
    shuffle_in_flight: int | None = None
    shuffle_merging: int | None = None
    fetched_segments: int | None = None
    fetched_bytes: int | None = None
    reduce_total: int | None = None
    split_length: int | None = None
    probes_done: int | None = None
    errors: int | None = None
    verified: int | None = None

    @property
    def in_combine(self) -> bool:
        """Whether a combine pass was running, in any thread."""
        return bool(self.combine_place)

    @property
    def place(self) -> Place | None:
        """The step of the task; None where it is not known, and outside all of them."""
        return "combine" if self.in_combine else _PLACE_OF_PHASE.get(self.phase or "")

    @property
    def progress(self) -> float | None:
        """Share of the input read, 0 to 1, sampled; None where it is not known."""
        return None if self.progress_ppm is None else min(1.0, self.progress_ppm / 1_000_000)


SLOTS: Final = tuple(name for name in Position.__struct_fields__ if name != "attempt")
"""Names of the slots, in the order of the file."""

_DIGESTS: Final = frozenset(name for name in SLOTS if name.endswith("_digest"))


def digest_text(digest: int | str | None) -> str | None:
    """A 64-bit digest as 16 hex digits, as events and plans write it."""
    if digest is None:
        return None
    if isinstance(digest, str):
        return digest.lower().rjust(16, "0")
    return f"{digest & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def read_position(path: Path) -> Position:
    """Read a position file.

    Raises:
        EvidenceError: if it is missing, too short, or another kind or version of file.
    """
    try:
        data = read_file(path, limit_bytes=_MAX_BYTES)
    except UnreadableError as error:
        raise EvidenceError(
            f"cannot read the position file {path}: {error.reason}", next_step=_NEXT_STEP
        ) from error
    return parse_position(data, name=str(path))


def parse_position(data: bytes, *, name: str) -> Position:
    """The position in these bytes.

    A file that is cut off after the slots is valid, and so is one with fewer or more slots than
    this version knows, since slots are only ever added.

    Raises:
        EvidenceError: as ``read_position``.
    """
    if len(data) < _SLOTS_AT or data[: len(_MAGIC)] != _MAGIC:
        raise EvidenceError(f"{name} is not a position file", next_step=_NEXT_STEP)
    _, version, count = _HEADER.unpack_from(data)
    if version != _VERSION:
        raise EvidenceError(
            f"{name} is a position file of version {version}, not {_VERSION}",
            next_step="use the version of mprof whose agent ran in the job",
        )
    whole = min(count, len(SLOTS), (len(data) - _SLOTS_AT) // 8)
    values = struct.unpack_from(f"<{whole}q", data, _SLOTS_AT)
    slots: dict[str, int | str | None] = {
        slot: _slot(slot, value) for slot, value in zip(SLOTS, values, strict=False)
    }
    attempt = data[_ID_AT:_FILE_BYTES].split(b"\0", 1)[0].decode("ascii", "replace")
    return msgspec.convert({**slots, "attempt": attempt or None}, Position)


def _slot(name: str, value: int) -> int | str | None:
    if name == "phase":
        return PHASES[value] if 0 <= value < len(PHASES) else None
    if name in _DIGESTS:
        # -1 means "not known"; the chance of a digest with that value is 1 in 2^64
        return None if value == _UNKNOWN else digest_text(value)
    return None if value == _UNKNOWN else value
