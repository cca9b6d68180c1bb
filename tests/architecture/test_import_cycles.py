"""No module needs itself: the imports of the package are free of circles."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOWER_HOUSE = ("mprof.kernels", "mprof.hprof", "mprof.heap", "mprof.units")

Graph = dict[str, set[str]]


def _modules(root: Path, package: str) -> dict[str, Path]:
    found = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imports(tree: ast.Module, modules: dict[str, Path], *, for_types: bool) -> set[str]:
    """What a module imports when it is imported itself; ``for_types``: what it imports anywhere."""
    at_import: list[ast.stmt] = []
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            pending += statement.body if for_types else []
            pending += statement.orelse
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            at_import.append(statement)
            for part in ("body", "orelse", "finalbody"):
                pending += getattr(statement, part, [])
    found = set()
    for statement in at_import:
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                submodule = f"{statement.module}.{alias.name}"
                found.add(submodule if submodule in modules else statement.module)
    return found & modules.keys()


def _graph(root: Path, package: str, *, for_types: bool) -> Graph:
    modules = _modules(root, package)
    return {
        name: _imports(ast.parse(path.read_text("utf-8")), modules, for_types=for_types)
        for name, path in modules.items()
    }


def _circle(graph: Graph) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_of_the_product_imports_itself_through_others() -> None:
    assert [] == _circle(_graph(ROOT, "mprof", for_types=False))


def test_no_module_of_the_heap_engine_needs_itself_for_its_types_either() -> None:
    graph = _graph(ROOT, "mprof", for_types=True)
    packages = {"mprof.heap", "mprof.hprof", "mprof.hprof.scan", "mprof.kernels"}  # re-export
    lower = {
        name: needed - packages
        for name, needed in graph.items()
        if name.startswith(LOWER_HOUSE) and name not in packages
    }
    assert len(lower) > 30
    assert [] == _circle(lower)


@pytest.mark.parametrize(("for_types", "expected"), [(False, 0), (True, 4)])
def test_a_circle_is_found_where_there_is_one(
    tmp_path: Path, for_types: bool, expected: int
) -> None:
    # heap -> paths -> model, and back to heap for a type only
    texts = {
        "__init__": "",
        "heap": "from p import paths",
        "paths": "import typing\nfrom p.model import Step",
        "model": "import typing\nif typing.TYPE_CHECKING:\n    from p.heap import Heap\n",
    }
    (tmp_path / "p").mkdir()
    for name, text in texts.items():
        (tmp_path / "p" / f"{name}.py").write_text(text, encoding="utf-8")
    assert expected == len(_circle(_graph(tmp_path, "p", for_types=for_types)))
