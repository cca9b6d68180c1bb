"""Which conditions does no evidence need? ``python -m tests.architecture.needed --jobs 500``.

Every condition of ``mprof.patterns`` and ``mprof.rules`` (of an ``if``, a ternary, a comprehension,
each operand of ``and`` and ``or``) is wrapped as its module is loaded. It is then held true, and
held false, over the evidence in which it came out otherwise: all that is recorded of the cases, and
what three runs of random jobs see. A condition is *needed* where a verdict changes or a step
fails, *idle* where both outcomes occur and neither matters, *one-sided* where the other never
occurs.

An idle condition may still choose the words of a sentence, and two idle ones may each stand for the
other: what goes has to be tried together, and by the tests, which build evidence that no run left.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import pickle
import random
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
ROOMS: Final = ("mprof.patterns", "mprof.rules")
_MOST_TRIED: Final = 400  # jobs for each condition and outcome; recorded evidence is always tried
_NAME: Final = "_held_condition_"


@dataclass
class Conditions:
    """Every condition that was wrapped, what they came out as, and the one that is held."""

    texts: list[str] = field(default_factory=list)
    held: tuple[int, bool] | None = None
    seen: set[tuple[int, bool]] = field(default_factory=set)

    def __call__(self, number: int, value: object) -> object:
        """The value of a condition, or what it is held at."""
        if self.held is not None and self.held[0] == number:
            return self.held[1]
        self.seen.add((number, bool(value)))
        return value


class _Wrapping(ast.NodeTransformer):
    def __init__(self, module: str, conditions: Conditions) -> None:
        self._module, self._conditions = module, conditions

    def _wrapped(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            return node  # its operands are wrapped
        number = len(self._conditions.texts)
        self._conditions.texts.append(f"{self._module}:{node.lineno} {ast.unparse(node)}")
        call = ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(number), node], [])
        return ast.copy_location(call, node)

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._wrapped(node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._wrapped(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._wrapped(value) for value in node.values]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._wrapped(each) for each in node.ifs]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return node  # an annotation is no condition


class _Finder(importlib.abc.MetaPathFinder):
    """Loads the rooms with every condition wrapped."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions

    def find_spec(self, name: str, path: Any, _target: Any = None) -> ModuleSpec | None:
        if not name.startswith(ROOMS):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self._conditions)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, conditions: Conditions) -> None:
        super().__init__(name, path)
        self._conditions = conditions

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        tree = ast.fix_missing_locations(_Wrapping(fullname, self._conditions).visit(tree))
        return compile(tree, self.path, "exec")


def _evidence(jobs: int, seed: int) -> Iterator[tuple[bool, bytes]]:
    """Whether it is recorded, and pickled evidence."""
    from development.sweep import load_witnesses
    from mprof.catalogue.case import load_cases
    from reliability.draw import draw
    from reliability.observe import RUNS, observe

    for witness in load_witnesses(load_cases(ROOT / "cases")):
        yield True, pickle.dumps(witness.evidence)
    for index in range(jobs):
        task = draw(seed, index)
        for run in RUNS:
            yield False, pickle.dumps(observe(task, run, (seed, index)))


def _words(evidence: bytes) -> dict[str, str]:
    """What is said of each cause; of an end that is no death of the heap, what is named."""
    from mprof.diagnosis import diagnose
    from mprof.rules import Fires

    told = diagnose(pickle.loads(evidence)).diagnosis
    return {
        cause: verdict.confidence if isinstance(verdict, Fires) else type(verdict).__name__
        for cause, verdict in told.verdicts.items()
    }


def try_conditions(jobs: int, seed: int) -> dict[str, str]:
    """Each condition, as ``module:line text``, and what it is."""
    conditions = Conditions()
    sys.meta_path.insert(0, _Finder(conditions))
    import builtins

    setattr(builtins, _NAME, conditions)
    every = list(_evidence(jobs, seed))
    said: list[dict[str, str]] = []
    came_out: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for index, (_, evidence) in enumerate(every):
        conditions.seen = set()
        said.append(_words(evidence))
        for outcome in conditions.seen:
            came_out[outcome].append(index)
    found = {}
    for number, text in enumerate(conditions.texts):
        needed = False
        for at in (True, False):
            conditions.held = (number, at)
            tried = _sample(came_out[number, not at], every)
            needed = needed or any(_changes(every[one][1], said[one]) for one in tried)
        conditions.held = None
        one_sided = not (came_out[number, True] and came_out[number, False])
        found[text] = "needed" if needed else "one-sided" if one_sided else "idle"
    return found


def _changes(evidence: bytes, said: dict[str, str]) -> bool:
    try:
        return _words(evidence) != said
    except Exception:
        return True


def _sample(indexes: Sequence[int], every: Sequence[tuple[bool, bytes]]) -> list[int]:
    recorded = [one for one in indexes if every[one][0]]
    drawn = [one for one in indexes if not every[one][0]]
    random.Random(1).shuffle(drawn)
    return recorded + drawn[:_MOST_TRIED]


def main() -> None:
    """Print the conditions that are not needed, and how many are what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = try_conditions(asked.jobs, asked.seed)
    for text, what in found.items():
        if what != "needed":
            sys.stdout.write(f"{what:9}  {text}\n")
    counts = Counter(found.values())
    summed = ", ".join(f"{n} {what}" for what, n in counts.items())
    sys.stdout.write(f"{len(found)} conditions: {summed}\n")


if __name__ == "__main__":
    main()
