"""What was being enlarged when the heap ran out, and for whose code: the frames alone say it."""

from __future__ import annotations

import re
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import is_jdk_class
from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, site_in_words

__all__ = ["MESSAGES"]

_ENLARGES: Final = frozenset(
    {
        "grow", "resize", "rehash", "transfer", "ensureCapacity", "ensureCapacityInternal",
        "ensureExplicitCapacity", "doubleCapacity", "addEntry", "growTable", "growToSize",
        "ensureSize",
    }
)  # fmt: skip
"""Of the collections of the JDK since 6, of Scala, Spark, Mahout, Trove, fastutil and HPPC."""
# a text or a stream that grows is of one record as often as not (3 of 4 in the recorded deaths)
_NO_COLLECTION: Final = re.compile(
    r"^java\.(?:lang|io|nio|math)\.|^org\.apache\.hadoop\.io\.|"
    r"(?:Byte|Char|String|Input|Output)Buffer\b|(?:Builder|Stream|Output|Writer|Utils?)\b"
)
_COLLECTION: Final = re.compile(
    r"java\.util\.(?:concurrent\.)?(?!Spliterator|Iterator|Objects|Optional|Collections)[A-Z]\w*$|"
    r"scala\.collection\.mutable\.(?!ResizableArray)\w*(?:Buffer|Map|Set|Table|Builder|Queue)$"
)
# operators of Hive, Pig and Spark SQL are code of these engines as well, which nobody changes; a
# function of their libraries was called by the query
_OF_ENGINES: Final = re.compile(
    r"org\.apache\.hadoop\.(?!hive\.(?!ql\.exec\.|metastore\.api\.)|examples\.|contrib\.)|"
    r"org\.apache\.pig\.backend\.|org\.apache\.spark\.sql\.execution\."
)


def _enlarged(stack: tuple[CodeSite, ...]) -> tuple[str, CodeSite] | None:
    """The class of the collection that the dying thread was enlarging, and the code that added."""
    top = next((at for at, one in enumerate(stack) if one.class_name != "java.util.Arrays"), None)
    if top is None or stack[top].method not in _ENLARGES:
        return None
    package = stack[top].class_name.rpartition(".")[0]
    inside = top
    while inside < len(stack) and _is_of_collections(stack[inside].class_name, package):
        inside += 1
    # HashMap.putVal, HashSet.add: the outermost of the collections that are made of one another
    within = [one.class_name for one in stack[top:inside] if _COLLECTION.match(one.class_name)]
    name = within[-1] if within else stack[top].class_name
    if inside == len(stack) or _NO_COLLECTION.search(name):
        return None
    return name, stack[inside]


def _is_of_collections(class_name: str, package: str) -> bool:
    return (
        is_jdk_class(class_name)
        or class_name.startswith("scala.")
        or class_name.rpartition(".")[0] == package
    )


@message(
    "A collection was being enlarged when the heap ran out",
    Source("JDK 6 and later", "java.util.HashMap.resize"),
    Source("JDK 7 and later", "java.util.ArrayList.grow"),
)
def collection_was_enlarged(evidence: Evidence) -> Reading | None:
    """The heap ran out while a collection was being enlarged.

    What it means
        A list or a table that is full is copied into one of 1.5 or 2 times its size, and the array
        for that was refused. The longer the collection, the larger the array, so a collection that
        holds much is the likeliest to meet the end of the heap: in nine of the ten deaths of this
        kind that were recorded with a heap dump it was what filled the heap, in the tenth another
        collection that the same method filled.

    What it does not prove
        That this collection fills the heap: in a full heap any array is refused. Nor for how long
        it keeps what is added: for a record, a group or the whole task.

    What to change
        What the code keeps: write it out in parts, bound it, empty it for each record or group, or
        let the shuffle sort and group instead. A larger heap lasts until the input is larger.

    What would tell more
        A heap dump at the death tells its size and who holds it: `mprof run`, or
        `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the JVM options.
    """
    if evidence.death.kind not in HEAP_KINDS - {"array-limit"} or not heap_is_unseen(evidence):
        return None
    if evidence.attempt.mode != "none":
        return None
    found = _enlarged(evidence.death.stack)
    if found is None or _OF_ENGINES.match(found[1].class_name):
        return None
    name, adds = found
    simple = name.rpartition(".")[2]
    article = "an" if simple[0] in "AEIOU" else "a"
    by_chance = evidence.death.kind == "gc-overhead"  # which is thrown at any allocation
    what = "The collector gave up" if by_chance else "The heap ran out"
    need_not = ", which need not be what filled the heap" if by_chance else ""
    return Reading(
        f"{what} while {article} {simple} was being enlarged for {site_in_words(adds)}{need_not}: "
        "look first at what is added to it there, and when it is emptied.",
        "suggests",
        "a heap dump at the death tells its size and who holds it.",
    )


MESSAGES = (collection_was_enlarged,)
