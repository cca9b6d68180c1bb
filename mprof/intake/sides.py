"""Sizes that a sentence gives for map or reduce tasks without the properties that set them.

"Each map got 4 GB, heap at 3.2", "reduce containers are 3 GB", "map 2048 / -Xmx1638m", "4 GB per
mapper, with -Xmx3g". What a heap was found to hold is no size that it has: "the heap was at 1.1 GB
after a full collection".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["CONTAINER_SIZE", "OF_ANOTHER_PROCESS", "XMX", "side_beside", "sizes_of_sides"]

XMX: Final = "-Xmx"
CONTAINER_SIZE: Final = "container.mb"
"""What is stated by itself, without the property that sets it."""

# whose heap a sentence may give that is none of a task
OF_ANOTHER_PROCESS: Final = re.compile(
    r"(?i)\b(?:(?:name|data)\s?nodes?|(?:node|resource)\s?managers?|region\s?servers?|hbase|server\w*|"
    r"metastore|hs2|hiveserver2?|clients?|drivers?|executors?|master|AM|gateway|daemons?)\b"
)

_Size = tuple[str, str, int, int]

_XMX: Final = r"-Xmx(?:\d{1,6}[kKmMgG]|\d{7,12})"
_SIDES: Final = {"map": "map", "red": "reduce"}
_OF_A_SIDE: Final = r"\b(?P<side>map|reduc)(?:per|er|e)?s?\b(?: (?:task|container)s?)?"
_SIZE: Final = r"(?P<size>\d{1,6}(?:\.\d{1,2})?)(?P<unit> ?[mMgG](?:[iI]?[bB])?)?"
_IN_UNITS: Final = r"(?P<size>\d{1,6}(?:\.\d{1,2})?)(?P<unit> ?[mMgG][iI]?[bB]?)\b"
# the container and the heap of a kind of task: "map 2048 / -Xmx1638m", "reducers: 4 GB (-Xmx3g)"
_A_SHORT_PAIR: Final = re.compile(
    rf"(?i:{_OF_A_SIDE})\s?[:=]?\s?(?i:with |has |have |gets? )?{_SIZE}"
    rf"\s?(?:[/(,+]|(?i:with|and)\b)\s?(?P<heap>{_XMX})\b"
)
# each map got 4 GB, heap at 3.2
_EACH_HAS: Final = re.compile(
    rf"(?i:{_OF_A_SIDE}) (?i:gets?|got|has|have|had|(?:is|was|are|were) given|(?:ran|runs?) with) "
    r"(?P<size>\d{1,6}(?:\.\d{1,2})?)(?P<unit> ?[mMgG][bB]?)\b(?! (?i:of|heap|java|free|input))"
    r"(?=[^.?!;]{0,100}?\b(?i:heap|container|memory)\b)"
)
_ITS_HEAP: Final = re.compile(
    r"[^?!;]{0,40}?\b(?i:heap)(?i: size)?(?:\s?[:=]|(?i: at| of| is| was| set to| to))\s?"
    r"(?P<size>\d{1,6}(?:\.\d{1,2})?)(?P<unit> ?[mMgG][bB]?)?(?![\w%]|\.\d|\s?%)"
    r"(?!\s?(?i:pct|percent|(?:is |was )?(?:used|in use|free|left|full)))"
)
# what may stand between what has a size, and the size
_BETWEEN: Final = (
    r"(?:\s?[:=(]|\s?\b(?:in|of|for|on|by|with|size|sizes|limit|is|are|at|to|set|has|have|now|"
    r"raised|increased|"
    r"currently|only|a|an|the|our|all|each|every|tasks?|containers?|JVMs?|"
    r"map(?:per)?s?|reduc(?:e|er|es|ers)|mapreduce\.(?:map|reduce)\.java\.opts)\b){0,7}\s?"
)
_OF_IT: Final = (
    r"(?:\b(?i:mappers?|reducers?|maps?|reduces?)(?:['\u2019]s?)? (?i:tasks?['\u2019]? )?)?"
)
# in MB, as the sizes of containers beside it: "map.memory.mb 2048, heap 1638"
_A_HEAP_IN_MB: Final = re.compile(
    r"\b(?i:heap)(?: size)?\s?[:=]?\s?(?P<size>\d{3,5})(?P<unit>)(?=\s*(?:[,;)/]|$))"
)
_HAS_A_HEAP: Final = re.compile(rf"{_OF_IT}\b(?i:heaps?)\b{_BETWEEN}{_IN_UNITS}")
_A_HEAP: Final = re.compile(rf"(?<![\w.]){_IN_UNITS} (?i:(?:of )?(?:java |JVM )?heaps?)\b")
_HAS_A_ROOM: Final = re.compile(
    rf"{_OF_IT}\b(?i:containers?|(?<=mapper )memory|(?<=reducer )memory|(?<=map )memory|"
    rf"(?<=reduce )memory)\b{_BETWEEN}{_IN_UNITS}"
    rf"(?:[^.;?!]{{0,20}}?\s?(?:[/(,+]|(?i:with|and)\b)\s?(?P<heap>{_XMX})\b)?"
)
# what was seen in it, and no size that it has
_IN_USE: Final = re.compile(
    r"(?i)\b(?:used|in use|uses|using|free|left|after|never|peak\w*|grows?|grew|goes up|went up|"
    r"climbs?|reache[sd]|full|live|resident|rss|took|takes|exceed\w*|beyond|killed)\b"
)
_A_SIDE: Final = re.compile(r"(?i)\b(?P<side>map|reduc)(?:per|er|e)?s?\b")
_END: Final = re.compile(r"[.!?;]\s")
_LEAST_MB: Final = 128  # smaller ones are counts, unless a unit says otherwise
_NO_OTHER: Final = r"(?!\s*(?:and|or|/|,|&)\s*(?:the )?(?:map|reduc))"
# the kind of task that a size stands right behind, or is said to be for
_BEHIND_ITS_SIDE: Final = re.compile(
    r"(?i)(?<!and )(?<!or )(?<!/)\b(?P<side>map|reduc)(?:per|er|e)?s?\b(?: (?:task|container)s?)?"
    r"(?:['\u2019]s)?(?: (?:heap|JVM|JVMs|options))?\s?"
    r"(?:is|are|has|have|gets?|with|run with|:|=|of|at)?\s?(?:a |an )?[\"'`(]*$"
)
_FOR_A_SIDE: Final = re.compile(
    r"(?i)[\"'`)]*\s(?:for|in|on|per) (?:the |all |our |each |every |my |a )*(?P<side>map|reduc)"
    rf"(?:per|er|e)?s?\b(?: (?:task|container)s?)?{_NO_OTHER}"
)
# we gave each reducer 4 GB; 4 GB per mapper
_GIVEN: Final = re.compile(
    r"(?i)\b(?:gave|give|gives|gets?|got|have|has)\b (?:each|every|all|the|our|a) "
    r"(?P<side>map|reduc)(?:per|er|e)?s?(?: (?:task|container)s?)? "
    r"(?P<value>\d{1,6} ?[mMgG][bB])\b(?! (?:of )?(?:heap|java))"
)


def sizes_of_sides(sentence: str) -> Iterator[_Size]:
    """Containers and heaps of a kind of task, each with where it stands.

    >>> [one[:2] for one in sizes_of_sides("map 2048 / -Xmx1638m")]
    [('mapreduce.map.memory.mb', '2048'), ('mapreduce.map.java.opts', '-Xmx1638m')]
    >>> [one[:2] for one in sizes_of_sides("reduce containers are 3 GB, of which 2 GB are used")]
    [('mapreduce.reduce.memory.mb', '3072')]
    """
    taken: list[tuple[int, int]] = []
    for name, value, at, end in (*_beside_each_other(sentence), *_in_words(sentence)):
        if not any(low <= at < high or low < end <= high for low, high in taken):
            taken.append((at, end))
            yield name, value, at, end


def side_beside(sentence: str, begin: int, end: int) -> str | None:
    """The only kind of task that the words around a size name; None where they name none."""
    behind = _FOR_A_SIDE.match(sentence, end)
    before = _BEHIND_ITS_SIDE.search(sentence, max(0, begin - 60), begin)
    found = {_side(one) for one in (behind, before) if one is not None}
    return found.pop() if len(found) == 1 else None


def _side(found: re.Match[str]) -> str:
    return _SIDES[found["side"].lower()[:3]]


def _beside_each_other(sentence: str) -> Iterator[_Size]:
    for found in _A_SHORT_PAIR.finditer(sentence):
        size = _in_mb(found["size"], found["unit"])
        if size is not None:
            yield f"mapreduce.{_side(found)}.memory.mb", size, found.start(), found.end("size")
            yield f"mapreduce.{_side(found)}.java.opts", found["heap"], *found.span("heap")
    for found in _EACH_HAS.finditer(sentence):
        size = _in_mb(found["size"], found["unit"])
        heap = _ITS_HEAP.match(sentence, found.end())
        heap_mb = _in_mb(heap["size"], heap["unit"] or found["unit"]) if heap is not None else None
        if size is not None:
            yield f"mapreduce.{_side(found)}.memory.mb", size, found.start(), found.end()
        if heap is not None and heap_mb is not None and int(heap_mb) <= int(size or 0):
            yield f"mapreduce.{_side(found)}.java.opts", f"-Xmx{heap_mb}m", *heap.span()
    if XMX in sentence or "heap" in sentence:  # beside which a size is that of the container
        for found in _GIVEN.finditer(sentence):
            size = _in_mb(*_apart(found["value"]))
            if size is not None:
                yield f"mapreduce.{_side(found)}.memory.mb", size, *found.span("value")


def _in_words(sentence: str) -> Iterator[_Size]:
    """Of what is called a heap or a container, where one kind of task is named with it."""
    forms = (
        (_HAS_A_HEAP, True),
        (_A_HEAP, True),
        (_A_HEAP_IN_MB, True),
        (_HAS_A_ROOM, False),
    )
    for form, is_heap in forms:
        for found in form.finditer(sentence):
            side = _named_with(sentence, found)
            size = _in_mb(found["size"], found["unit"])
            if size is None or _IN_USE.search(_clause(sentence, found)):
                continue
            value = f"-Xmx{size}m" if is_heap else size
            if side is None:
                if _is_of_both(sentence):
                    yield XMX if is_heap else CONTAINER_SIZE, value, *found.span("size")
                continue
            what = "java.opts" if is_heap else "memory.mb"
            yield f"mapreduce.{side}.{what}", value, *found.span("size")
            heap = None if is_heap else found["heap"]
            if heap is not None:
                yield f"mapreduce.{side}.java.opts", heap, *found.span("heap")


def _is_of_both(sentence: str) -> bool:
    """Whether a sentence gives a container and a heap, and names no process: of what died, then."""
    named = _A_SIDE.search(sentence) or OF_ANOTHER_PROCESS.search(sentence)
    heap = _HAS_A_HEAP.search(sentence) or _A_HEAP.search(sentence)
    return bool(not named and heap and _HAS_A_ROOM.search(sentence))


def _named_with(sentence: str, found: re.Match[str]) -> str | None:
    """The kind of task in the words of a size, right behind them, or the only one above them."""
    own = {_side(one) for one in _A_SIDE.finditer(found[0])}
    behind = _FOR_A_SIDE.match(sentence, found.end())
    if behind is not None:
        own.add(_side(behind))
    if not own:
        above = _END.split(sentence[: found.start()])[-1]
        if OF_ANOTHER_PROCESS.search(above) or OF_ANOTHER_PROCESS.search(found[0]):
            return None
        own = {_side(one) for one in _A_SIDE.finditer(above)}
    return own.pop() if len(own) == 1 else None


def _clause(sentence: str, found: re.Match[str]) -> str:
    begin = max(sentence.rfind(one, 0, found.start()) for one in ",;:(")
    ends = [at for one in ",;)?!" if (at := sentence.find(one, found.end("size"))) >= 0]
    return sentence[begin + 1 : min(ends, default=len(sentence))]


def _apart(size: str) -> tuple[str, str]:
    number = re.match(r"[\d.]+", size)
    end = number.end() if number is not None else 0
    return size[:end], size[end:]


def _in_mb(size: str, unit: str | None) -> str | None:
    """A size in MB; None of a number without a unit that is no such size."""
    in_gb = (unit or "").strip().lower().startswith("g")
    mb = int(float(size) * (1024 if in_gb else 1))
    return str(mb) if unit or mb >= _LEAST_MB else None
