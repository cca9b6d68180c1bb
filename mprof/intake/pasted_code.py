"""What code that somebody pasted beside an end keeps: collections that it fills, and where.

People show the few lines that they suspect, seldom a whole class. What is read is what those lines
say by themselves: which collection or text they make, whether as a field or inside a method, in
which loop they add to it, and whether they take anything out again. Whatever may bound it (its size
is compared, something is removed, it is handed to another method inside the loop) makes it none.

Java is read by its braces, and Python (of Streaming) by its indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from mprof.code_site import KeptInCode
from mprof.intake.pasted_python import kept_in_python

__all__ = ["kept_in_code"]

_QUOTED: Final = re.compile(r"^(?:\s*>+ ?)+")
_NO_CODE: Final = re.compile(
    r"\s+at [\w.$<>/]+\(|\s*\[?\d{2,4}[-/]\d\d[-/ ]|\s*\.\.\. \d+ more|\s*Caused by"
)
_CONTROL: Final = r"(?:for|while|if|else|do|try|catch|finally|switch|synchronized|return|throw)"
# a line of Java, its comment and its strings taken out
_JAVA: Final = re.compile(
    r"\s*(?:.*[;{}]\s*(?:\.{3})?|"
    r"(?:\}\s*)?(?:for|while|if|else if|switch|catch|synchronized)\s*\(.*|"
    r"(?:\}\s*)?(?:else|do|try|finally)\s*|@\w+(?:\(.*\))?\s*|"
    r"(?:\.{3}|\[(?:\.{2,3}|snip|cut)\])\s*|"
    r"(?:public|protected|private|static|final)\b.*[),]\s*|\.\w+\(.*|"
    r"[\w.<>\[\], ?]+\s\w+\s*=\s*[\w.]+\(.*\))$"  # which goes on with the next call
)
_BEGINS: Final = re.compile(
    r"\s*(?:[\w.<>\[\],? ]+=\s*|[\w.]+\(|return\b|(?:public|protected|private)\b)"
)
_IS_CODE: Final = re.compile(r"\bnew [A-Z]\w*|\.(?:add|put|append)\w*\(|\{\s*$")
_COMMENT: Final = re.compile(r"//.*$|/\*.*?\*/|^\s*\*.*$|/\*.*$")
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.){1,2}'")
_NUMBERED: Final = re.compile(r"^\s*(\d{1,5})(?:[:|)]\s?|\t|\s{1,4})(?=\s*[\w}@/(])")
_ONLY_NUMBERED: Final = re.compile(r"^\s*\d{1,5}[:|)]?\s*$")
# a number in a comment, which says where the line stands in its file
_OWN_LINE: Final = re.compile(
    r"//[\s<=*!-]*(?:(?:this is |here: )?(?i:line|l\.|zeile)\s*:?\s*(\d{1,5})\b|(\d{1,5})[\s<-]*$)|"
    r"//.*\b[A-Z]\w*\.java:(\d{1,5})\b"
)
_GROWS: Final = (
    r"(?:\w*(?:List|Set|Map|Deque|Queue|Stack|Vector|Hashtable|Multimap|Multiset|Table)|"
    r"StringBuilder|StringBuffer|StringWriter|ByteArrayOutputStream|DataOutputBuffer|"
    r"(?:Sorted)?MapWritable|(?:JSON|Json)(?:Array|Object)|ArrayNode|ObjectNode)"
)
_BOUNDED: Final = re.compile(
    r"(?i)lru|evicting|circular|blocking|bounded|weak|soft|^bit|^enum|cache"
)
_MODIFIERS: Final = (
    r"(?P<mods>(?:(?:private|public|protected|static|final|transient|volatile)\s+)*)"
)
_OF_A_CLASS: Final = re.compile(r"private|protected|public|static")
_GENERIC: Final = r"(?:<[^;=(){}]*>)?"
_MADE: Final = (
    rf"(?:new\s+(?:[\w]+\.)*(?P<made>{_GROWS})\s*(?P<args>{_GENERIC})\s*[(\[{{]|"
    r"(?:Lists|Maps|Sets)\.new(?P<guava>[A-Z]\w+?)(?:WithExpectedSize|WithCapacity)?\s*\(|"
    r"(?P<create>\w*(?:Multimap|Multiset|BasedTable))\.create\()"
)
_DECLARED: Final = re.compile(
    rf"^\s*{_MODIFIERS}(?P<type>(?:[\w]+\.)*[A-Z]\w*|var)\s*(?P<of>{_GENERIC})\s+(?P<name>[A-Za-z_]\w*)\s*"
    rf"(?:=\s*(?P<value>.*))?$",
    re.DOTALL,
)
_ASSIGNED: Final = re.compile(rf"^\s*(?:this\.)?(?P<name>[A-Za-z_]\w*)\s*=\s*{_MADE}", re.DOTALL)
_IN_COMMENT: Final = re.compile(rf"//\s*(?:[A-Z][\w<>, ]*\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*{_MADE}")
_ADDS: Final = (
    r"(?:add|addAll|addLast|addFirst|addElement|push|offer|offerLast|put|putAll|putIfAbsent|"
    r"computeIfAbsent|merge|append|write|insert|compute|set(?=\(\w+, new ))"
)
_CLASS: Final = re.compile(r"\b(?:class|interface|enum)\s+(\w+)")
_METHOD: Final = re.compile(
    rf"(?:^|[\s>\]])(?!{_CONTROL}\b)(?P<name>[a-zA-Z_]\w*)\s*\((?P<params>[^{{}};]*)\)\s*"
    r"(?:throws\s+[\w.,\s]+|\.{3}|\s)*$",
    re.DOTALL,
)
_HEAD: Final = re.compile(
    r"^\s*(?:else\s+)?(for|while|if|switch|catch|synchronized)\s*\(|^\s*(else|do|try|finally)\b"
)
_VALUES: Final = re.compile(r"\b(?:Iterable|Iterator)\s*<[^>]*>\s+(\w+)")
_USUAL_VALUES: Final = re.compile(
    r"^(?:values?|vals?|valueIter|iter|it|valuesIt|iterable|records)$"
)
_TOOK_OUT: Final = r"(?:remove\w*|poll\w*|pop\w*|take\w*|drainTo|retainAll)"
_EMPTIES: Final = r"(?:clear|reset|setLength|delete|setSize)"
_ENDS: Final = frozenset({"cleanup", "close"})
_STARTS: Final = frozenset({"setup", "configure", "open", "initialize", "init"})
_HINT: Final = re.compile(r"(?i)\b(?P<side>map|reduc)(?:per|er|e)?(?:\s?\(\))?(?:'s|s)?\b")
_MOST_LINES: Final = 2_000
_MOST_KEPT: Final = 3
_LONGEST_CALL: Final = 60
_MOST_OPEN: Final = 6


@dataclass(slots=True, eq=False)
class _Scope:
    """What braces enclose, or what a loop or a condition without them is about."""

    kind: str  # text, class, method, loop, branch, other
    name: str = ""
    over: str = ""
    head: str = ""
    values: str | None = None
    parent: _Scope | None = None

    def chain(self) -> Iterator[_Scope]:
        """From this one outwards."""
        one: _Scope | None = self
        while one is not None:
            yield one
            one = one.parent

    def method(self) -> _Scope | None:
        """The method around it."""
        return next((one for one in self.chain() if one.kind == "method"), None)


@dataclass(slots=True, eq=False)
class _Named:
    """A collection that is declared: where, and as what."""

    name: str
    type_name: str
    scope: _Scope
    is_field: bool
    at: int


@dataclass(slots=True, eq=False)
class _Touch:
    """A statement, the scope that it is in, and where it stands."""

    text: str
    scope: _Scope
    at: int
    line: int


@dataclass(slots=True)
class _Block:
    """Lines of code that follow one another."""

    lines: list[tuple[int, str]] = field(default_factory=list)  # without comments
    own: dict[int, int] = field(default_factory=dict)
    comments: str = ""
    side: str | None = None
    root: _Scope = field(default_factory=lambda: _Scope("text"))
    statements: list[_Touch] = field(default_factory=list)
    heads: list[_Touch] = field(default_factory=list)


def kept_in_code(lines: Iterable[tuple[int, str]]) -> tuple[KeptInCode, ...]:
    """What the code in a text keeps, in the order of its lines.

    Args:
        lines: each with its number, in order.

    >>> code = ["Set<Long> seen = new HashSet<>();", "for (Text v : values) seen.add(id(v));"]
    >>> [(one.name, one.type_name, one.over) for one in kept_in_code(enumerate(code, 1))]
    [('seen', 'HashSet<Long>', 'values')]
    """
    numbered = [(number, _QUOTED.sub("", line)) for number, line in lines][:_MOST_LINES]
    if not any(map(_MAY.search, (line for _, line in numbered))):
        return ()
    blocks = [*_blocks(numbered)]
    for block in blocks:
        _read(block)
    named = [one for block in blocks for one in _declared(block)]
    kept = [one for block in blocks for one in (*_kept(block, named), *_pools(block))]
    kept += kept_in_python(numbered)
    return tuple(sorted(kept, key=lambda one: one.line))[:_MOST_KEPT]


# whose threads wait for more work until they are told to end
_POOL: Final = re.compile(
    r"^(?:final\s+)?(?:(?P<type>[A-Z]\w*)(?:<[^;=]*>)?\s+)?(?P<name>[a-z_]\w*)\s*=\s*"
    r"(?P<made>(?:Executors\.new(?:Fixed|Scheduled)ThreadPool|new\s+(?:Scheduled)?ThreadPoolExecutor)"
    r"\(\s*(?P<threads>\d{1,5})?\b.*\))$",
    re.DOTALL,
)
_OF_EACH: Final = frozenset({"map", "reduce"})


def _pools(block: _Block) -> Iterator[KeptInCode]:
    """Pools of threads that each call of map() or reduce() makes, and that nothing ends."""
    for one in block.statements:
        found, method = _POOL.match(one.text), one.scope.method()
        if found is None or method is None or method.name not in _OF_EACH:
            continue
        inside = [*one.scope.chain()]
        if any(each.kind == "branch" for each in inside[: inside.index(method)]):
            continue  # made once, perhaps
        ends = re.compile(
            rf"\b{found['name']}\.(?:shutdown\w*|close|cancel|stop)\(|\breturn\s+{found['name']}\b|"
            rf"\(\s*(?:[^()]*,\s*)?{found['name']}\s*[,)]"
        )
        if any(ends.search(each.text) for each in (*block.statements, *block.heads)):
            continue
        call = " ".join(found["made"].split())
        yield KeptInCode(
            name=found["name"],
            type_name=found["type"] or "",
            adds=call if len(call) <= _LONGEST_CALL else f"{call[: call.index('(') + 1]}...)",
            over="",
            method=method.name,
            lives="call",
            line=one.line,
            own_line=block.own.get(one.line),
            marked=tuple(block.own.values()),
            covers=_covers(block),
            is_pool=True,
            threads=int(found["threads"]) if found["threads"] else None,
        )


_MAY: Final = re.compile(
    r"\bExecutors\.new|"
    r"\bnew [\w.]*[A-Z]\w*|(?:Lists|Sets|Maps)\.new|\.create\(|"
    r"StreamSupport\.|\.copyOf\(|Utils\.toList|sys\.stdin|Partitions\w*\(|groupby\(|applyInPandas\(|"
    r"=\s*(?:\{\}|\[\]|set\(\)|dict\(|defaultdict\()|\bString \w+ = \"\""
)


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[_Block]:
    block, above, open_ = _Block(), "", 0
    in_comment = False
    for number, line in lines:
        comment = " ".join(_COMMENT.findall(line))
        bare = _STRING.sub('""', line)
        own = _NUMBERED.match(bare)
        if block.lines and _ONLY_NUMBERED.match(bare):
            continue
        if own is not None:
            rest = _COMMENT.sub("", bare[own.end() :]).rstrip()
            own = own if _JAVA.match(rest) or not rest else None
        bare = bare[own.end() :] if own is not None else bare
        bare = _COMMENT.sub("", bare).rstrip()
        if in_comment:
            in_comment = "*/" not in line
            continue
        in_comment = "/*" in line and "*/" not in line
        is_code = not _NO_CODE.match(line) and (
            (bool(bare.strip()) and _JAVA.match(bare) is not None)
            or (bool(comment) and not bare.strip())
            or 0 < open_ <= _MOST_OPEN
        )
        if not is_code and bare.count("(") > bare.count(")") and _BEGINS.match(bare):
            is_code = _IS_CODE.search(bare) is not None or bare.lstrip().startswith(_OPENING)
        if not is_code:
            if line.strip():
                if block.lines:
                    yield block
                hint = _HINT.search(line)
                above = hint["side"] if hint is not None and len(line) < _LONGEST_HINT else ""
                block, open_ = _Block(side=_side(above)), 0
            continue
        unclosed = bare.count("(") - bare.count(")")
        open_ = open_ + 1 if (open_ and unclosed >= 0) or unclosed > 0 else 0
        block.lines.append((number, bare))
        block.comments += f"{comment}\n"
        marked = _OWN_LINE.search(line)
        if marked is not None:
            block.own[number] = int(next(filter(None, marked.groups())))
        elif own is not None:
            block.own[number] = int(own[1])
    if block.lines:
        yield block


_OPENING: Final = ("public", "protected", "private")
_LONGEST_HINT: Final = 100


def _side(hint: str) -> str | None:
    return {"map": "map", "reduc": "reduce"}.get(hint.lower())


def _read(block: _Block) -> None:
    """Take a block apart into statements and the scopes around them."""
    text = "\n".join(line for _, line in block.lines)
    numbers = [number for number, _ in block.lines]
    scope, depth, begin, row = block.root, 0, 0, 0
    for at, character in enumerate(text):
        if character == "\n":
            row += 1
            if (
                depth > 0
                and text[begin:at].rstrip().endswith((";", "{"))
                and "->" not in text[begin:at]
            ):
                depth = 0  # something was left out
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif character == ";":
            _statement(block, text[begin:at], scope, at, numbers[row])
            begin = at + 1
        elif character == "{":
            head = text[begin:at]
            opened = _opened(head, scope)
            if opened.kind == "other":
                _statement(block, f"{head}{{", scope, at, numbers[row])
            else:
                block.heads.append(_Touch(head, opened, at, numbers[row]))
            scope, begin = opened, at + 1
        elif character == "}":
            _statement(block, text[begin:at], scope, at, numbers[row])
            begin = at + 1
            scope = scope.parent or block.root
    _statement(block, text[begin:], scope, len(text), numbers[-1])


def _opened(head: str, scope: _Scope) -> _Scope:
    """The scope that a brace behind a head opens."""
    around, rest = _within_heads(head, scope)
    if around is not scope and not rest.strip():
        return around
    if (named := _CLASS.search(head)) is not None:
        return _Scope("class", named[1], parent=scope)
    method = _METHOD.search(head)
    if method is not None and not re.search(r"=|\bnew\b", head[: method.start("name")]):
        values = _VALUES.search(method["params"])
        return _Scope("method", method["name"], parent=scope, values=values[1] if values else None)
    return _Scope("other", parent=scope)


def _within_heads(statement: str, scope: _Scope) -> tuple[_Scope, str]:
    """The scope of what stands behind the loops and conditions at the start of a statement."""
    while (head := _HEAD.match(statement)) is not None:
        word = head[1] or head[2]
        end, inside = head.end(), ""
        if head[1]:
            end = _closing(statement, head.end() - 1)
            inside = statement[head.end() : max(head.end(), end - 1)]
        kind = "loop" if word in {"for", "while", "do"} else "branch"
        over = _goes_over(word, inside) if kind == "loop" else ""
        scope = _Scope(kind, over=over, head=inside, parent=scope)
        statement = statement[end:]
    return scope, statement


def _closing(text: str, at: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    return len(text)


def _goes_over(word: str, head: str) -> str:
    """What a loop goes over, as its head says."""
    if word == "for":
        each = re.match(r"\s*(?:final\s+)?[\w.<>\[\], ?]+\s+\w+\s*:\s*(.*)$", head, re.DOTALL)
        if each is not None:
            return each[1].strip()
    iterator = re.search(r"\b(\w+)\.(?:iterator\(\)|hasNext\(\))", head)
    return iterator[1] if iterator is not None else " ".join(head.split())


def _statement(block: _Block, text: str, scope: _Scope, at: int, line: int) -> None:
    if not text.strip():
        return
    inner, rest = _within_heads(text, scope)
    if inner is not scope:
        for one in inner.chain():
            if one is scope:
                break
            block.heads.append(_Touch(one.head, one, at, line))
    if rest.strip():
        block.statements.append(_Touch(rest.strip(), inner, at, line))


def _declared(block: _Block) -> Iterator[_Named]:
    for one in block.statements:
        found = _DECLARED.match(one.text)
        if found is not None:
            made = re.match(_MADE, found["value"] or "")
            is_text = found["type"] == "String" and re.match(
                r"\s*(?:\"\"|null)\s*$", found["value"] or ""
            )
            grown = re.fullmatch(_GROWS, found["type"].rpartition(".")[2])
            copied = _COPIES.match(found["value"] or "")
            if not (made or is_text or grown or copied):
                continue
            if found["value"] and not (made or is_text or copied):
                continue  # what a method or another collection gives
            type_name = "String" if is_text else _type_of(made, found["type"], found["of"])
            yield _Named(
                found["name"],
                type_name,
                one.scope,
                one.scope.kind == "class" or _OF_A_CLASS.search(found["mods"]) is not None,
                one.at,
            )
    for told in _IN_COMMENT.finditer(block.comments):
        type_name = _type_of(told, "", "")
        yield _Named(told["name"], type_name, _Scope("text"), is_field=True, at=-1)


# all that an iterable has, at once
_COPIES: Final = re.compile(
    r"(?:(?:Lists|Sets)\.new\w+|Immutable\w+\.copyOf|IteratorUtils\.toList|Iterables\.toArray)"
    r"\(\s*(?P<of>\w+)\b(?:\.iterator\(\))?\s*[,)]|"
    r"StreamSupport\.stream\(\s*(?P<stream>\w+)\.spliterator\(\).*\.collect\(",
    re.DOTALL,
)


def _type_of(made: re.Match[str] | None, declared: str, of: str) -> str:
    if made is None:
        return f"{declared}{of}"
    name = made["made"] or made["guava"] or made["create"]
    own = (made["args"] or "").strip()
    return f"{name}{own if own not in ('', '<>') else of}"


def _kept(block: _Block, named: Sequence[_Named]) -> Iterator[KeptInCode]:
    seen: set[str] = set()
    for one in block.statements:
        copied = _as_copied(one, block)
        if copied is not None:
            seen.add(copied.name)
            yield copied
        for name, call in _filled(one.text):
            if name in seen:
                continue
            declared = _declaration(name, one, named)
            if declared is None:
                continue
            kept = _as_kept(one, call, declared, block, named)
            if kept is not None:
                seen.add(name)
                yield kept


def _as_copied(one: _Touch, block: _Block) -> KeptInCode | None:
    """What one call makes of all values of a key."""
    found = _DECLARED.match(one.text)
    copies = _COPIES.match(found["value"] or "") if found is not None else None
    if found is None or copies is None:
        return None
    of, method = copies["of"] or copies["stream"], one.scope.method()
    values = method.values if method is not None else None
    if of != values if values else method is not None or not _USUAL_VALUES.match(of):
        return None
    call = " ".join((found["value"] or "").split())
    return KeptInCode(
        name=found["name"],
        type_name=f"{found['type']}{found['of']}",
        adds=call if len(call) <= _LONGEST_CALL else f"{call[: call.index('(') + 1]}...)",
        over=of,
        method=method.name if method is not None else None,
        lives="call",
        line=one.line,
        own_line=block.own.get(one.line),
        marked=tuple(block.own.values()),
        covers=_covers(block),
        is_of_values=True,
        is_sorted=_is_sorted(found["name"], block),
        is_counted=_is_counted(found["name"], block),
    )


def _covers(block: _Block) -> tuple[int, int] | None:
    """The lines of its source file that a block is, by the first of them that has a number."""
    if not block.own:
        return None
    at, own = next(iter(block.own.items()))
    return own - (at - block.lines[0][0]), own + block.lines[-1][0] - at


def _is_sorted(name: str, block: _Block) -> bool:
    sorts = re.compile(rf"\bsort\(\s*{name}\b|\b{name}\.sort\(")
    return any(sorts.search(one.text) for one in block.statements)


def _is_paired(name: str, block: _Block) -> bool:
    """Whether a loop through it stands within another one."""

    def goes_through(scope: _Scope) -> bool:
        by_size = re.search(rf"<=?\s*{name}\.(?:size|length)\(\)", scope.head)
        return scope.kind == "loop" and (scope.over == name or by_size is not None)

    scopes = {id(one): one for each in block.statements for one in each.scope.chain()}
    return any(
        goes_through(one) and one.parent is not None and any(map(goes_through, one.parent.chain()))
        for one in scopes.values()
    )


def _filled(statement: str) -> Iterator[tuple[str, str]]:
    """What a statement adds to, each with the call as it is written."""
    of_its_own = r"(?:\.(?:get|computeIfAbsent)\([^()]*(?:\([^()]*\))?[^()]*\))?"
    by_call = rf"(?<![\w.])(?:this\.)?(?P<name>[A-Za-z_]\w*){of_its_own}\.{_ADDS}\("
    for found in re.finditer(by_call, statement):
        end = _closing(statement, found.end() - 1)
        call = " ".join(statement[found.start() : end].split())
        if not call.endswith('("")'):  # what stands between the parts of a text
            yield found["name"], call
    longer = re.match(r"(?:this\.)?([A-Za-z_]\w*)\s*(?:\+=|=\s*\1\s*\+)\s*\S", statement)
    if longer is not None:
        yield longer[1], " ".join(statement.split())


def _declaration(name: str, fill: _Touch, named: Sequence[_Named]) -> _Named | None:
    """The nearest declaration around; else a field that is shown elsewhere."""
    same = [one for one in named if one.name == name]
    for scope in fill.scope.chain():
        own = [
            one
            for one in same
            if one.scope is scope and (one.at < fill.at or scope.kind == "class")
        ]
        if own:
            return own[-1]
    fields = [one for one in same if one.is_field]
    return fields[0] if len({one.type_name for one in fields}) == 1 else None


def _as_kept(
    fill: _Touch, call: str, declared: _Named, block: _Block, fields: Sequence[_Named]
) -> KeptInCode | None:
    name, type_name = declared.name, declared.type_name
    simple = type_name.partition("<")[0].rpartition(".")[2]
    is_text = simple == "String"
    if _BOUNDED.search(simple) or ("+" in call.partition("(")[0]) != is_text:
        return None
    if "removeEldestEntry" in "".join(line for _, line in block.lines):
        return None
    method = fill.scope.method()
    is_field = declared.is_field or (
        method is not None
        and declared.scope not in [*fill.scope.chain()][: _index(fill.scope, method)]
        and declared.scope is not method
    )
    inside = [*fill.scope.chain()]
    end = len(inside) if is_field or declared.scope not in inside else inside.index(declared.scope)
    end = min(end, _index(fill.scope, method)) if method is not None else end
    loops = [one for one in inside[:end] if one.kind == "loop"]
    over = loops[-1].over if loops else ""
    if not loops and (
        stream := re.match(r"(\w+)\.(?:iterator\(\)\.)?forEach(?:Remaining)?\s*\(", fill.text)
    ):
        over = stream[1]
    is_anywhere = method is None and not block.own  # and nothing tells of which method it is
    if not over and (
        not is_field or is_anywhere or (method is not None and method.name in _STARTS | _ENDS)
    ):
        return None
    around = loops[-1] if loops else method
    over = _iterated(over, block)
    lives = _life(name, fill, around, block, is_field=is_field, method=method)
    if lives is None or (lives == "call" and not over):
        return None
    told = method.name if method is not None else None
    values = method.values if method is not None else None
    is_values = over == values if values else bool(_USUAL_VALUES.match(over)) and method is None
    shown = call if len(call) <= _LONGEST_CALL else f"{call[: call.index('(') + 1]}...)"
    return KeptInCode(
        name=name,
        type_name=type_name,
        adds=shown,
        over=over,
        method=told or (block.side if not is_values else None),
        lives="outside" if declared.at < 0 and lives == "task" else lives,
        line=fill.line,
        own_line=block.own.get(fill.line),
        marked=tuple(block.own.values()),
        covers=_covers(block),
        is_of_values=is_values,
        is_of_bag=told == "exec" and bool(over) and _is_bag(over, block),
        is_sorted=_is_sorted(name, block),
        is_counted=_is_counted(name, block),
        is_paired=_is_paired(name, block),
        in_cleanup=any(
            re.search(rf"\b{name}\b", one.text)
            and (of := one.scope.method()) is not None
            and of.name in _ENDS
            for one in (*block.statements, *block.heads)
        ),
        emptied=tuple(_emptied_at_once(method, name, fields, block)),
    )


def _is_bag(name: str, block: _Block) -> bool:
    """Whether a variable is declared as a bag of Pig."""
    declared = re.compile(rf"(?:final\s+)?DataBag\s+{re.escape(name)}\b")
    return any(declared.match(one.text) for one in block.statements)


def _emptied_at_once(
    method: _Scope | None, name: str, fields: Sequence[_Named], block: _Block
) -> Iterator[str]:
    """Other fields that a method empties before it does anything else with them."""
    if method is None:
        return
    inside = [one for one in block.statements if method in [*one.scope.chain()]]
    others = dict.fromkeys(one.name for one in fields if one.is_field and one.name != name)
    for other in others:
        uses = re.compile(rf"\b{other}\b")
        used = next((one for one in inside if uses.search(one.text)), None)
        if (
            used is not None
            and used.scope is method
            and re.match(rf"(?:this\.)?{other}\.clear\(\s*\)", used.text)
            and not any(
                method in [*one.scope.chain()] and one.at < used.at and uses.search(one.text)
                for one in block.heads
            )
        ):
            yield other


def _iterated(over: str, block: _Block) -> str:
    """What an iterator goes through that another line has made of it."""
    made = re.compile(rf"\b{re.escape(over)}\s*=\s*(\w+)\.iterator\(\)\s*$")
    found = (made.search(one.text) for one in block.statements) if over else ()
    return next((one[1] for one in found if one is not None), over)


def _index(scope: _Scope, wanted: _Scope | None) -> int:
    return next((at for at, one in enumerate(scope.chain()) if one is wanted), 1 << 30)


def _life(
    name: str,
    fill: _Touch,
    around: _Scope | None,
    block: _Block,
    *,
    is_field: bool,
    method: _Scope | None,
) -> Literal["call", "task"] | None:
    """For how long it keeps what is added; None where something may bound it."""
    emptied = False
    for one in block.statements:
        if one is fill and re.search(rf"\b{name}\.{_TOOK_OUT}\(", one.text) is None:
            continue
        if re.search(rf"\b{name}\.(?:\w+\([^()]*\)\.)?{_TOOK_OUT}\(", one.text) or re.search(
            rf"\b{name}\.(?:iterator|subList|entrySet\(\)\.iterator|keySet\(\)\.iterator)\(",
            one.text,
        ):
            return None
        empties = re.search(rf"\b{name}\.{_EMPTIES}\(", one.text) or re.match(
            rf"(?:this\.)?{name}\s*=(?!=)\s*(?!{name}\b)", one.text
        )
        is_inside = around is not None and around in [*one.scope.chain()]
        hands_over = re.search(
            rf"(?<![\w.])([a-z]\w*(?:\.\w+)?)\((?:[^()]*,\s*)?{name}\s*[,)]", one.text
        )
        if (
            hands_over
            and is_inside
            and around is not None
            and around.kind == "loop"
            and not re.search(r"sort$|write$", hands_over[1])
        ):
            return None
        if not empties:
            continue
        of = one.scope.method()
        if is_inside or (of is not None and of is not method and of.name not in _STARTS | _ENDS):
            return None
        is_made_once = method is not None and method.name in _STARTS
        emptied = emptied or (of is method and not is_made_once)
    if around is not None and around.kind == "loop" and _may_end_early(around, block):
        return None
    size = rf"\b{name}\.(?:size|length)\(\)"
    compared = rf"{size}\s*(?:[<>!=]=|[<>%])(?!\s*0\b)|(?<!\b0)(?<=[\w)])\s*[<>]=?\s*{size}"
    for one in (*block.heads, *block.statements):
        if around not in [*one.scope.chain()] or re.search(compared, one.text) is None:
            continue
        if not _only_tells(one, fill, block):
            return None
    return "call" if emptied or not is_field else "task"


# what logs or counts, and leaves every collection as it is
_TELLS: Final = re.compile(
    r"(?:\w*(?i:log|logger)\.(?:trace|debug|info|warn|error|fatal)\(|System\.(?:out|err)\.print|"
    r"\w+\.(?:progress|setStatus|incrCounter|increment)\(|\w+\.getCounter\([^()]*\)\.increment\()"
)


def _only_tells(head: _Touch, fill: _Touch, block: _Block) -> bool:
    """Whether a condition decides over nothing but what is logged or counted."""
    if head.scope.kind != "branch" or head not in block.heads:
        return False
    body = [one.text for one in block.statements if head.scope in [*one.scope.chain()]]
    is_above = head.at < fill.at
    if is_above and any(one.kind == "branch" and not one.head for one in fill.scope.chain()):
        return False  # what fills it may be the other branch
    return bool(body) and all(map(_TELLS.match, body))


def _may_end_early(loop: _Scope, block: _Block) -> bool:
    """Whether a loop is left before its end, for another reason than that nothing is left."""
    leaves = (one for one in block.statements if re.match(r"(?:break|return)\b", one.text))
    for one in leaves:
        inside = [*one.scope.chain()]
        if loop not in inside:
            continue
        heads = [each.head for each in inside[: inside.index(loop)] if each.kind == "branch"]
        if not any("null" in head for head in heads):
            return True
    return False


def _is_counted(name: str, block: _Block) -> bool:
    """Whether all that the code asks of it is how many there are."""
    uses = [
        one.text[found.end() :]
        for one in (*block.statements, *block.heads)
        for found in re.finditer(rf"(?<![\w.]){name}\b", one.text)
    ]
    asked = [one for one in uses if not re.match(rf"\s*(?:=|\.{_ADDS}\(|\.{_EMPTIES}\()", one)]
    return bool(asked) and all(re.match(r"\s*\.size\(\)", one) for one in asked)
