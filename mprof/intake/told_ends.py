"""What texts say of an end in words that name neither task nor container, and what is no end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mprof.intake.owners import LOGGED, LOOKED_AT
from mprof.intake.reported import Reports
from mprof.intake.reports import read_reports
from mprof.intake.sentences import without_sentences
from mprof.trace import Excerpt, out_of_memory_in, parse_container_end, read_log

__all__ = [
    "MOST_SAID", "of_end", "speaks", "tells", "tells_of_memory", "told_by_reports", "was_killed",
    "without_reports", "without_request",
]  # fmt: skip

# how a task or a container ended, in words that name neither
_END: Final = re.compile(
    r"Exit code is -?\d+|exit code (?!0\b)-?\d+|(?<!Step failed with )exitCode:? ?(?!0\b)-?\d+|"
    r"beyond (?:the )?'?(?:memory-|(?:physical|virtual|PHYSICAL|VIRTUAL)'? memory )limit|"
    r"exceeding (?:physical |virtual )?memory limits|Execution failed with exit status|"
    r"MapredLocalTask|MapJoinMemoryExhaustion(?:Exception|Error)|hash maps used in map-side|"
    r"Too many counter|Counters Exceeded limit|Split metadata size exceeded|"
    r"killed/failed due to: ?ROOT_INPUT_INIT_FAILURE|"
    r"(?i:\b(?:attempt|task)\S* timed out after \d{1,7} sec)|"
    r"ExecutorLostFailure|Lost executor \d|due to stage failure|Lost task [\d.]+ in stage|"
    r"PipeMapRed\.waitOutputThreads\(\): subprocess |Shuffle failed with too many fetch failures|"
    r"InvalidResourceRequestException: |Required (?:executor|AM) memory \(\d|"
    r"failed in [\d.]+ s due to |"
    r"(?i:\breason\W{1,8}OOMKilled|remote (?:rpc|akka) client disassociated)|"
    r"low on resource: |Reducer preempted to make room|"
    r"Executor heartbeat timed out|is bigger than (?:local result size limit )?spark\.driver\.max|"
    r"tez\.runtime\.io\.sort\.mb \d+ should be|Kryo serialization failed|"
    r"Task process exit with nonzero status of [1-9]|"
    r"Failed to submit application_\d{1,19}_\d{1,9} to YARN|"
    r"No space left on device|Killing container|MAX_FAILED_UNIQUE_FETCHES|"
    r"^(?:.*\bError: |Error: |.*return code -101 from \S+\. )"
    r"(?:Java heap space|GC overhead limit|PermGen space|Metaspace|unable to create|Direct buffer)",
    re.MULTILINE,
)
MOST_SAID: Final = 1 << 14


def speaks(excerpt: Excerpt) -> bool:
    """Whether a text of no known process says how something ended.

    A stack by itself may be of an error that was caught and printed.
    """
    log = read_log("text", excerpt)
    ended = any(one.is_uncaught or out_of_memory_in(one.error) is not None for one in log.errors)
    return bool(ended or log.words or log.done or of_end(excerpt))


def tells_of_memory(excerpt: Excerpt) -> bool:
    """Whether an error of memory, or words of a JVM about its end, stand in a text."""
    log = read_log("text", excerpt)
    return bool(log.words) or any(out_of_memory_in(one.error) is not None for one in log.errors)


def tells(excerpt: Excerpt) -> bool:
    """Whether a part of a text tells of an end, its own or that of a task of a job."""
    told = told_by_reports(read_reports(excerpt.parts))
    return told or speaks(without_sentences(excerpt))


def of_end(excerpt: Excerpt) -> str:
    """The lines of a text that name no container, and say how one ended."""
    text = "\n".join(excerpt.all_lines())
    found = _END.search(text)
    if found is None:
        return ""
    if "Processing rows:" not in text:  # a table of which the last row tells, above its end
        begin = text.rfind("\n", 0, found.start()) + 1
        text = text[_error_above(text, begin) :]
    half = MOST_SAID // 2
    return text if len(text) <= MOST_SAID else f"{text[:half]}\n{text[-half:]}"


def _error_above(text: str, end: int) -> int:
    """Where the error begins that a page gives above the end of its container; `end` without one.

    ``TaskAttemptImpl`` writes both into the diagnostics of an attempt, the error first.
    """
    begin = max(text.rfind("\nError: ", 0, end) + 1, 0 if text.startswith("Error: ") else -1)
    between = text[begin:end].split("\n")
    is_above = begin >= 0 and text.startswith("Error: ", begin) and len(between) <= LOOKED_AT
    other = any(LOGGED.match(line) for line in between)
    return begin if is_above and not other else end


def told_by_reports(found: Reports) -> bool:
    """Whether reports say how anything ended; some only name a job that runs."""
    ended = {*found.jobs.values(), *found.states.values()} - {"RUNNING"}
    return bool(found.texts or found.exits or found.job_texts or ended)


def was_killed(said: str) -> bool:
    """Whether an attempt was killed over the limit of its container, with no error of its own."""
    end = parse_container_end(said)
    over = end is not None and end.limit is not None
    return over and "OutOfMemoryError" not in said and "Error: " not in said


# the lines, or the parts of one, that a container leaves that is asked to end
_OF_A_REQUEST: Final = re.compile(
    r"\s*(?:(?:\[[^\]]{0,40}\] ?)?(?:Container killed by the ApplicationMaster\.?|"
    r"Killed by external signal|Container killed on request\.?|"
    r"(?:Container exited with a non-zero )?[Ee]xit code:? (?:is )?(?:143|137)\.?)\s*)*"
)


def without_request(said: str, state: str | None) -> str:
    """What is said of an end, unless it says no more than that it was asked for.

    An application master ends the containers of attempts that are done, too.
    """
    rest = [line for line in said.split("\n") if not _OF_A_REQUEST.fullmatch(line)]
    return said if rest or state == "FAILED" else ""


def without_reports(excerpt: Excerpt) -> Excerpt:
    """The log of an application master without what it quotes of its tasks."""
    parts = []
    for first, lines in excerpt.parts:
        kept, quoting = [], False
        for line in lines:
            begins = re.match(r"\d{4}-\d\d-\d\d |\d\d/\d\d/\d\d |\S", line) is not None
            if begins and not line.startswith(("Caused by", "Error: ", "Container ")):
                quoting = "attempt_" in line or "task_" in line
            kept.append("" if quoting else line)
        parts.append((first, tuple(kept)))
    return replace(excerpt, parts=tuple(parts))
