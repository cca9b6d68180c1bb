"""A text whose chapters tell of deaths that have nothing to do with each other.

A guide has a chapter for each way in which jobs fail; a post asks about errors a), b) and c), or
about three runs of last week. What stands under one heading is of no death under another: its ids,
settings and code stay in it. What stands above the first heading is of all.

Most headings do not divide so: people also write "NodeManager log" and "stack of the task" above
two sides of one death. Chapters are taken for different deaths where their headings are numbered,
or are many, where none of them names a job of another, and where each ends differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from mprof.intake.commands import jobs_in
from mprof.intake.runs import HEADING, which_run
from mprof.intake.sections import Section
from mprof.intake.sentences import Lines, is_by_the_jvm, is_of_a_log, names_memory, tells_of_an_end
from mprof.intake.settings import stated_in
from mprof.intake.told_ends import tells, tells_of_memory
from mprof.trace import Excerpt, parse_container_end, read_log

__all__ = ["chapters_of"]


_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_MARKDOWN: Final = re.compile(r"(?P<rank>#{1,6}) (?P<title>\S.{0,120})$")
# "9.2 Shuffle service missing", "2) Run of Monday", "(3) Run of Tuesday", "b) with 2048"
_NUMBERED: Final = re.compile(
    r"(?P<open>\()?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[a-hA-H])(?P<close>\)|(?(open)(?!)|[.:]?))\s+"
    r"(?P<title>Container \[pid=.{0,2000}|\S.{0,160})$"
)
# above one side of a death whose other side stands under another heading
_OF_A_SIDE: Final = re.compile(
    r"(?i)\b(?:logs?|syslog|stderr|stdout|stacks?|traces?|stacktrace|console|output|screenshot|"
    r"settings?|config\w*|environment|diagnostics|counters?|steps? to|expected|actual|driver|"
    r"(?:node|resource)manager|client|executors?|application master|AM|code)\b"
)
_SHORT: Final = 6  # words of a heading, above which it says more than what stands below it
_RULE: Final = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*")
# under a heading of the same rank, and of what the heading above it tells
_GOES_ON: Final = re.compile(
    r"(?i)\W*(?:probable |root |possible )*(?:solutions?|resolutions?|causes?|fix|workarounds?|"
    r"answer|symptoms?|details|description|environment|remed(?:y|ies)|how to (?:fix|solve)|"
    r"what helped)\b"
)
# words of a lack of memory that no error has
_OF_MEMORY: Final = re.compile(
    r"MapredLocalTask|[Cc]annot allocate memory|Execution failed with exit status: 3"
)
_MANY_TOPICS: Final = 12
"""Headings and rules of a page, from which on it is no account of one death."""
_DIGITS: Final = re.compile(r"\d+")
_ENUMERATED: Final = 2
_MANY: Final = 3
"""Chapters that tell of an end, from which on they are taken for different ones."""


def chapters_of(section: Section) -> list[Section]:
    """The chapters of a text, each with what stands above the first of them; or the text itself.

    Of a collection only those that tell of a lack of memory.
    """
    lines = [*section.excerpt.numbered()]
    collected = _in_a_collection(lines)
    if collected:
        return [_section_of(part, section) for part in collected]
    for headings, least in _headings(lines):
        bounds = [*pairwise((*headings, len(lines)))]
        own = [lines[low:high] for low, high in bounds]
        telling = [_tells(part) for part in own]
        if sum(telling) < least or not _are_apart(
            [part for part, tell in zip(own, telling, strict=True) if tell]
        ):
            continue
        chapters = _with_what_follows(own, telling)
        above = lines[: headings[0]]
        if _tells(above):
            chapters, above = [above, *chapters], []
        shared = [[*_not_in(above, part), *part] for part in chapters]
        return [_section_of(part, section) for part in shared]
    return [section]


def _section_of(part: Lines, whole: Section) -> Section:
    return replace(whole, excerpt=replace(_excerpt(part), broken=whole.excerpt.broken))


def _tells(part: Lines) -> bool:
    """Whether a chapter tells of an end, or has an error, which is the reason for one there."""
    excerpt = _excerpt(part)
    return tells(excerpt) or bool(read_log("text", excerpt).errors)


def _in_a_collection(lines: Lines) -> list[Lines]:
    """The parts of a long page of many topics that tell of a lack of memory; none of other texts.

    Each has what stands right below the headings above it, and the parts below it.
    """
    begins = [*_begins(lines)]
    if len(begins) < _MANY_TOPICS:
        return []
    bounds = [*pairwise((*(at for at, _ in begins), len(lines)))]
    own = [lines[low:high] for low, high in bounds]
    ranks = [rank for _, rank in begins]
    telling = [at for at, part in enumerate(own) if _lacks_memory(part)]
    titles = [_title(own[at]) for at in telling]
    if not telling or not (
        all(map(_is_of_an_end, titles)) or _are_apart([own[at] for at in telling])
    ):
        return []
    return [_with_its_own(at, own, ranks, frozenset(telling)) for at in telling]


def _begins(lines: Lines) -> Iterator[tuple[int, int]]:
    """Where the parts of a page begin, each with the rank of its heading; 1 behind a rule."""
    is_fenced = False
    for at, (number, line) in enumerate(lines):
        is_fenced = is_fenced and lines[at - 1][0] == number - 1  # its end may be left out
        if _FENCE.match(line):
            is_fenced = not is_fenced
        if is_fenced:
            continue
        heading, near = _MARKDOWN.match(line), dict(lines[max(at - 1, 0) : at + 2])
        above, below = near.get(number - 1, ""), near.get(number + 1, "")
        if heading is not None and not above.strip() and not is_by_the_jvm(line):
            yield at, len(heading["rank"])
        elif _RULE.fullmatch(line) and not above.strip() and not below.strip():
            yield at, 1


def _is_of_an_end(title: str) -> bool:
    return names_memory(title) or _OF_MEMORY.search(title) is not None


def _lacks_memory(part: Lines) -> bool:
    excerpt = _excerpt(part)
    said = (tells_of_an_end(line) or _OF_MEMORY.search(line) for _, line in part)
    return (tells_of_memory(excerpt) or any(said)) and tells(excerpt)


def _with_its_own(
    at: int, parts: Sequence[Lines], ranks: Sequence[int], telling: frozenset[int]
) -> Lines:
    """A part with those above whose headings it stands under, and those under its own."""
    above: list[Lines] = []
    rank = ranks[at]
    for one in range(at - 1, -1, -1):
        if ranks[one] < rank:
            rank = ranks[one]
            above.insert(0, parts[one] if one not in telling else parts[one][:1])
    below: list[Lines] = []
    for one in range(at + 1, len(parts)):
        goes_on = ranks[one] == ranks[at] and _GOES_ON.match(_title(parts[one]))
        if one in telling or not (ranks[one] > ranks[at] or goes_on):
            break
        below.append(parts[one])
    return [line for part in (*above, parts[at], *below) for line in part]


def _headings(lines: Lines) -> Iterator[tuple[list[int], int]]:
    """The indices of headings of a rank, with how many chapters have to tell of an end."""
    markdown: dict[int, list[int]] = {}
    numbered: dict[str, list[tuple[int, str]]] = {}
    runs: dict[str, int] = {}
    is_fenced = False
    for at, (_, line) in enumerate(lines):
        if _FENCE.match(line):
            is_fenced = not is_fenced
        found = None if is_fenced else _MARKDOWN.match(line)
        below = lines[at + 1][1] if at + 1 < len(lines) else ""
        # what root types stands behind one such sign as well, with its output right below
        if found is not None and (len(found["rank"]) > 1 or not below.strip()):
            markdown.setdefault(len(found["rank"]), []).append(at)
        run = None if is_fenced else HEADING.match(line)
        if run is not None:
            runs.setdefault(which_run(run), at)
        plain = None if is_fenced else _NUMBERED.match(line)
        above = lines[at - 1][1] if at else ""
        if plain is not None and not above.strip() and not is_of_a_log(line):
            form = re.sub(r"\w", "", plain["number"]) + (plain["open"] or "") + plain["close"]
            form += "1" if plain["number"][0].isdigit() else "Aa"[plain["number"].islower()]
            numbered.setdefault(form, []).append((at, plain["number"]))
    for rank in sorted(markdown):
        titles = [lines[at][1].lstrip("# ") for at in markdown[rank]]
        are_apart = all(map(_NUMBERED.match, titles)) or all(map(names_memory, titles))
        yield markdown[rank], _ENUMERATED if are_apart else _MANY
    if len(runs) >= _MANY and not jobs_in(lines):  # the runs of jobs are told by their ids
        yield [*runs.values()], _ENUMERATED
    for each in numbered.values():
        if _goes_up([number for _, number in each]):
            yield [at for at, _ in each], _ENUMERATED
    introduced = [at for at, (_, line) in enumerate(lines) if _introduces(line, lines[at + 1 :])]
    if len(introduced) >= _ENUMERATED and not _NUMBERED.match(lines[introduced[0]][1]):
        yield introduced, _ENUMERATED


# "With -Xmx2048m I get this instead:"
_WITH: Final = re.compile(
    r"(?i)\W{0,3}(?:but |and |then |now |after (?:that|this),? )?with \S.{0,200}:\s*$"
)


def _introduces(line: str, below: Lines) -> bool:
    """Whether a line says with which settings what is pasted below it ended."""
    if _WITH.match(line) is None or is_of_a_log(line) or not stated_in([(1, line)]):
        return False
    first = next((one for _, one in below if one.strip() and not _FENCE.match(one)), "")
    return is_of_a_log(first)


def _goes_up(numbers: Sequence[str]) -> bool:
    """Whether numbers, or letters, are those of headings that follow one another."""
    if all(one.isalpha() for one in numbers):
        steps = [ord(one) for one in numbers]
    else:
        steps = [int(one.rpartition(".")[2]) for one in numbers]
    return all(after - one == 1 for one, after in pairwise(steps))


def _are_apart(parts: Sequence[Lines]) -> bool:
    """Whether chapters tell of different deaths: of other jobs, each with another end."""
    titles = [_title(part) for part in parts]
    if not all(map(names_memory, titles)) and any(
        _OF_A_SIDE.search(one) and len(one.split()) <= _SHORT for one in titles
    ):
        return False
    jobs = [frozenset(jobs_in(part)) for part in parts]
    ends = [_ends(part) for part in parts]
    named = [one for each in jobs for one in each]
    return len(named) == len({*named}) and len({*ends}) == len(ends)


def _title(part: Lines) -> str:
    """A heading without its number, and without a setting or an id in it."""
    title = part[0][1].lstrip("# ")
    return re.sub(r"\S*[._=]\S*", " ", title)


def _ends(part: Lines) -> frozenset[str]:
    """What tells the ends of a chapter: the errors in it, and the containers that were killed."""
    excerpt = _excerpt(part)
    log = read_log("text", excerpt)
    text = "\n".join(line for _, line in part)
    killed = parse_container_end(text)
    said = {f"{one.error.class_name} {one.error.message}" for one in log.errors}
    if killed is not None:
        said.add(f"{killed.limit} {killed.exit_code}")
    return frozenset(said or {_DIGITS.sub("0", line) for _, line in part if tells_of_an_end(line)})


def _with_what_follows(own: Sequence[Lines], telling: Sequence[bool]) -> list[Lines]:
    """The chapters that tell of an end, each with those behind it that tell of none."""
    chapters: list[list[tuple[int, str]]] = []
    for part, tell in zip(own, telling, strict=True):
        if tell or not chapters:
            chapters.append([*part])
        else:
            chapters[-1] += part
    return [*chapters]


def _not_in(above: Lines, part: Lines) -> Iterator[tuple[int, str]]:
    """The lines above all chapters, blank where a chapter has the setting itself."""
    own = {one.name for one in stated_in(part) if not one.why_not}
    stated = {one.line for one in stated_in(above) if one.name in own}
    yield from ((number, "" if number in stated else line) for number, line in above)


def _excerpt(lines: Lines) -> Excerpt:
    """Lines as an excerpt, in stretches that follow each other."""
    parts: list[tuple[int, list[str]]] = []
    for number, line in lines:
        if parts and parts[-1][0] + len(parts[-1][1]) == number:
            parts[-1][1].append(line)
        else:
            parts.append((number, [line]))
    told = tuple((number, tuple(part)) for number, part in parts)
    last = lines[-1][0] if lines else 0
    return Excerpt(told, (), last)
