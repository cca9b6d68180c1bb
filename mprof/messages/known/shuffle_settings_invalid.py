"""Settings of the shuffle's memory that Hadoop refuses.

What it means
    `mapreduce.reduce.shuffle.input.buffer.percent` and `mapreduce.reduce.shuffle.memory.limit.
    percent` have to be shares from 0 to 1, and the latter has to stay below
    `mapreduce.reduce.shuffle.merge.percent`, since else one map output could fill the memory and
    never be merged. Any other value ends every reduce task before it fetches. No memory had run
    out.

What it does not prove
    Anything about the memory that the reduce task needs.

What to change
    The value that the message names; Hadoop's defaults are 0.70, 0.25 and 0.66.

What would tell more
    Nothing more is wanted.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.examples import failed
from mprof.messages.message import Example, Message, Reading, SaidSetting, Source
from mprof.messages.said import error_like, setting_of, stands_on_stack

__all__ = ["MESSAGE"]

_INPUT: Final = "mapreduce.reduce.shuffle.input.buffer.percent"
_SINGLE: Final = "mapreduce.reduce.shuffle.memory.limit.percent"
_MERGE: Final = "mapreduce.reduce.shuffle.merge.percent"
_DEFAULTS: Final = {_INPUT: "0.70", _SINGLE: "0.25", _MERGE: "0.66"}
_OLD: Final = {"mapred.job.shuffle.input.buffer.percent": _INPUT}
_MANAGER: Final = "org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl"
_OF_HADOOP_1: Final = "org.apache.hadoop.mapred.ReduceTask$ReduceCopier$ShuffleRamManager"


def _reads(evidence: Evidence) -> Reading | None:
    if not (
        stands_on_stack(evidence, _MANAGER, "<init>")
        or stands_on_stack(evidence, _OF_HADOOP_1, "<init>")
    ):
        return None
    ordered = error_like(
        evidence, r"java\.lang\.RuntimeException", r"Inv(?:al|la)id configuration: maxSingle"
    )
    if ordered is not None:
        said = [f"{name}={setting_of(evidence, name)}" for name in (_SINGLE, _MERGE)
                if setting_of(evidence, name) is not None]  # fmt: skip
        values = f" ({', '.join(said)})" if said else ""
        sentence = (
            f"{_SINGLE} is not below {_MERGE}{values}, so every reduce task fails before it "
            "fetches: no memory had run out."
        )
        names: tuple[str, ...] = (_SINGLE, _MERGE)
        value = None
    else:
        named = error_like(
            evidence,
            r"java\.lang\.IllegalArgumentException|java\.io\.IOException",
            r"(?:Invalid value for )?([a-z.]+percent):? ?(-?[\d.]{1,20})",
        )
        if named is None:
            return None
        name, value = _OLD.get(named[1], named[1]), named[2]
        sentence = (
            f"{name}={value} is no share from 0 to 1, so every reduce task fails before it "
            "fetches: no memory had run out."
        )
        names = (name,) if name in _DEFAULTS else ()
    settings = tuple(
        SaidSetting(name, setting_of(evidence, name) or value, _DEFAULTS[name],
                    "This is Hadoop's default.")
        for name in names
    )  # fmt: skip
    return Reading(sentence, "proves", settings=settings)


MESSAGE = Message(
    id="shuffle_settings_invalid",
    title="Settings of the shuffle's memory are invalid",
    reads=_reads,
    sources=(
        Source("1.2", f"{_OF_HADOOP_1}.<init>", "mapred.job.shuffle.input.buffer.percent"),
        Source("2.2 to 3.5", f"{_MANAGER}.<init>", f"Invalid value for {_INPUT}: "),
        Source("2.2 to 3.5", f"{_MANAGER}.<init>", f"Invalid value for {_SINGLE}: "),
        Source("2.2, 2.4", f"{_MANAGER}.<init>",
               "Invlaid configuration: maxSingleShuffleLimit should be less than mergeThreshold"),
        Source("2.7 to 3.5", f"{_MANAGER}.<init>",
               "Invalid configuration: maxSingleShuffleLimit should be less than mergeThreshold "),
    ),
    examples=(
        Example("the order of two shares, as Hadoop 2.2 spells it",
                lambda: failed("java.lang.RuntimeException: Invlaid configuration: "
                               "maxSingleShuffleLimit should be less than mergeThreshold"
                               "maxSingleShuffleLimit: 700mergeThreshold: 660",
                               stack=(f"{_MANAGER}.<init>",), side="reduce",
                               conf={_SINGLE: "0.7"})),
        Example("a percentage, Hadoop 3",
                lambda: failed(f"java.lang.IllegalArgumentException: Invalid value for {_INPUT}: "
                               "70.0", stack=(f"{_MANAGER}.<init>",), side="reduce")),
        Example("a percentage, Hadoop 1",
                lambda: failed("java.io.IOException: mapred.job.shuffle.input.buffer.percent70.0",
                               stack=(f"{_OF_HADOOP_1}.<init>",), side="reduce")),
        Example("the same words in an error of the job's own",
                lambda: failed(f"java.lang.IllegalArgumentException: Invalid value for {_INPUT}: "
                               "70.0", stack=("com.example.Job.setup",), side="reduce"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
