"""Every message with a next step, read from the code that raises it.

Complete by construction: each call in the package of a class of ``mprof.errors``, or of one derived
from it, is a message, and so is what ``mprof.cli.main`` prints by itself.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof import errors

__all__ = ["Message", "messages_of"]

_NOT_A_USERS: Final = frozenset({"MprofError", "RuleError"})
_MOST_VARIANTS: Final = 6
"""Of one message: alternatives of its parts, multiplied; beyond that a part is left open."""

_DEEPEST: Final = 3
"""Of names that stand for names: a variable may be made from itself."""


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


def messages_of(package: Path) -> list[Message]:
    """All messages of the package, sorted.

    Args:
        package: the folder ``mprof``.
    """
    modules = {
        file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(package.rglob("*.py"))
    }
    nodes = {file: tuple(ast.walk(module)) for file, module in modules.items()}
    codes = _exit_codes(itertools.chain.from_iterable(nodes.values()))
    found = set()
    assigned = {
        _full_name(file, package): dict(_assigned(module.body)) for file, module in modules.items()
    }
    for file, module in modules.items():
        said_here = [(node, said) for node in nodes[file] if (said := _said(node, codes))]
        if not said_here:
            continue
        names_here = {**_imported(module, assigned), **assigned[_full_name(file, package)]}
        part = file.relative_to(package).parts[0].removesuffix(".py")
        around = _functions(module)
        for call, (code, what, step) in said_here:
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


def _exit_codes(nodes: Iterable[ast.AST]) -> dict[str, int]:
    """The exit code of each class of error, with those that modules derive for themselves."""
    codes = {
        name: value.exit_code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.MprofError)
    }
    derived = {
        node.name: _name(node.bases[0])
        for node in nodes
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
