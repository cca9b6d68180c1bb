"""Reads what ``mprof collect`` has recorded, by nothing but gzip and JSON."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

from mprof.metrics import SAMPLED_NAMES


def read_rows(path: Path) -> dict[str, list[float | str | None]]:
    """The rows of a file, as columns; of one that was cut off, those before the cut."""
    columns: dict[str, list[float | str | None]] = {
        name: [] for name in ("host", "at_s", *SAMPLED_NAMES)
    }
    with gzip.open(path) as unpacked:
        try:
            for line in unpacked:
                row = json.loads(line)
                for name, values in columns.items():
                    values.append(row.get(name))
        except (EOFError, zlib.error, ValueError):
            pass  # what comes after a cut is lost
    return columns
