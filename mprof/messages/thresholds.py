"""The numbers that decide what a message says, each with its reason; advice shares some."""

from __future__ import annotations

from typing import Final

from mprof.threshold import Threshold
from mprof.trace import HEAP_OF_CONTAINER

__all__ = [
    "AS_MANY",
    "AS_TEXTS",
    "AT_ONCE_FOR_A_HEAP",
    "BUFFER_OF_HEAP",
    "HALF_OF_A_SHARE",
    "HARDLY_SMALLER",
    "HEAP_OF_CONTAINER",
    "HEAP_TOO_LARGE",
    "LEAST_LOADED",
    "LEFT_FOR_A_HEAP",
    "MANY_REDUCERS",
    "MANY_ROWS",
    "MORE_THAN_IT_HAD",
    "MOST_DONE",
    "OLD_OF_HEAP",
    "SPARE_OF_A_PEAK",
    "TIMES_A_LIMIT",
    "TIMES_A_QUIET_HEAP",
    "UNEVEN",
    "WORTH_TELLING",
]

OLD_OF_HEAP: Final = 2 / 3
"""Of the heap of Serial and Parallel, that is for what lives long (`-XX:NewRatio=2`)."""

HALF_OF_A_SHARE: Final = 0.5
"""As Hive itself suggests: MapAggrMemErrorHeuristic halves the share."""

WORTH_TELLING: Final = Threshold(
    "worth telling", 0.10, "share of what live objects may take",
    "less than a tenth of the heap does not fill it, so a known leak of that class is not worth a"
    " line",
)  # fmt: skip

BUFFER_OF_HEAP: Final = Threshold(
    "buffer of the heap", 0.5, "share of -Xmx",
    "one array has to stand in the old generation, two thirds of the heap with Serial and Parallel;"
    " Hadoop's own defaults are 100 MB in 200 MB",
)  # fmt: skip

AT_ONCE_FOR_A_HEAP: Final = Threshold(
    "at once for a heap", 256.0, "MB that the system was asked for in one piece",
    "a JVM takes stacks, code and classes in pieces of at most some megabytes; -Xms is taken whole",
)  # fmt: skip

TIMES_A_LIMIT: Final = Threshold(
    "times a limit", 2.0, "times the limit that was reached",
    "nothing says how much more is wanted: doubled, a few runs find it, none takes far too much",
)  # fmt: skip

HEAP_TOO_LARGE: Final = Threshold(
    "heap too large", 0.9, "share of the container",
    "a larger heap leaves too little for code, threads and buffers, 60 to 150 MB in a task: Hadoop"
    " itself gives the heap 0.8 (`mapreduce.job.heap.memory-mb.ratio`)",
)  # fmt: skip

SPARE_OF_A_PEAK: Final = Threshold(
    "spare of a peak", 1.1, "times the peak that was measured",
    "the peak of a process differs from run to run by a few per cent, and one kilobyte too many"
    " kills it",
)  # fmt: skip

TIMES_A_QUIET_HEAP: Final = Threshold(
    "times a quiet heap", 1.5, "times what is in use after a full collection",
    "what lives long has two thirds of the heap of Serial and Parallel, so that less is full with"
    " it; more of it is idle",
)  # fmt: skip

HARDLY_SMALLER: Final = Threshold(
    "hardly smaller", 0.8, "of -Xmx, or of the container where that is not known",
    "a heap that is less than a fifth smaller leaves hardly more beside it than it did",
)  # fmt: skip

LEAST_LOADED: Final = Threshold(
    "least loaded", 0.2, "of the lines of a file",
    "what a smaller part takes may be something else, and is multiplied by more than five",
)  # fmt: skip

AS_MANY: Final = Threshold(
    "as many", 0.9, "objects of the job's own for each node of a map",
    "a map of one object a line has as many of both, but for what was made and not yet put",
)  # fmt: skip

AS_TEXTS: Final = Threshold(
    "as texts", 3.0, "times the size of a file on disk",
    "of lines of 80 bytes in three columns, a map of their texts takes 4.4 times as much in JDK 8"
    " and 3.4 in JDK 11 (objects of 16 to 40 bytes, two bytes or one a character); long columns"
    " take less",
)  # fmt: skip

MANY_ROWS: Final = Threshold(
    "many rows", 500.0, "rows of a scan of HBase at once",
    "HBase's own default is 100 (`hbase.client.scanner.caching`, 0.96 to 1.0): five times as many"
    " are set by somebody who wanted them",
)  # fmt: skip

MANY_REDUCERS: Final = Threshold(
    "many reducers", 4.0, "reducers",
    "of fewer, one has a third of all keys or more, so that it may be large with no hot key",
)  # fmt: skip

MOST_DONE: Final = Threshold(
    "most done", 0.9, "of the work of all reducers",
    "by then most of many reducers have ended, so that one which fails is among the last; the last"
    " third of it is reduce() itself",
)  # fmt: skip

MORE_THAN_IT_HAD: Final = Threshold(
    "more than it had", 1.25, "of what a container had beside its heap",
    "Spark prints container and heap to a tenth of a GB, so their difference is known to a quarter"
    " of the least overhead, 384 MB; a value above that was not in the container",
)  # fmt: skip

LEFT_FOR_A_HEAP: Final = Threshold(
    "left for a heap", 0.5, "of the heap it had",
    "with less than half of its heap a process that used it would die of that instead",
)  # fmt: skip

UNEVEN: Final = Threshold(
    "uneven", 4.0, "times the median partition of a stage",
    "a choice: it adds one clause, and nothing else depends on it",
)  # fmt: skip
