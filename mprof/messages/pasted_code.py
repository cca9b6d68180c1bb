"""What the code keeps that somebody pasted beside an end: no measurement, and said as such."""

from __future__ import annotations

import re
from typing import Final

from mprof.code_site import CodeSite, KeptInCode
from mprof.engines import is_jdk_class
from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.reckoned import key_at_work, needed_heap
from mprof.messages.said import (
    OF_LIBRARIES,
    error_like,
    heap_bytes,
    heap_in_words,
    heap_is_unseen,
)
from mprof.units import format_count

__all__ = ["MESSAGES", "code_keeps"]

_OF_A_KEY: Final = frozenset({"reduce"})
_OF_A_RECORD: Final = frozenset({"map"})
_OF_A_START: Final = frozenset({"setup", "configure", "open", "initialize", "init"})
_TEXTS: Final = ("String", "StringBuilder", "StringBuffer", "StringWriter", "ByteArrayOutputStream")
_DISTINCT: Final = re.compile(r"(?:Set|Map|Table|Hashtable|dict|set|defaultdict|Counter)(?:<|$)")
_OF_LISTS: Final = re.compile(r"^\w*Multi|[<,]\s*\w*(?:List|Set|Map|Queue|Builder|Writable)\b")
_ADDS_TO_AN_ENTRY: Final = re.compile(r"[\])]\.(?:append|add|extend|update|put)\w*\(")
_PIPE: Final = (
    r"PipeMapRed\.waitOutputThreads\(\): subprocess (?:failed with|exited with error) code "
)


@message(
    "The code in the text keeps what it reads",
    Source("JDK 6 and later", "java.util.ArrayList.add"),
    causes=(
        "large_accumulated_results.map",
        "large_accumulated_results.reduce",
        "large_accumulated_results.group",
        "large_external_data",
    ),
)
def code_keeps(evidence: Evidence) -> Reading | None:
    """The code that stands beside the stack fills a collection or a text, and empties it nowhere.

    What it means
        Somebody showed the lines that they suspect. They make a list, a set, a map or a builder and
        add to it in a loop or at each call, and nothing that is shown takes anything out again. A
        local of `reduce()` that is filled from the values is as large as the largest key; a field
        lives as long as the task.

    What it does not prove
        How much of the heap it takes: the code tells no sizes. Nor that nothing empties it in code
        that is not shown.

    What to change
        What is kept. Of the values of a key: write each out as it comes, or keep the sum or the
        maximum alone; where they are needed in order or without repeats, a secondary sort lets
        them arrive so. Of a field: empty it when a key is done, or write it out at a bounded size.

    What would tell more
        A heap dump at the death tells how large it is: `mprof run`, or
        `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the JVM options.
    """
    death = evidence.death
    if death.kind not in HEAP_KINDS | {"metaspace"} or not heap_is_unseen(evidence):
        return None
    if evidence.attempt.mode != "none" or death.program is not None:
        return None
    own = [one for one in death.stack if _is_of_the_job(one)]
    if not own and any(not is_jdk_class(one.class_name) for one in death.stack):
        return None  # it died in what Hadoop or a library does by itself
    java = (one for one in evidence.kept_in_code if one.language == "java" and not one.is_pool)
    ranked = sorted(
        ((_place_of(one, own), one) for one in java if _may_be(one, own, evidence)),
        key=lambda pair: pair[0] is None,
    )
    if not ranked:
        return None
    site, kept = ranked[0]
    others = [one for _, one in ranked[1:] if one.method == kept.method and one.lives == kept.lives]
    beside = f" It fills {' and '.join(map(_named, others))} in the same way." if others else ""
    if death.kind == "metaspace":
        said = (
            "Where what it keeps has classes of its own (a compiled script, a proxy), each makes "
            "more of them, and none is unloaded while it is kept: what they are kept by has to be "
            "what makes the class, so that equal ones are made once."
        )
        if site is None and not _is_marked(kept, own):
            return None
        return Reading(f"{_fills(kept, site)} {_lives(kept)} {said}", "suggests", "")
    cure = _OF_A_JOIN if others and _is_of_a_key(kept) else _cure(kept)
    of_one = _of_one_key(kept, evidence)
    emptied = _emptied(kept)
    need = needed_heap(evidence) if kept.method in _OF_A_START else None
    reckoned = f" {need.sentence}" if need is not None else ""
    return Reading(
        f"{_fills(kept, site)} {_lives(kept)}{beside}{reckoned}{of_one} {cure}{emptied}",
        "suggests",
        "a heap dump at the death tells how large it is, which the code does not.",
        causes=("hotspot_key",) if _is_one_key(evidence) and of_one else (),
    )


