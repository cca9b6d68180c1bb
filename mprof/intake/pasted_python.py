"""What a Python script of Streaming, pasted beside an end, keeps over its input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    for one in code:
        if (read := _READS_ALL.match(one.text)) is not None:
            yield KeptInCode(
                name=read[1],
                type_name="list" if "lines" in read[2] or read[2].startswith("list") else "str",
                adds=one.text.strip()[:_LONGEST_CALL],
                over="",
                method=None,
                lives="task",
                line=one.number,
                own_line=one.own,
                language="python",
            )
    for at, one in enumerate(code):
        loop = _LOOP.match(one.text)
        over = (loop[2] or loop[3]).strip() if loop is not None else ""
        if loop is None or not _INPUT.search(over):
            continue
        body = [*_indented(code[at + 1 :], one.indent)]
        for name, type_name in _made_before(code[:at], one.indent):
            kept = _kept(name, type_name, over, body)
            if kept is not None:
                yield kept


def _lines(lines: Sequence[tuple[int, str]]) -> Iterator[_Line]:
    for number, line in lines:
        marked = _OWN_LINE.search(line)
        text = _COMMENT.sub("", line).rstrip().expandtabs()
        if text:
            indent = len(text) - len(text.lstrip())
            yield _Line(number, indent, text, int(marked[1]) if marked else None)


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
