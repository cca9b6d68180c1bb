"""What one attempt left behind: agent events, position file, logs, and how it died.

``read_trace`` reads a folder; nothing in it is required, everything missing is stated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.trace import events
    from mprof.trace.attempt_id import find_attempt_id, parse_attempt_id
    from mprof.trace.beside import BesideEnd, beside_end, with_beside
    from mprof.trace.blocks import Block, Blocks
    from mprof.trace.container import (
        HEAP_OF_CONTAINER,
        ContainerEnd,
        ContainerProcess,
        is_interpreter,
        parse_container_end,
        program_of,
        why_not_started,
    )
    from mprof.trace.crash_report import CrashReport
    from mprof.trace.crawl import Crawl, crawl_of
    from mprof.trace.death import CAUGHT_BEFORE, OF_OTHERS, Death, classify_death
    from mprof.trace.events import DumpEvent
    from mprof.trace.excerpt import Excerpt, Excerpting, Stretch, stretches
    from mprof.trace.gc_log import parse_gc_log
    from mprof.trace.kernel import killed_in_words
    from mprof.trace.kinds import MEMORY_KINDS, DeathKind
    from mprof.trace.logs import (
        END_OF_STDERR,
        LOG_NAMES,
        Log,
        LoggedError,
        log_order,
        read_log,
        refused_in,
    )
    from mprof.trace.needs import ClassRow, KeyAtWork, Needs
    from mprof.trace.position import PHASES, Position, digest_text
    from mprof.trace.read import (
        EVENTS_FILE,
        POSITION_FILE,
        read_trace,
        reclassified,
        trace_of_diagnostics,
        trace_of_logs,
    )
    from mprof.trace.reasons import reason_in_words
    from mprof.trace.sketch import Sketch, merge_sketches
    from mprof.trace.spark_told import SparkTold, spark_told_in
    from mprof.trace.thresholds import DEATH_THRESHOLDS, GIVEN_UP
    from mprof.trace.throwable import OUT_OF_MEMORY, Throwable, out_of_memory_in
    from mprof.trace.timeout import Timeout, parse_timeout
    from mprof.trace.trace import Trace

__all__ = [
    "CAUGHT_BEFORE",
    "DEATH_THRESHOLDS",
    "END_OF_STDERR",
    "EVENTS_FILE",
    "GIVEN_UP",
    "HEAP_OF_CONTAINER",
    "LOG_NAMES",
    "MEMORY_KINDS",
    "OF_OTHERS",
    "OUT_OF_MEMORY",
    "PHASES",
    "POSITION_FILE",
    "BesideEnd",
    "Block",
    "Blocks",
    "ClassRow",
    "ContainerEnd",
    "ContainerProcess",
    "CrashReport",
    "Crawl",
    "Death",
    "DeathKind",
    "DumpEvent",
    "Excerpt",
    "Excerpting",
    "KeyAtWork",
    "Log",
    "LoggedError",
    "Needs",
    "Position",
    "Sketch",
    "SparkTold",
    "Stretch",
    "Throwable",
    "Timeout",
    "Trace",
    "beside_end",
    "classify_death",
    "crawl_of",
    "digest_text",
    "events",
    "find_attempt_id",
    "is_interpreter",
    "killed_in_words",
    "log_order",
    "merge_sketches",
    "out_of_memory_in",
    "parse_attempt_id",
    "parse_container_end",
    "parse_gc_log",
    "parse_timeout",
    "program_of",
    "read_log",
    "read_trace",
    "reason_in_words",
    "reclassified",
    "refused_in",
    "spark_told_in",
    "stretches",
    "trace_of_diagnostics",
    "trace_of_logs",
    "why_not_started",
    "with_beside",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