def _is_one_key(evidence: Evidence) -> bool:
    key = key_at_work(evidence)
    return evidence.death.of_one_key is not None or (key is not None and bool(key.name))


def _of_one_key(kept: KeptInCode, evidence: Evidence) -> str:
    """Which key it was at, and how many values that had, as counters and logs of the task say."""
    death, key, need = evidence.death, key_at_work(evidence), needed_heap(evidence)
    if kept.lives != "call" or not _is_of_a_key(kept):
        return ""
    counted = ""
    if key is not None and not key.name:
        counted = (
            f' The log of the task had come to "{key.line}": where that names a key, leave it out '
            "in the mapper, or treat it apart there."
        )
    if key is not None and key.name:
        heap = heap_bytes(evidence)
        filled = (
            f" So many filled {heap_in_words(evidence)}, at most {heap // key.values} bytes each: "
            "twice the heap holds twice as many, and mprof found no count of them."
            if heap is not None
            else ""
        )
        filled = f" {need.sentence}" if need is not None else filled
        return (
            f' The log of the task says at which key it was: "{key.line}".{filled} Leave '
            f'"{key.name}" out in the mapper, or treat it apart there, where its values are not '
            "wanted together."
        )
    if death.of_one_key is None:
        return counted
    return (
        f"{counted} By the counters in the text, one key alone had "
        f"{format_count(death.of_one_key)} values by then: find out which, since an empty "
        "or a default one can be left out before."
        f"{f' {need.sentence}' if need is not None else ''}"
    )


def _emptied(kept: KeptInCode) -> str:
    """Other fields that are no suspects, since each call begins with empty ones."""
    if not kept.emptied or kept.method not in _OF_A_KEY | _OF_A_RECORD:
        return ""
    named = " and ".join(f"`{one}`" for one in kept.emptied)
    many = "are fields, but" if len(kept.emptied) > 1 else "is a field, but"
    return (
        f" {named} {many} {kept.method}() empties {'them' if len(kept.emptied) > 1 else 'it'} "
        "before anything else: nothing of one call is left in the next."
    )


_OF_A_JOIN: Final = (
    "Where they are the two sides of a join, only the smaller one has to be kept: let it arrive "
    "first (a secondary sort by what tells the sides apart), and write out the other as it comes. "
    "More reducers divide no key."
)


def _is_of_the_job(frame: CodeSite) -> bool:
    return not is_jdk_class(frame.class_name) and not frame.class_name.startswith(OF_LIBRARIES)


def _place_of(kept: KeptInCode, own: list[CodeSite]) -> CodeSite | None:
    """The frame that stood in the very line that adds to it."""
    return next((one for one in own if one.line and one.line == kept.own_line), None)


def _is_marked(kept: KeptInCode, own: list[CodeSite]) -> bool:
    """Whether a line of the same code is one that stood on the stack."""
    return any(one.line in kept.marked for one in own if one.line)


def _may_be(kept: KeptInCode, own: list[CodeSite], evidence: Evidence) -> bool:
    """Whether it is what the thread that died was at work on, as far as the text shows."""
    if kept.is_of_bag:
        return any(one.method == kept.method for one in own)
    if _is_marked(kept, own):
        return kept.lives != "call" or _place_of(kept, own) is not None or _is_of_a_key(kept)
    if kept.covers is not None and own:
        first, last = kept.covers
        if not any(one.line and first - _BESIDE <= one.line <= last + _BESIDE for one in own):
            return False  # the code names its lines, and the thread stood in none of them
    method = "reduce" if kept.is_of_values else kept.method
    if method is None:
        return False
    if own:
        names = {one.method for one in own}
        if kept.lives == "call":
            return _is_of_a_key(kept) and "reduce" in names
        return method in names or (kept.in_cleanup and bool(names & {"cleanup", "close"}))
    if evidence.attempt.task_type is None:
        return False
    if evidence.is_reduce:
        return _is_of_a_key(kept) or (kept.lives == "task" and method in _OF_A_KEY)
    return kept.lives == "task" and method in _OF_A_RECORD


_BESIDE: Final = 2  # lines, that somebody left out of the code


def _is_of_a_key(kept: KeptInCode) -> bool:
    return kept.is_of_values or (kept.method in _OF_A_KEY and bool(kept.over))


def _named(kept: KeptInCode) -> str:
    return f"`{kept.name}` ({kept.type_name})"


