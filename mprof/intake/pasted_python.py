"""What a Python program, pasted beside an end, keeps: of Streaming, or of PySpark's workers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mprof.code_site import KeptInCode

__all__ = ["kept_in_python"]

_MADE: Final = re.compile(
    r"^(\s*)(?:self\.)?([a-z_]\w*)\s*=\s*(?:(\{\}|\[\]|\"\"|'')|((?:collections\.)?(?:set|dict|list|defaultdict|"
    r"OrderedDict|Counter|deque(?!\(.*maxlen))|(?:io\.)?(?:StringIO|BytesIO))\()"
)
_NAMES: Final = {"{}": "dict", "[]": "list", '""': "str", "''": "str"}
_LOOP: Final = re.compile(r"^(\s*)(?:for\s+.+?\s+in\s+(.+)|while\s+(.+)):\s*(?:#.*)?$")
_INPUT: Final = re.compile(r"\bstdin\b|\bread_(?:mapper_output|input)\b|\bgroupby\(|\bfileinput\b")
_HEAD: Final = re.compile(r"^\s*(?:if|elif|while)\b(.*):\s*(?:\S.*)?$")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_OWN_LINE: Final = re.compile(r"#[\s<-]*(?:line\s*)?(\d{1,5})[\s<-]*$")
_READS_ALL: Final = re.compile(
    r"^\s*(\w+)\s*=\s*((?:list|sorted)\(\s*sys\.stdin\s*\)|sys\.stdin\.(?:buffer\.)?read(?:lines)?\(\))"
)
# what is read whole, before the input
_FILE: Final = re.compile(r"\b(?:io\.|gzip\.|bz2\.|codecs\.)?open\(|\bcsv\.(?:Dict)?[rR]eader\(")
_OPENED: Final = re.compile(
    r"^\s*(?:with\s+(\S*\bopen\(.*\))\s+as\s+(\w+):|(\w+)\s*=\s*(\S*\bopen\(.*\)))$"
)
_LOADS: Final = re.compile(
    r"^(\s*)(?:self\.)?(\w+)\s*=\s*((?:pickle|cPickle|json|joblib|torch|marshal)\.load\(.*|"
    r"(?:np|numpy)\.load(?:txt)?\((?!.*mmap_mode).*|(?:pd|pandas)\.read_\w+\((?!.*chunksize).*|"
    r"(?:\w+\.)*load_word2vec_format\(.*|(?:\w+\.)*(?:fasttext|spacy)\.load\w*\(.*)$"
)
_DEF: Final = re.compile(
    r"^(\s*)def\s+(\w+)\s*\(\s*(?:self\s*,\s*)?(?:\w+\s*,\s*)*?(\w+)\s*\)\s*(?:->.*)?:$"
)
_OF_PARTITIONS: Final = re.compile(
    r"\b(?:map|foreach)Partitions(?:WithIndex)?\(\s*(?:f\s*=\s*)?(\w+)\b"
)
_LAMBDA: Final = re.compile(
    r"\b(?:map|foreach)Partitions\(\s*lambda\s+(\w+)\s*:.*\b(?:list|sorted|tuple|DataFrame)\(\s*\1\s*[,)]"
)
# a data frame of all rows of a group
_OF_GROUPS: Final = re.compile(r"\.(?:applyInPandas|cogroup)\(|\.group[bB]y\([^()]*\)\.apply\(")
_BY_KEY: Final = re.compile(r"^\s*for\s+\(?\s*\w+\s*,\s*(\w+)\s*\)?\s+in\s+(.*\bgroupby\(.*)$")
_NUMBERED: Final = re.compile(r"^\s{0,4}(\d{1,4})(?:[:|)](?=\s)|(?=\s)|$)")
_KEY: Final = re.compile(r"!=|\bis not\b|\bnot\b")
_LONGEST_CALL: Final = 60


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    indent: int
    text: str
    own: int | None


def kept_in_python(lines: Sequence[tuple[int, str]]) -> Iterator[KeptInCode]:
    """What is filled in a loop over standard input, is made before it, and is not emptied in it.

    >>> script = ["seen = {}", "for line in sys.stdin:", "    seen[line] = 1"]
    >>> [(one.name, one.type_name) for one in kept_in_python([*enumerate(script, 1)])]
    [('seen', 'dict')]
    """
    code = [*_lines(lines)]
    yield from _of_partitions(code)
    yield from _of_a_key(code)
    reads_input = any(_INPUT.search(one.text) for one in code)
    for one in code:
        if (read := _READS_ALL.match(one.text)) is not None:
            yield _at_once(
                one,
                read[1],
                "list" if "lines" in read[2] or read[2].startswith("list") else "str",
            )
    for at, one in enumerate(code):
        if reads_input and (loads := _LOADS.match(one.text)) is not None:
            yield replace(_at_once(one, loads[2], ""), is_of_file=True)
        loop = _LOOP.match(one.text)
        over = (loop[2] or loop[3]).strip() if loop is not None else ""
        if loop is None:
            continue
        is_of_file = reads_input and not _INPUT.search(over) and _is_of_file(over, code[:at])
        if not _INPUT.search(over) and not is_of_file:
            continue
        body = [*_indented(code[at + 1 :], one.indent)]
        for name, type_name in _made_before(code[:at], one.indent):
            kept = _kept(name, type_name, over, body)
            may_end = is_of_file and any(re.match(r"\s*break\b", each.text) for each in body)
            if kept is not None and not may_end:
                asked = is_of_file and _is_asked(name, code[at + 1 + len(body) :])
                yield replace(kept, is_of_file=is_of_file, is_asked=asked)


def _at_once(one: _Line, name: str, type_name: str) -> KeptInCode:
    shown = " ".join(one.text.split())
    return KeptInCode(
        name=name,
        type_name=type_name,
        adds=shown if len(shown) <= _LONGEST_CALL else f"{shown[: _LONGEST_CALL - 3]}...",
        over="",
        method=None,
        lives="task",
        line=one.number,
        own_line=one.own,
        language="python",
    )


def _of_partitions(code: Sequence[_Line]) -> Iterator[KeptInCode]:
    """What a function that PySpark calls for each partition makes of all of its rows at once."""
    called = {found[1] for one in code for found in _OF_PARTITIONS.finditer(one.text)}
    for at, one in enumerate(code):
        head = _DEF.match(one.text)
        if head is None or head[2] not in called:
            continue
        takes = re.compile(
            rf"^\s*(\w+)\s*=\s*(?:(?:list|tuple|sorted|set)\(\s*{head[3]}\s*[,)]|"
            rf"(?:pd|pandas)\.DataFrame\((?:list\()?{head[3]}\b|\[.*\bfor\b.*\bin\s+{head[3]}\s*\])"
        )
        for each in _indented(code[at + 1 :], one.indent):
            if (found := takes.match(each.text)) is not None:
                yield replace(
                    _at_once(each, found[1], "list"),
                    over=head[3], method=head[2], lives="call", is_of_partition=True,
                )  # fmt: skip
                break

    for one in code:
        found = _LAMBDA.search(one.text) or _OF_GROUPS.search(one.text)
        if found:
            of = found[1] if found.re is _LAMBDA else "group"
            yield replace(_at_once(one, "", "list"), over=of, lives="call", is_of_partition=True)


def _of_a_key(code: Sequence[_Line]) -> Iterator[KeptInCode]:
    """What a loop over itertools.groupby makes of all lines of a key at once."""
    for at, one in enumerate(code):
        loop = _BY_KEY.match(one.text)
        if loop is None:
            continue
        takes = re.compile(
            rf"^\s*(\w+)\s*=\s*(?:(list|tuple|sorted|set)\(\s*{loop[1]}\s*[,)]|"
            rf"\[.*\bfor\b.*\bin\s+{loop[1]}\s*\])"
        )
        for each in _indented(code[at + 1 :], one.indent):
            if (found := takes.match(each.text)) is not None:
                name = "set" if found[2] == "set" else "list"
                yield replace(_at_once(each, found[1], name), over=loop[1], lives="call")
                break


def _is_of_file(over: str, above: Sequence[_Line]) -> bool:
    """Whether a loop goes over a file that the program opens by itself."""
    if _FILE.search(over):
        return True
    for one in above[-_MOST_ABOVE:]:
        opened = _OPENED.match(one.text)
        if opened is not None and (opened[2] or opened[3]) == over:
            return True
    return False


def _is_asked(name: str, below: Sequence[_Line]) -> bool:
    """Whether each use of a table in the lines below asks whether something is in it."""
    found = [
        (one.text[: each.start()], one.text[each.end() :])
        for one in below
        for each in re.finditer(rf"(?<![\w.]){name}\b", one.text)
    ]
    return bool(found) and all(
        re.search(r"\bin\s+$", before)
        and not re.search(r"\bfor\s+\(?\w+(?:\s*,\s*\w+)*\)?\s+in\s+$", before)
        and not re.match(r"\s*[\[.(]", after)
        for before, after in found
    )


def _lines(lines: Sequence[tuple[int, str]]) -> Iterator[_Line]:
    for number, line in lines:
        marked = _OWN_LINE.search(line)
        own = int(marked[1]) if marked is not None else None
        numbered = _NUMBERED.match(line)
        if numbered is not None:
            line, own = line[numbered.end() :], int(numbered[1])
        text = _COMMENT.sub("", line).rstrip().expandtabs()
        if text:
            indent = len(text) - len(text.lstrip())
            yield _Line(number, indent, text, own)


def _indented(code: Sequence[_Line], indent: int) -> Iterator[_Line]:
    for one in code:
        if one.indent <= indent:
            return
        yield one


_MOST_ABOVE: Final = 60


def _made_before(code: Sequence[_Line], indent: int) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    for one in code[-_MOST_ABOVE:]:
        made = _MADE.match(one.text)
        if made is not None and one.indent <= indent:
            found[made[2]] = _NAMES.get(made[3] or "", (made[4] or "").rpartition(".")[2])
    yield from found.items()


def _kept(name: str, type_name: str, over: str, body: Sequence[_Line]) -> KeptInCode | None:
    adds = re.compile(
        rf"(?<![\w.])(?:self\.)?{name}(?:\[.*?\])?(?:\.(?:append|add|update|setdefault|extend|appendleft|"
        rf"insert|write)\(.*|\s*(?:\+=|=(?!=))\s*\S.*)"
    )
    bare = rf"^\s*(?:self\.)?{name}\s*=(?!=)\s*"
    takes = rf"\bdel\s+{name}\b|(?<![\w.]){name}\.(?:pop\w*|remove|discard|clear)\("
    fill, emptied = None, False
    conditions: list[tuple[int, str]] = []
    for one in body:
        conditions = [each for each in conditions if each[0] < one.indent]
        head = _HEAD.match(one.text)
        if head is not None:
            if re.search(rf"\blen\(\s*{name}\s*\)", head[1]):
                return None  # its size is bounded
            conditions.append((one.indent, head[1]))
        if re.search(takes, one.text) or re.match(rf"{bare}(?!{name}\b)\S", one.text):
            if not any(_KEY.search(each) for _, each in conditions):
                return None
            emptied = True
            continue
        found = adds.search(one.text)
        is_number = type_name == "str" and not re.search(r"\+=|\+", one.text)
        if found is not None and fill is None and not is_number:
            fill = one, found[0]
        elif fill is not None and re.search(
            rf"(?<![\w.])(?!len|sorted|print)\w+\({name}\)", one.text
        ):
            return None  # handed to a function, which may empty it
    if fill is None:
        return None
    line, call = fill
    shown = " ".join(call.split())
    return KeptInCode(
        name=name,
        type_name=type_name,
        adds=shown if len(shown) <= _LONGEST_CALL else f"{shown[: _LONGEST_CALL - 3]}...",
        over=over,
        method=None,
        lives="call" if emptied else "task",
        line=line.number,
        own_line=line.own,
        language="python",
    )
