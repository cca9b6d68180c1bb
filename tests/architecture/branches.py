"""On how much code does a verdict hang? ``python -m tests.architecture.branches [--at REVISION]``.

Of each rule it counts the functions and classes that its verdict is made by:

* the steps in its ``asks``, and the functions in its rows of the table of deferences;
* what finds each pattern that these take, by the name of the parameter: what `find_patterns` calls
  for the field of that name, and for the variables that go into it;
* every function and class of ``mprof.patterns`` and ``mprof.rules`` that is named in one of them,
  and so on. Names are followed through imports, and through constants and tables.

*Lines* are those with code: not blank, no comment, no docstring. *Branches*: ``if`` and ``elif``,
``for``, ``while``, each ``and`` and ``or``, a ternary, each condition of a comprehension, each case
of a ``match``. Not counted: ``else``, the loop of a comprehension, ``except``, ``assert``.

It counts too much: a class counts with all of its methods, a name in an annotation as a use, and a
local variable as the function whose name it bears. It counts too little: the facts
(``mprof.evidence`` and below), the engine (the same for all), constants (followed, not counted),
and the verdicts of the rules to which one defers, which are counted with those.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

__all__ = [
    "Count",
    "Source",
    "branches_in",
    "code_lines_in",
    "count_rules",
    "reached_by",
    "table_of",
]

ROOT: Final = Path(__file__).resolve().parents[2]
COUNTED: Final = ("mprof.patterns", "mprof.rules")
CAUSES: Final = "mprof.rules.causes"
PATTERNS: Final = "mprof.patterns.find"
DEFERENCES: Final = "mprof.rules.deference"

Name = tuple[str, str]
"""A module, and a name at its top level."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Count:
    """Of one rule, or of all: files with something that was counted, code lines, branches."""

    name: str
    files: int
    lines: int
    branches: int


