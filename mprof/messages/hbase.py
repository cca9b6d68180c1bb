"""What HBase refuses, whatever the memory."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]

_MOST: Final = "hbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily"


def _too_many(found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        f"The bulk load brings more than {found[1]} files for one family of one region, which "
        f"{_MOST} allows (32, where nothing is set): the table has too few regions for them. "
        "Create it with the split points of the data (SPLITS), so that each region gets few files, "
        f"or raise that limit for the load (-D{_MOST}=N). No memory had run out."
    )


ENDS: Final = (
    KnownEnd(
        id="too_many_hfiles",
        title="A bulk load of HBase has too many files for a region",
        words=r"Trying to load more than (\d{1,6}) hfiles to (?:one family of one region|family )",
        says=_too_many,
        first="More files than are allowed would go into one family of one region.",
        means=(
            "The last step of a bulk load (`completebulkload`, `LoadIncrementalHFiles`) gives each "
            "file to the region that its keys are of. A table that was created without split "
            "points has one region, which gets all of them."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=f"Split points of the table; or `{_MOST}` (32), which only defers the compaction.",
        more="The page of the table in HBase's master shows its regions.",
        next_step="the page of the table in HBase's master shows how many regions it has.",
        sources=(
            Source(
                "HBase 0.96 to 2.6",
                "org.apache.hadoop.hbase.mapreduce.LoadIncrementalHFiles.doBulkLoad",
                "Trying to load more than N hfiles to one family of one region",
            ),
        ),
    ),
)
