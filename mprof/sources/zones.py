"""Times of the clock on the wall -> UTC, for logs that do not say their time zone."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from mprof.errors import UsageError
from mprof.store import TABLES_DESCRIBED

__all__ = ["in_utc", "zone_of"]

# Offsets change at full quarters of an hour (tz database), so that all times within one have the
# same: a log of a day asks for 96 offsets.
_STEP_S: Final = 900
_TIMES: Final = {table.name: table.times for table in TABLES_DESCRIBED}


def zone_of(name: str) -> tzinfo:
    """The time zone of that name, such as ``Europe/Berlin``.

    Raises:
        UsageError: if there is none.
    """
    if name == "UTC":
        return UTC  # known without a tz database
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(
            f"there is no time zone {name}", next_step="name it as in Europe/Berlin, or UTC"
        ) from error


def in_utc(table: str, part: pa.Table, zone: tzinfo) -> pa.Table:
    """Rows whose times are of a zone's clocks, with times in UTC.

    In the hour that clocks go through twice a year twice, the first time is taken.
    """
    if zone is UTC:
        return part
    for name in _TIMES[table]:
        wall = part[name].to_numpy().astype(float)
        steps = np.floor(wall / _STEP_S)
        known = np.isfinite(steps)
        distinct, places = np.unique(steps[known], return_inverse=True)
        offsets = np.array([_offset_s(step * _STEP_S, zone) for step in distinct], dtype=float)
        wall[known] -= offsets[places]
        part = part.set_column(
            part.schema.get_field_index(name), part.schema.field(name), pa.array(wall, mask=~known)
        )
    return part


def _offset_s(wall_s: float, zone: tzinfo) -> float:
    wall = datetime.fromtimestamp(wall_s, UTC).replace(tzinfo=zone)
    offset = zone.utcoffset(wall)
    return 0.0 if offset is None else offset.total_seconds()
