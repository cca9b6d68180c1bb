"""The agent's reasons in words: the codes of ``docs/reference/event-log.md``."""

from __future__ import annotations

from typing import Final

from mprof.trace.events import Reason

__all__ = ["reason_in_words"]

_WORDS: Final = {
    "switched_off": "it is switched off (oom.dump=never)",
    "refused_by_option": "the task has -XX:-HeapDumpOnOutOfMemoryError",
    "task_timeout": "at 100 MB/s it takes {seconds} s, more than half of mapreduce.task.timeout",
    "later_attempt": "it is a later attempt of its task",
    "made_by_another_task": "another task of the job made one on this node",
    "no_diagnostic_bean": "the JVM has no HotSpotDiagnosticMXBean",
    "disk_full": "the disk would be more than {percent} % full",
    "file_exists": "the file {file} exists already",
    "enough_dumps": "{count} dumps had been made already",
    "enough_histograms": "{count} class histograms had been made already, or one at this point",
    "enough_attempts": "{count} attempts of the job had been copied already",
    "out_of_memory": "no heap was left for it",
    "live_not_known": "what was live before the record is not known",
    "more_is_live": "more was live before the record than in the job",
    "no_collection": "the heap could not be collected",
    "thinned": "later dumps took its place",
    "too_slow": "it took longer than {seconds} s",
    "no_copier": "nothing copies to {scheme} yet",
    "no_method": "there is no such method",
    "no_call": "there is no such call",
    "no_field": "there is no field {name}",
    "field_exists": "the field exists already",
    "method_exists": "the method exists already",
    "unfit": "the row fits no method: {detail}",
}


def reason_in_words(reason: Reason) -> str:
    """The reason as the end of a sentence, without a full stop.

    A code that this version does not know is its own words, and so is an error of Java.
    """
    if reason.code == "error" and reason.class_name is not None:
        return ": ".join(filter(None, (reason.class_name, reason.message)))
    parameters = {name: getattr(reason, name) for name in reason.__struct_fields__}
    return _WORDS.get(reason.code, reason.code).format_map(parameters)
