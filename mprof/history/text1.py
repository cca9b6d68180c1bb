r"""The text format of MapReduce 1 history: lines ``RecordType KEY="value" ... .``.

``org.apache.hadoop.mapred.JobHistory`` (1.x) writes a backslash before each quote, backslash and
full stop inside a value, since `` .`` ends a line, and before brackets inside counter names.
A counter group is ``{(name)(display name)[(counter)(display name)(value)]...}``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, Final

from mprof.history.event import HistoryEvent
from mprof.history.losses import Losses
from mprof.units import parse_long

__all__ = ["is_history_text", "read_text_events"]

_HEAD_BYTES: Final = 1 << 16
_QUOTED: Final = r'[^"\\]*(?:\\.[^"\\]*)*'
_LINE: Final = re.compile(rf'^(\w+)((?:\s+\w+="{_QUOTED}")*)\s*\.\s*$', re.DOTALL)
# up to 0.19 no full stop ends a line (JobHistory.LINE_DELIMITER_CHAR came with Meta VERSION="1")
_OLD_LINE: Final = re.compile(rf'^(\w+)((?:\s+\w+="{_QUOTED}")*)\s*$', re.DOTALL)
_FIRST_KEY: Final = re.compile(
    rb'^(?:Meta VERSION|Job JOBID|Task TASKID|(?:Map|Reduce)Attempt TASK_TYPE)="', re.MULTILINE
)
_PAIR: Final = re.compile(rf'(\w+)="({_QUOTED})"', re.DOTALL)
_BEGINNING: Final = re.compile(r'(?:Meta|Job|Task|MapAttempt|ReduceAttempt|Jobtracker) \w+="')
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ATOM: Final = r"\(((?:[^()\\]|\\.)*)\)"
_GROUP: Final = re.compile(r"\{" + _ATOM + _ATOM + r"((?:\[[^\[\]]*\])*)\}")
_COUNTER: Final = re.compile(r"\[" + _ATOM + _ATOM + _ATOM + r"\]")

# MapReduce 1 states -> those of later Hadoop
_STATES: Final = {"SUCCESS": "SUCCEEDED", "FAILED": "FAILED", "KILLED": "KILLED"}
_JOB_END: Final = {"SUCCEEDED": "JOB_FINISHED", "FAILED": "JOB_FAILED", "KILLED": "JOB_KILLED"}
_ATTEMPT_END: Final = {"SUCCEEDED": "FINISHED", "FAILED": "FAILED", "KILLED": "KILLED"}


def is_history_text(data: bytes) -> bool:
    """Whether these bytes begin like a MapReduce 1 history, or like the end of one.

    The line ``Meta VERSION="1"`` is missing where a tool cut it off, and up to Hadoop 0.19.
    """
    return _FIRST_KEY.search(data[:_HEAD_BYTES]) is not None


def read_text_events(data: bytes) -> tuple[tuple[HistoryEvent, ...], tuple[str, ...]]:
    """The lines as events of the later format, and what could not be read."""
    events: list[HistoryEvent] = []
    losses = Losses()
    text = data.decode("utf-8-sig", "replace")
    pattern = _LINE if re.search(r" \.\r?$", text, re.MULTILINE) else _OLD_LINE
    for number, line in _logical_lines(text):
        match = pattern.match(line)
        if match is None:
            losses.add(f"history: line {number} is cut off or damaged, its event is lost")
            continue
        pairs = {key: _ESCAPED.sub(r"\1", value) for key, value in _PAIR.findall(match[2])}
        raw_counters = next((v for k, v in _PAIR.findall(match[2]) if k == "COUNTERS"), None)
        if raw_counters is not None:
            pairs.pop("COUNTERS")
        event = _event(match[1], pairs, _counters(raw_counters))
        if event is not None:
            events.append(event)
    return tuple(events), losses.told()


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines, each up to `` .``, since an error text may contain line breaks."""
    held: list[str] = []
    start = 0
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        line = line.removesuffix("\n").removesuffix("\r")
        if held and _BEGINNING.match(line):
            yield start, "\n".join(held)
            held.clear()
        if not held:
            start = number
            if not line.strip():
                continue
        held.append(line)
        if line.endswith(" ."):
            yield start, "\n".join(held)
            held.clear()
    if held:
        yield start, "\n".join(held)


