"""What a diagnosis rests on, as pandas data frames: one function a table.

Each function takes what `mprof.diagnose` returned. The columns and their dtypes do not depend on
the input: where there is nothing to say, a table is empty. A missing value (``NA``) says "not
known" or "does not apply", as the column's line tells, and is never 0. Sizes are bytes, ordinals
of records and groups count from 1, indices of tasks and partitions from 0.

``run`` and ``mode`` stand first in every table that is recorded anew in every run: the run's number
in the capture (NA without a capture), and what its failed tasks ran in: ``watch``, ``profile``,
``verify``, or ``none`` for a job that mprof did not run. A verify run hands user code a single
record, so its counts are not those of the job.
"""

from __future__ import annotations

from mprof.tables.attempts import attempts
from mprof.tables.flow import group_sizes, groups, partitions, segments
from mprof.tables.growth import curves, growth
from mprof.tables.holders import holders

__all__ = [
    "attempts",
    "curves",
    "group_sizes",
    "groups",
    "growth",
    "holders",
    "partitions",
    "segments",
]