@dataclass(frozen=True)
class Module:
    """One file: what stands at its top level."""

    tree: ast.Module
    text: str

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Functions and classes by name."""
        return {one.name: one for one in self.tree.body if isinstance(one, _DEFINITIONS)}

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """Constants and tables by name."""
        found: dict[str, ast.expr] = {}
        for one in self.tree.body:
            if isinstance(one, ast.Assign):
                names = [each.id for each in one.targets if isinstance(each, ast.Name)]
                found |= dict.fromkeys(names, one.value)
            elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.value:
                found[one.target.id] = one.value
        return found

    @cached_property
    def imports(self) -> dict[str, Name]:
        """What each imported name is called, and where; wherever the import stands."""
        return {
            alias.asname or alias.name: (one.module, alias.name)
            for one in ast.walk(self.tree)
            if isinstance(one, ast.ImportFrom) and one.module and not one.level
            for alias in one.names
        }


@dataclass(frozen=True)
class Source:
    """The files below a folder, read when they are asked for."""

    root: Path
    _read: dict[str, Module | None] = field(default_factory=dict)

    def module(self, name: str) -> Module | None:
        """The module of a full name, None where there is no such file."""
        if name not in self._read:
            path = self.root / name.replace(".", "/")
            files = (path.with_suffix(".py"), path / "__init__.py")
            text = next((one.read_text(encoding="utf-8") for one in files if one.is_file()), None)
            self._read[name] = None if text is None else Module(ast.parse(text), text)
        return self._read[name]

    def resolve(self, module: str, name: str) -> Name | None:
        """Where a name that a module uses is defined; None outside of what is counted."""
        seen: set[Name] = set()
        while module.startswith(COUNTED) and (module, name) not in seen:
            seen.add((module, name))
            found = self.module(module)
            if found is None:
                return None
            if name in found.definitions or name in found.values:
                return module, name
            if name not in found.imports:
                return None
            module, name = found.imports[name]
        return None

    def definition(self, name: Name) -> Definition | None:
        """The function or class of a name."""
        module = self.module(name[0])
        return None if module is None else module.definitions.get(name[1])

    def named_in(self, name: Name) -> set[Name]:
        """What a function, class or constant names."""
        module = self.module(name[0])
        if module is None:
            return set()
        node = module.definitions.get(name[1]) or module.values.get(name[1])
        return set() if node is None else self.names(name[0], node)

    def names(self, module: str, node: ast.AST) -> set[Name]:
        """What a piece of a module names."""
        found = (self.resolve(module, one) for one in _names(node))
        return {one for one in found if one is not None}


def count_rules(source: Source) -> list[Count]:
    """Of each rule, by the name of its file, and of all together."""
    folder = source.root / CAUSES.replace(".", "/")
    files = sorted(one.stem for one in folder.glob("*.py") if one.stem != "__init__")
    reached = {name: reached_by(source, name) for name in files}
    every = {one for names in reached.values() for one in names}
    return [_count(source, name, names) for name, names in {**reached, "all rules": every}.items()]


def reached_by(source: Source, rule: str) -> set[Name]:
    """The functions and classes that the verdict of a rule hangs on, by the name of its file."""
    return _closure(source, _first(source, f"{CAUSES}.{rule}"))


def _first(source: Source, module: str) -> set[Name]:
    """The steps of a rule, its rows of the table of deferences, and what finds what they take."""
    found = source.module(module)
    rule = found.values.get("RULE") if found is not None else None
    if not isinstance(rule, ast.Call):
        return set()
    given = {one.arg: one.value for one in rule.keywords if one.arg}
    steps = source.names(module, given["asks"])
    steps |= _deferring(source, ast.literal_eval(given["cause"]))
    steps = {one for one in steps if isinstance(source.definition(one), ast.FunctionDef)}
    taken = {name for step in steps for name in _parameters(source.definition(step))}
    return steps | {one for name in taken for one in _finding(source, name)}


def _deferring(source: Source, cause: str) -> set[Name]:
    """The functions in the rows of the table whose first cell is a cause."""
    module = source.module(DEFERENCES)
    if module is None or "DEFERENCES" not in module.values:
        return set()
    found: set[Name] = set()
    for row in ast.walk(module.values["DEFERENCES"]):
        if not (isinstance(row, ast.Call) and row.args):
            continue
        first = row.args[0]
        if isinstance(first, ast.Name):
            first = module.values.get(first.id, first)
        if isinstance(first, ast.Constant) and first.value == cause:
            found |= source.names(DEFERENCES, row)
    return found


def _finding(source: Source, field_name: str) -> set[Name]:
    """What `find_patterns` calls for a field of `Patterns`, and for what goes into it."""
    found = source.definition((PATTERNS, "find_patterns"))
    if found is None:
        return set()
    local: dict[str, ast.expr] = {}
    fields: dict[str, ast.expr] = {}
    for node in ast.walk(found):
        if isinstance(node, ast.Assign):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            local |= dict.fromkeys(names, node.value)
        elif isinstance(node, ast.Call) and _called(node) == "Patterns":
            fields |= {one.arg: one.value for one in node.keywords if one.arg}
    if field_name not in fields:
        return set()
    waiting, seen, called = [fields[field_name]], set[str](), set[Name]()
    while waiting:
        piece = waiting.pop()
        called |= source.names(PATTERNS, piece)
        for name in _names(piece) & local.keys() - seen:
            seen.add(name)
            waiting.append(local[name])
    return called


def _closure(source: Source, first: Iterable[Name]) -> set[Name]:
    """All functions and classes that are named from the first ones on."""
    waiting, seen = list(first), set[Name]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += source.named_in(name)
    return {one for one in seen if source.definition(one) is not None}


def _count(source: Source, name: str, names: set[Name]) -> Count:
    lines = branches = 0
    for one in names:
        node, module = source.definition(one), source.module(one[0])
        if node is not None and module is not None:
            lines += code_lines_in(node, module.text)
            branches += branches_in(node)
    return Count(name, len({module for module, _ in names}), lines, branches)


def branches_in(node: ast.AST) -> int:
    """How often the code of a piece may go one way or another."""
    return sum(_branches_of(one) for one in ast.walk(node))


def _branches_of(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return len(node.ifs)
    return int(isinstance(node, ast.If | ast.IfExp | ast.For | ast.AsyncFor | ast.While
                          | ast.match_case))  # fmt: skip


def code_lines_in(node: Definition, text: str) -> int:
    """Lines of a function or class that are not blank, no comment and no docstring."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    lines = set(range(first, (node.end_lineno or node.lineno) + 1))
    for one in ast.walk(node):
        body = getattr(one, "body", None)
        for each in body if isinstance(body, list) else ():
            # a string on its own: a docstring, or that of an attribute
            alone = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if alone and isinstance(each.value.value, str):
                lines -= set(range(each.lineno, (each.end_lineno or each.lineno) + 1))
    every = text.splitlines()
    return sum(1 for number in lines if every[number - 1].strip()[:1] not in ("", "#"))


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _parameters(node: Definition | None) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield from (one.arg for one in (*node.args.args, *node.args.kwonlyargs))


def _called(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None


def table_of(counts: Iterable[Count]) -> str:
    """The counts as a table in Markdown."""
    rows = [f"| {one.name} | {one.files} | {one.lines} | {one.branches} |" for one in counts]
    return "\n".join(["| rule | files | lines | branches |", "|---|--:|--:|--:|", *rows, ""])


def main() -> None:
    """Print the table of the checkout, or of a revision of it."""
    parser = argparse.ArgumentParser(description="Code on which the verdict of each rule hangs.")
    parser.add_argument("--at", metavar="REVISION", help="as it was there, instead of as it is")
    revision = parser.parse_args().at
    if revision is None:
        sys.stdout.write(table_of(count_rules(Source(ROOT))))
        return
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", revision, "mprof"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
        sys.stdout.write(table_of(count_rules(Source(Path(folder)))))


if __name__ == "__main__":
    main()
