"""The job asks for larger containers than the cluster gives.

What it means
    `mapreduce.{map,reduce}.memory.mb` is above `yarn.scheduler.maximum-allocation-mb`, or the cores
    are above theirs, and the application master killed the job before any task ran. No memory had
    run out.

What it does not prove
    That the tasks need so much.

What to change
    `memory.mb` to the cluster's maximum or less, with `-Xmx` at 0.8 of it.

What would tell more
    Nothing more is wanted.
"""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import ended, failed
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import words_like
from mprof.units import format_count

__all__ = ["MESSAGE"]

_WORDS: Final = (
    r"(?:Job received Kill while in RUNNING state\. ?)?"
    r"(?:The required )?(MAP|REDUCE) capability (?:required )?is more than the supported max "
    r"container capability in the cluster\."
)
_ASKED: Final = re.compile(r"ResourceRe(?:qt|quest): ?(?:<memory:)?(\d{1,12})")
_MOST: Final = re.compile(r"maxContainerCapability: ?(?:<memory:)?(\d{1,12})")


def _reads(evidence: Evidence) -> Reading | None:
    found = words_like(evidence, _WORDS)
    if found is None:
        return None
    text = evidence.death.evidence
    asked, most = _ASKED.search(text), _MOST.search(text)
    name = f"mapreduce.{found[1].lower()}.memory.mb"
    values = (
        f" ({format_count(int(asked[1]))} MB, where the cluster gives {format_count(int(most[1]))})"
        if asked is not None and most is not None
        else ""
    )
    settings: tuple[SaidSetting, ...] = ()
    if asked is not None and most is not None and int(asked[1]) > int(most[1]):
        text = "The most that the cluster gives a container; -Xmx has to be 0.8 of it or less."
        settings = (SaidSetting(name, asked[1], most[1], text),)
    return Reading(
        f"The job asks for larger containers than the cluster gives{values}, so it was killed "
        f"before any {found[1].lower()} task ran: no memory had run out.",
        "proves",
        settings=settings,
    )


_CLASS = "org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator"

MESSAGE = Message(
    id="container_larger_than_the_cluster_allows",
    title="The container is larger than the cluster allows",
    reads=_reads,
    sources=(
        Source("2.2 to 2.7", f"{_CLASS}.handleEvent",
               "MAP capability required is more than the supported max container capability in the "
               "cluster. Killing the Job."),
        Source("2.10 to 3.5", f"{_CLASS}.handleMapContainerRequest",
               "The required MAP capability is more than the supported max container capability in "
               "the cluster. Killing the Job."),
        Source("2.2 to 3.5", f"{_CLASS}.handleReduceContainerRequest",
               "REDUCE capability required is more than the supported max container capability in "
               "the cluster. Killing the Job."),
    ),
    examples=(
        Example("16 GB where 8 GB are given, Hadoop 3",
                lambda: ended("The required MAP capability is more than the supported max "
                              "container capability in the cluster. Killing the Job. "
                              "mapResourceRequest: <memory:16384, vCores:1> "
                              "maxContainerCapability:<memory:8192, vCores:32>")),
        Example("reduce tasks, Hadoop 2.2",
                lambda: ended("REDUCE capability required is more than the supported max "
                              "container capability in the cluster. Killing the Job. "
                              "reduceResourceReqt: 16384 maxContainerCapability:8192")),
        Example("the same words of the job's own",
                lambda: failed("com.example.Refused: MAP capability is more than the supported "
                               "max container capability in the cluster."), speaks=False),
    ),
    module=__name__,
)  # fmt: skip