def _fills(kept: KeptInCode, site: CodeSite | None) -> str:
    at = f"line {kept.line} of the text"
    if site is not None:
        at = f"line {kept.own_line}, where the thread that died stood"
    elif kept.own_line:
        at = f"line {kept.own_line} of its file"
    where = f", in {kept.method}()" if kept.method and not kept.is_of_values else ""
    if kept.is_of_values:
        where = f", for each of `{kept.over}`"
    elif re.search(r"[=<>]", kept.over) and ";" not in kept.over:  # and no loop that only counts
        where += f", while `{kept.over}`"
    elif kept.over and kept.over != "true" and ";" not in kept.over:
        where += f", in the loop over `{kept.over}`"
    return f"The code in the text fills {_named(kept)} by `{kept.adds}` ({at}){where}."


def _lives(kept: KeptInCode) -> str:
    if kept.lives == "outside":
        return (
            "It is made outside of the lines that are shown, and nothing in them takes anything "
            "out again."
        )
    if kept.method in _OF_A_START and kept.lives == "task":
        return (
            "That is done before the first record, and it is a field: it holds all of that for as "
            "long as the task lives, whatever its input."
        )
    if kept.lives == "task":
        of = "all keys" if kept.method in _OF_A_KEY or kept.is_of_values else "all records"
        each = (
            f" what {of} of the task add to it"
            if kept.method in _OF_A_KEY | _OF_A_RECORD
            else (" what is added for as long as the task lives")
        )
        until = " before cleanup()" if kept.in_cleanup else ""
        return f"It is a field, and nothing that is shown empties it{until}: it keeps{each}."
    if _is_of_a_key(kept):
        return (
            "Nothing that is shown empties it before that loop ends, so that it keeps "
            f"{_of_values(kept)}: the key with most of them decides how large it becomes."
        )
    if kept.is_of_bag:
        return (
            "Nothing that is shown empties it before that loop ends: it holds what all tuples of "
            "one bag add to it. Pig can spill a bag to disk, but not this, so no setting of Pig's "
            "bags makes it smaller; the largest bag decides."
        )
    return "Nothing that is shown empties it before that loop ends."


def _is_of_what_differs(kept: KeptInCode) -> bool:
    """Whether equal ones are kept once: in a set or a table, but not in the lists of one."""
    of_lists = _OF_LISTS.search(kept.type_name) or _ADDS_TO_AN_ENTRY.search(kept.adds)
    return of_lists is None and _DISTINCT.search(kept.type_name) is not None


def _of_values(kept: KeptInCode) -> str:
    if _is_of_what_differs(kept):
        return "every different entry that the values of one key make"
    return "what all values of one key add to it"


def _cure(kept: KeptInCode) -> str:
    if kept.method in _OF_A_START and kept.lives == "task":
        return (
            "Keep no more of it than is asked for (fewer columns, a compact form), or join in "
            "reducers instead."
        )
    if kept.lives == "task" and kept.in_cleanup:
        return (
            "cleanup() uses it: write it out whenever it has a fixed number of entries, and empty "
            "it then, or let the reducers add up."
        )
    if kept.lives == "task" and (kept.method in _OF_A_KEY or kept.is_of_values):
        return (
            f"Where it is meant for one key, `{kept.name}` has to be emptied at the start of "
            "reduce(), or be a local of it."
        )
    if kept.lives == "task":
        return (
            "Write out what is done and let the shuffle bring equal keys together, or bound it: "
            "empty it at a fixed number of entries."
        )
    if kept.is_of_bag:
        return (
            "Take what the result needs while the bag is gone through, or let Pig do it: an "
            "Accumulator or Algebraic function gets the bag in parts, ORDER or DISTINCT in the "
            "FOREACH sorts it, and a GROUP BY of more columns makes each group smaller. More "
            "reducers divide no group."
        )
    if kept.type_name.startswith(_TEXTS):
        return "Write the parts out one by one instead of one long text, or bound its length."
    if kept.is_paired:
        return (
            "It goes through every pair of them: of a key with a million values that is 500 "
            "billion, which no larger heap shortens. Bound how many of a key are taken (count the "
            "rest), or leave such a key out. More reducers divide no key."
        )
    if kept.is_counted and not _is_of_what_differs(kept):
        return (
            "What is shown asks for its size alone: a number that is raised for each value says "
            "the same, and keeps none."
        )
    if kept.is_counted:
        return (
            "What is shown asks for its size alone: values that arrive in order (a secondary sort: "
            "the value in the key, partitioned and grouped without it) are counted where they "
            "change, and none is kept; an estimate (HyperLogLog) keeps a few KB. More reducers "
            "divide no key."
        )
    if kept.is_sorted:
        return (
            "The code sorts it: a secondary sort (what it is sorted by in the key, partitioned and "
            "grouped without it) lets the values arrive in that order, and each can be written out "
            "as it comes. More reducers divide no key."
        )
    return (
        "Write each value out as it comes, or keep what the result needs alone (a sum, the last "
        "one); where an order or a look at all of them is needed, a secondary sort or a second "
        "pass does it. More reducers divide no key."
    )