def _event(record: str, pairs: dict[str, str], counters: Any) -> HistoryEvent | None:
    if record == "Job":
        return _job_event(pairs, counters)
    if record == "Task":
        return _task_event(pairs, counters)
    if record in {"MapAttempt", "ReduceAttempt"}:
        return _attempt_event(record, pairs, counters)
    return None


def _job_event(pairs: dict[str, str], counters: Any) -> HistoryEvent | None:
    fields: dict[str, Any] = {"jobid": pairs.get("JOBID", "")}
    if "SUBMIT_TIME" in pairs:
        fields |= {
            "jobName": pairs.get("JOBNAME"),
            "userName": pairs.get("USER"),
            "jobQueueName": pairs.get("JOB_QUEUE"),
            "submitTime": parse_long(pairs["SUBMIT_TIME"]),
        }
        return HistoryEvent("JOB_SUBMITTED", fields)
    if "LAUNCH_TIME" in pairs:
        fields |= {
            "launchTime": parse_long(pairs["LAUNCH_TIME"]),
            "totalMaps": parse_long(pairs.get("TOTAL_MAPS")),
            "totalReduces": parse_long(pairs.get("TOTAL_REDUCES")),
            "uberized": False,
        }
        return HistoryEvent("JOB_INITED", fields)
    state = _STATES.get(pairs.get("JOB_STATUS", ""))
    if state is None or "FINISH_TIME" not in pairs:
        return None
    fields |= {
        "finishTime": parse_long(pairs["FINISH_TIME"]),
        "jobStatus": state,
        "diagnostics": pairs.get("FAIL_REASON", ""),
        "totalCounters": counters,
    }
    return HistoryEvent(_JOB_END[state], fields)


def _task_event(pairs: dict[str, str], counters: Any) -> HistoryEvent:
    fields: dict[str, Any] = {
        "taskid": pairs.get("TASKID", ""),
        "taskType": pairs.get("TASK_TYPE", ""),
    }
    if "START_TIME" in pairs:
        fields["startTime"] = parse_long(pairs["START_TIME"])
        return HistoryEvent("TASK_STARTED", fields)
    state = _STATES.get(pairs.get("TASK_STATUS", ""), "FAILED")
    fields |= {
        "finishTime": parse_long(pairs.get("FINISH_TIME")),
        "status": state,
        "error": pairs.get("ERROR", ""),
        "counters": counters,
    }
    return HistoryEvent("TASK_FINISHED" if state == "SUCCEEDED" else "TASK_FAILED", fields)


def _attempt_event(record: str, pairs: dict[str, str], counters: Any) -> HistoryEvent:
    side = record.removesuffix("Attempt").upper()
    fields: dict[str, Any] = {
        "taskid": pairs.get("TASKID", ""),
        "taskType": pairs.get("TASK_TYPE", ""),
        "attemptId": pairs.get("TASK_ATTEMPT_ID", ""),
    }
    if "START_TIME" in pairs:
        fields |= {
            "startTime": parse_long(pairs["START_TIME"]),
            "trackerName": pairs.get("TRACKER_NAME"),
        }
        return HistoryEvent(f"{side}_ATTEMPT_STARTED", fields)
    state = _STATES.get(pairs.get("TASK_STATUS", ""), "FAILED")
    fields |= {
        "finishTime": parse_long(pairs.get("FINISH_TIME")),
        "shuffleFinishTime": parse_long(pairs.get("SHUFFLE_FINISHED")),
        "sortFinishTime": parse_long(pairs.get("SORT_FINISHED")),
        "hostname": (pairs.get("HOSTNAME") or "").rpartition("/")[2],
        "rackname": (pairs.get("HOSTNAME") or "").rpartition("/")[0],
        "status": state,
        "error": pairs.get("ERROR", ""),
        "counters": counters,
    }
    return HistoryEvent(f"{side}_ATTEMPT_{_ATTEMPT_END[state]}", fields)


def _counters(value: str | None) -> Any:
    """Counters in the shape of the later format. ``value`` is still escaped for the line."""
    if not value:
        return None
    text = re.sub(r'\\(["\\.])', r"\1", value)  # the line's escapes; brackets keep theirs
    groups = [
        {
            "name": _ESCAPED.sub(r"\1", name),
            "counts": [
                {"name": _ESCAPED.sub(r"\1", counter), "value": number}
                for counter, _, digits in _COUNTER.findall(body)
                if (number := parse_long(digits)) is not None
            ],
        }
        for name, _, body in _GROUP.findall(text)
    ]
    return {"name": "COUNTERS", "groups": groups}
