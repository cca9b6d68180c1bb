"""An event of a job history, of whichever format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["AVRO_BINARY", "AVRO_JSON", "Fields", "HistoryEvent"]

AVRO_JSON: Final = "Avro-Json"
"""The first line of a history in this encoding (``EventWriter.VERSION`` of Hadoop)."""

AVRO_BINARY: Final = "Avro-Binary"
"""The same for the binary encoding (``EventWriter.VERSION_BINARY``)."""

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One event: its type (``TASK_STARTED``) and its fields, without union tags."""

    type: str
    fields: Fields
