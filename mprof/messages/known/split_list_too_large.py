"""The list of the job's splits is larger than Hadoop reads.

What it means
    The application master (in Hadoop 1 the JobTracker) reads the list of all splits and their
    hosts into memory, and refuses one of more than `mapreduce.job.split.metainfo.maxsize` bytes
    (10,000,000): the job has a few hundred thousand splits, mostly of small files.

What it does not prove
    That memory was short: it is the guard against that.

What to change
    Fewer splits: `CombineTextInputFormat`, larger splits, files put together beforehand. With
    `mapreduce.job.split.metainfo.maxsize=-1` the list is read whatever its size, and the
    application master needs the memory (`yarn.app.mapreduce.am.resource.mb`).

What would tell more
    `hdfs dfs -count INPUT` counts the files.
"""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import error_like, words_like
from mprof.units import format_count

__all__ = ["MESSAGE"]

_NAME = "mapreduce.job.split.metainfo.maxsize"
_WORDS = r"Split metadata size exceeded (\d{1,12})\. ?Aborting job "


def _reads(evidence: Evidence) -> Reading | None:
    found = error_like(evidence, r"java\.io\.IOException", _WORDS) or words_like(
        evidence, rf"(?:Job initialization failed:? ?|java\.io\.IOException: )*{_WORDS}"
    )
    if found is None:
        return None
    text = (
        "First aid: the list is read whatever its size. The application master then needs the "
        "memory for it; fewer splits are the cure."
    )
    return Reading(
        f"The list of the job's splits is larger than {format_count(int(found[1]))} bytes "
        f"({_NAME}): there are too many splits, mostly of small files, for which "
        "CombineTextInputFormat is made. No memory had run out.",
        "proves",
        settings=(SaidSetting(_NAME, found[1], "-1", text, first_aid=True),),
    )


_CLASS = "org.apache.hadoop.mapreduce.split.SplitMetaInfoReader.readSplitMetaInfo"
_SAID = "Split metadata size exceeded 10000000. Aborting job job_1700000000000_0001"

MESSAGE = Message(
    id="split_list_too_large",
    title="The list of splits is too large",
    reads=_reads,
    sources=(Source("1.2 to 3.5", _CLASS, "Split metadata size exceeded N. Aborting job "),),
    examples=(
        Example("in the job's diagnostics",
                lambda: ended(f"Job initialization failed: java.io.IOException: {_SAID}")),
        Example("in the application master's log",
                lambda: failed(f"java.io.IOException: {_SAID}", stack=(_CLASS,))),
        Example("another error of the same class",
                lambda: failed("java.io.IOException: Split metadata is gone"), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
