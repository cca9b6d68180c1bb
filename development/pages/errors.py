"""The page of errors: every message with a next step, read from the code that raises it.

Complete by construction: each call in the package of a class of ``mprof.errors``, or of one derived
from it, is a row, and so is each message that ``mprof.cli.main`` prints by itself.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof import errors

__all__ = ["Message", "errors_page", "messages_of"]

_NOT_A_USERS: Final = frozenset({"MprofError", "RuleError"})
_MOST_VARIANTS: Final = 6
"""Of one message: alternatives of its parts, multiplied; beyond that a part is left open."""

_DEEPEST: Final = 3
"""Of names that stand for names: a variable may be made from itself."""

_INTRODUCTION: Final = """\
# Errors that end a command

Made by `make docs`; do not edit.

Where mprof cannot go on it prints one line that says what is wrong, and one with the next step:

```text
mprof: my-capture is not a capture folder: it has no capture.json
next step: name a folder that mprof run or mprof rerun wrote
```

This page has all of these lines, by the exit code of the command and the part of mprof that \
meets the error.
`<...>` stands for what is filled in.
To find a message, search the page for words of it that are no names of yours.
"""
_CODES: Final[Mapping[int, tuple[str, str]]] = {
    2: ("Wrong usage", "The command line is wrong, or the output could not be written."),
    3: ("Evidence", "What was to be read is missing, damaged or of the wrong kind."),
    4: ("Cluster", "The cluster or the job could not be run."),
    6: ("Expectation", "The result of a case, or of a verification, is not the expected one."),
    70: ("Internal error", "A fault of mprof: report it, with the file that the message names."),
}
_PARTS: Final[Mapping[str, str]] = {
    "advice": "Advice", "api": "Python API", "catalogue": "Cases", "cli": "Command line",
    "engines": "Profiles of engines", "evidence": "Evidence", "hadoop": "Hadoop and its cluster",
    "heap": "Heap dumps", "hprof": "Heap dumps", "history": "Job histories and configurations",
    "intake": "What is left of a job", "io": "Files", "lazy_imports": "Extras",
    "metrics": "Metrics of a node", "peers": "Nodes", "pieces": "Pieces and Spark",
    "plan": "Probe plans", "report": "Reports",
    "runs": "Runs and captures", "sources": "Imports", "store": "Store", "trace": "Logs of tasks",
    "triage": "Triage", "views": "Views",
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """An error as its call is written.

    Attributes:
        exit_code: of the command that it ends.
        part: the package of mprof that raises it.
        what: what is wrong, with ``<name>`` for what is filled in.
        next_step: likewise.
    """

    exit_code: int
    part: str
    what: str
    next_step: str


def errors_page(package: Path) -> str:
    """The Markdown page.

    Args:
        package: the folder ``mprof``.
    """
    found = messages_of(package)
    lines = [_INTRODUCTION]
    for code, (title, meaning) in _CODES.items():
        lines += [f"## {code}: {title}", "", meaning, ""]
        of_code = [one for one in found if one.exit_code == code]
        by_title = sorted({_PARTS.get(one.part, one.part) for one in of_code})
        for part in by_title:
            rows = dict.fromkeys(
                f"| {_cell(one.what)} | {_cell(one.next_step)} |"
                for one in of_code
                if _PARTS.get(one.part, one.part) == part
            )
            lines += [f"### {part} ({code})", "", "| message | next step |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def messages_of(package: Path) -> list[Message]:
    """All messages of the package, in the order of the page."""
    modules = {
        file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(package.rglob("*.py"))
    }
    codes = _exit_codes(modules.values())
    found = set()
    assigned = {
        _full_name(file, package): dict(_assigned(module.body)) for file, module in modules.items()
    }
    for file, module in modules.items():
        names_here = {**_imported(module, assigned), **assigned[_full_name(file, package)]}
        part = file.relative_to(package).parts[0].removesuffix(".py")
        around = _functions(module)
        for call in ast.walk(module):
            said = _said(call, codes)
            if said is not None:
                code, what, step = said
                names = names_here | dict(_assigned(around.get(call, ())))
                pairs = itertools.product(_texts(what, names), _texts(step, names))
                found |= {Message(code, part, *pair) for pair in pairs if all(pair)}
    return sorted(found)


def _said(call: ast.AST, codes: Mapping[str, int]) -> tuple[int, ast.expr, ast.expr] | None:
    """Exit code, message and next step of an error that is made, or that is printed at once."""
    match call:
        case ast.Call(func=ast.Name(id="_fail"), args=[what, step, code]):
            if isinstance(code, ast.Attribute):
                number = codes.get(_name(code.value))
            else:
                number = getattr(errors, _name(code), None)
            return None if number is None else (number, what, step)
        case ast.Call(func=ast.Name(id=name), args=[what, *_]) if name in codes:
            steps = [each.value for each in call.keywords if each.arg == "next_step"]
            return (codes[name], what, steps[0]) if steps else None
        case _:
            return None


def _exit_codes(modules: Iterable[ast.Module]) -> dict[str, int]:
    """The exit code of each class of error, with those that modules derive for themselves."""
    codes = {
        name: value.exit_code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.MprofError)
    }
    derived = {
        node.name: _name(node.bases[0])
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef) and node.bases
    }
    while new := [name for name in derived if derived[name] in codes and name not in codes]:
        codes |= {name: codes[derived[name]] for name in new}
    return {name: code for name, code in codes.items() if name not in _NOT_A_USERS}


def _functions(module: ast.Module) -> dict[ast.AST, tuple[ast.AST, ...]]:
    """What stands in the innermost function around each node."""
    around: dict[ast.AST, tuple[ast.AST, ...]] = {}
    for function in ast.walk(module):  # the innermost comes last
        if isinstance(function, ast.FunctionDef):
            inside = tuple(ast.walk(function))
            around |= dict.fromkeys(inside, inside)
    return around


def _full_name(file: Path, package: Path) -> str:
    return ".".join(file.relative_to(package.parent).with_suffix("").parts)


def _imported(
    module: ast.Module, assigned: Mapping[str, Mapping[str, ast.expr]]
) -> dict[str, ast.expr]:
    """The texts that a module takes from others of the package, by the names that it has here."""
    froms = (node for node in module.body if isinstance(node, ast.ImportFrom))
    texts = ((node, assigned.get(node.module or "", {})) for node in froms)
    return {
        alias.asname or alias.name: there[alias.name]
        for node, there in texts
        for alias in node.names
        if alias.name in there and not alias.name.startswith("__")
    }


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        else:
            continue
        if isinstance(target, ast.Name):
            yield target.id, value


def _texts(value: ast.expr, names: Mapping[str, ast.expr], depth: int = 0) -> list[str]:
    """What a text may be, with ``<name>`` where it is known only when the program runs."""
    match value:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts) | ast.FormattedValue(value=ast.JoinedStr(values=parts)):
            return _joined([_texts(each, names, depth) for each in parts])
        case ast.FormattedValue(value=inner):
            return _texts(inner, names, depth) if _is_text(inner, names) else [_open(inner)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([_texts(left, names, depth), _texts(right, names, depth)])
        case ast.IfExp(body=body, orelse=orelse):
            return [*_texts(body, names, depth), *_texts(orelse, names, depth)]
        case ast.Name(id=name) if name in names and depth < _DEEPEST:
            return _texts(names[name], names, depth + 1)
        case ast.Call(func=ast.Attribute(value=base, attr="format")):
            return [text.replace("{}", "<...>") for text in _texts(base, names, depth)]
        case _:
            return [_open(value)]


def _is_text(value: ast.expr, names: Mapping[str, ast.expr]) -> bool:
    """Whether it is text that is chosen in the code, and no value of the user's."""
    if isinstance(value, ast.Name):
        value = names.get(value.id, value)
    if isinstance(value, ast.IfExp):
        return _is_text(value.body, names) and _is_text(value.orelse, names)
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )


def _joined(parts: list[list[str]]) -> list[str]:
    variants = 1
    for index, part in enumerate(parts):
        variants *= len(part)
        if variants > _MOST_VARIANTS:
            variants //= len(part)
            parts[index] = ["<...>"]
    return ["".join(each) for each in itertools.product(*parts)]


def _open(value: ast.expr) -> str:
    """What stands for a value: the name under which the code has it."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return f"<{name.strip('_').replace('_', ' ')}>"
        case ast.Subscript(value=inner) | ast.Call(args=[inner, *_]):
            return _open(inner)
        case ast.FormattedValue(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
            return _open(inner)
        case _:
            return "<...>"


def _name(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else ""


def _cell(text: str) -> str:
    """A text in a table: nothing in it is Markdown or HTML."""
    return re.sub(r"[\\`*_|]", r"\\\g<0>", text).replace("<", "&lt;")
