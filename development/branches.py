"""``python -m development.branches``: the conditions that verdicts hang on, and the idle ones.

A condition is the test of an `if`, of a conditional expression or of a loop, a part of an `and` or
`or`, or the filter of a comprehension. One that comes out alike whatever the evidence may be taken
out, if no verdict and no test then changes: ``--idle 500`` lists them by so many random jobs in
three runs, and by all that is recorded of the cases. Most of them are about facts that these pieces
of evidence never lack, and stay.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, NamedTuple

__all__ = ["PACKAGES", "Condition", "Watch", "branches_table", "conditions_in", "main"]

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("evidence", "patterns", "rules", "advice", "objects", "report")
"""Those of mprof that a verdict and what is said of it hang on."""
WATCHED: Final = ("mprof.patterns", "mprof.rules")
"""Those that decide a verdict."""
SEED: Final = 700026


class Condition(NamedTuple):
    """One condition of a file."""

    module: str
    line: int
    column: int
    text: str


def conditions_in(source: str, module: str) -> tuple[Condition, ...]:
    """The conditions of a file, in its order."""
    found = (_condition(test, module) for test in _tests(ast.parse(source)))
    return tuple(sorted(found, key=lambda one: (one.line, one.column)))


def _condition(test: ast.expr, module: str) -> Condition:
    return Condition(module, test.lineno, test.col_offset, ast.unparse(test))


def _tests(tree: ast.AST) -> Iterator[ast.expr]:
    """Tests and parts of them; an `and` or `or` counts as its parts."""
    for node in ast.walk(tree):
        every: Sequence[ast.expr] = ()
        match node:
            case ast.If() | ast.IfExp() | ast.While():
                every = (node.test,)
            case ast.comprehension():
                every = node.ifs
            case ast.BoolOp():
                every = node.values
        yield from (one for one in every if not isinstance(one, ast.BoolOp))


def branches_table(root: Path) -> str:
    """How many conditions each package has, and all together."""
    count = {
        package: sum(
            len(conditions_in(file.read_text(encoding="utf-8"), file.stem))
            for file in sorted((root / "mprof" / package).rglob("*.py"))
        )
        for package in PACKAGES
    }
    rows = [f"{many:6,}  mprof.{package}" for package, many in count.items()]
    return "\n".join([*rows, f"{sum(count.values()):6,}  together"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or the conditions that came out alike."""
    parser = argparse.ArgumentParser(prog="python -m development.branches", description=__doc__)
    parser.add_argument("--idle", type=int, metavar="JOBS", help="list those that decide nothing")
    given = parser.parse_args(arguments)
    if given.idle is None:
        _say(branches_table(ROOT))
        return 0
    with Watch(WATCHED) as watch:
        _diagnose(given.idle)
    for one, how in watch.alike():
        _say(f"{how:11}  {one.module}:{one.line}  {one.text}")
    _say(f"{len(watch.alike()):,} of {watch.known:,} conditions came out alike")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _diagnose(jobs: int) -> None:
    """Diagnose random jobs, and what is recorded of the cases."""
    # imported here, so that the modules are watched
    from development.sweep import load_witnesses
    from mprof.catalogue import load_cases
    from mprof.diagnosis import diagnose
    from reliability.draw import draw
    from reliability.observe import RUNS, observe

    for index in range(jobs):
        task = draw(SEED, index)
        for run in RUNS:
            diagnose(observe(task, run, (SEED, index)))
    for one in load_witnesses(load_cases(ROOT / "cases")):
        diagnose(one.evidence)


class Watch(MetaPathFinder):
    """While it is active, modules that are imported tell how their conditions come out."""

    def __init__(self, packages: Iterable[str]) -> None:
        self._names = tuple(packages)
        self._seen: dict[Condition, Counter[bool]] = defaultdict(Counter)

    def __enter__(self) -> Watch:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as it is found anyway, to be compiled with its conditions watched."""
        if not fullname.startswith(self._names):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path, self)
        return spec

    @property
    def known(self) -> int:
        """How many conditions the modules have that were imported meanwhile."""
        return len(self._seen)

    def alike(self) -> tuple[tuple[Condition, str], ...]:
        """Conditions that always came out alike, with how: `true`, `false` or `never asked`."""
        words = {(True,): "true", (False,): "false", (): "never asked"}
        return tuple(
            (one, words[tuple(seen)])
            for one, seen in sorted(self._seen.items())
            if len(seen) < len((True, False))
        )

    def note(self, condition: Condition, value: Any) -> Any:
        """Count how a condition came out, and hand the value on."""
        self._seen[condition][bool(value)] += 1
        return value

    def know(self, conditions: Iterable[Condition]) -> None:
        """That there are these conditions."""
        for one in conditions:
            self._seen[one]


class _Loader(SourceFileLoader):
    """Compiles a module so that each of its conditions is noted."""

    def __init__(self, fullname: str, path: str, watch: Watch) -> None:
        super().__init__(fullname, path)
        self._watch = watch

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        of = {id(test): _condition(test, fullname) for test in _tests(tree)}
        self._watch.know(of.values())
        noted = _Noted(of).visit(tree)
        assert isinstance(noted, ast.Module)  # noqa: S101 - a module stays one
        return compile(ast.fix_missing_locations(noted), self.path, "exec", 0, dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["_note"] = lambda *place_and_value: self._watch.note(
            Condition(*place_and_value[:-1]), place_and_value[-1]
        )
        super().exec_module(module)


class _Noted(ast.NodeTransformer):
    """Puts each condition into a call that notes it."""

    def __init__(self, of: dict[int, Condition]) -> None:
        self._of = of

    def visit(self, node: ast.AST) -> ast.AST:
        condition = self._of.get(id(node))
        changed: ast.AST = self.generic_visit(node)
        if condition is None or not isinstance(changed, ast.expr):
            return changed
        place = [ast.Constant(part) for part in condition]
        call = ast.Call(ast.Name("_note", ast.Load()), [*place, changed], [])
        return ast.copy_location(call, changed)


if __name__ == "__main__":
    sys.exit(main())