@message(
    "The script in the text keeps what it reads",
    Source("1.2 to 3.5", "org.apache.hadoop.streaming.PipeMapRed"),
)
def script_keeps(evidence: Evidence) -> Reading | None:
    """A Python script of Streaming fills a collection from its input, and empties it nowhere.

    What it means
        A mapper or reducer of Streaming reads all of its part of the input from standard input. A
        dict, a set or a list that is filled in that loop and not emptied there grows until the
        input ends. It is memory of the script's own process, which no `-Xmx` limits, and which
        counts to the container of the task.

    What it does not prove
        How much of the container it takes: the code tells no sizes.

    What to change
        What is kept: print each record, and let the reducers add up; or print and empty it at a
        fixed number of entries. In a reducer lines arrive sorted by key: keep one key at a time.

    What would tell more
        The process tree of a container that was killed has the script with its pages.
    """
    scripts = [
        one for one in evidence.kept_in_code if one.language == "python" and not one.is_of_partition
    ]
    if not scripts or not _is_of_python(evidence):
        return None
    kept = next((one for one in scripts if one.is_of_file), scripts[0])
    over = f", in the loop over `{kept.over}`" if kept.over else ""
    is_whole_key = (
        kept.lives == "call"
        and "groupby" not in kept.over
        and not kept.adds.startswith((f"{kept.name}.", f"{kept.name}["))
    )
    if is_whole_key:
        over = ", for each key"
    if kept.is_of_file:
        lives = (
            "That is a file which is read before the first line of the input: the same for every "
            "task, however small its split."
        )
        cure = (
            f"What is shown only asks whether something is in `{kept.name}`: a set of its keys "
            "says the same, without the values."
            if kept.is_asked and kept.type_name != "set"
            else "Keep no more of it than is asked for, in a compact form (an array of numbers "
            "instead of lists of them: each float of a list takes 32 bytes)."
            if "float(" in kept.adds
            else "Keep no more of it than is asked for, look it up in a file that is made for that "
            "(sqlite3, dbm), or join in reducers instead."
        )
    elif is_whole_key:
        lives = (
            "That is all lines of one key at once: the largest key decides how large it becomes."
        )
        cure = (
            "Keep what the result needs alone (a sum, a count, the last one), or print as the "
            "lines come."
        )
    elif not kept.over:
        lives = "That is all of what the task reads, at once."
        cure = "Read it line by line (for line in sys.stdin), and print as the lines come."
    elif kept.lives == "call":
        lives = "It is emptied when the key changes: the largest key decides how large it becomes."
        cure = "Keep what the result needs alone (a sum, a count), or print as the lines come."
    else:
        lives = (
            "Nothing that is shown empties it before the input ends: it keeps "
            f"{'what differs in' if _is_of_what_differs(kept) else 'something of'} all that "
            "the task reads."
        )
        cure = (
            "A reducer gets its lines sorted by key: keep what belongs to one key (itertools."
            "groupby), and print it when the key changes."
            if evidence.is_reduce
            else "Print each record as it comes and let the reducers add up, or print and empty it "
            f"whenever len({kept.name}) reaches a fixed number; reducers get their lines sorted, "
            "so that one key at a time is enough there."
        )
    at = f"line {kept.own_line} of its file" if kept.own_line else f"line {kept.line} of the text"
    return Reading(
        f"The script in the text fills {_named(kept)} by `{kept.adds}` ({at}){over}. "
        f"{lives} {cure}{'' if evidence.death.ulimit_bytes else _NO_LIMIT}",
        "suggests",
    )


_NO_LIMIT: Final = " No setting limits it as -Xmx limits a Java heap."


def _is_of_python(evidence: Evidence) -> bool:
    """Whether a Python program is what took the memory of a container, or ended without any."""
    end = evidence.death.container
    if evidence.death.kind == "container-physical" and end is not None:
        beside = [one for one in end.processes if not (one.is_task or one.is_shell)]
        task = max((one.resident_bytes for one in end.processes if one.is_task), default=0)
        largest = max(beside, key=lambda one: one.resident_bytes, default=None)
        return (
            largest is not None
            and largest.resident_bytes > task
            and ("python" in largest.program or largest.program.endswith(".py"))
        )
    if error_like(evidence, r"java\.lang\.RuntimeException", _PIPE) is None:
        return False
    child = evidence.child
    return child is not None and bool(child.killed_by_kernel or child.out_of_memory_words)


MESSAGES = (code_keeps, script_keeps)
