"""Every format that is read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mprof.sources.collected import COLLECTED
from mprof.sources.datanode_log import DATANODE_LOG
from mprof.sources.heartbeat_log import HEARTBEAT_LOG
from mprof.sources.history_server import HISTORY_SERVER_ANSWERS
from mprof.sources.host_list import HOST_LIST
from mprof.sources.jmx import JMX
from mprof.sources.job_history import JOB_HISTORY
from mprof.sources.node_manager_log import NODE_MANAGER_LOG
from mprof.sources.prometheus import PROMETHEUS_JSON, PROMETHEUS_TEXT
from mprof.sources.reader import Reader
from mprof.sources.resource_manager import RESOURCE_MANAGER_ANSWERS
from mprof.sources.rumen import RUMEN_JOBS, RUMEN_TOPOLOGY
from mprof.sources.sadf import SADF
from mprof.sources.tracebench import TRACEBENCH, TRACEBENCH_MANIFEST

__all__ = ["READERS", "reader_of"]

READERS: Final[tuple[Reader, ...]] = (
    JOB_HISTORY,
    TRACEBENCH,
    TRACEBENCH_MANIFEST,
    HISTORY_SERVER_ANSWERS,
    RESOURCE_MANAGER_ANSWERS,
    RUMEN_JOBS,
    RUMEN_TOPOLOGY,
    COLLECTED,
    SADF,
    PROMETHEUS_JSON,
    PROMETHEUS_TEXT,
    JMX,
    DATANODE_LOG,
    NODE_MANAGER_LOG,
    HEARTBEAT_LOG,
    HOST_LIST,
)
"""In the order in which they are tried."""


def reader_of(path: Path, head: bytes) -> Reader | None:
    """What reads a file whose content begins so; None where no format is recognised."""
    return next((reader for reader in READERS if reader.recognises(path, head)), None)
