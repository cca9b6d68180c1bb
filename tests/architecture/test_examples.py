"""The worked examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import mprof

_ROOT = Path(mprof.__file__).parent
_FOUND = doctest.DocTestFinder(exclude_empty=True)


def _modules() -> list[str]:
    """Those with an example, by their text: to import all of them takes seconds."""
    files = (file for file in sorted(_ROOT.rglob("*.py")) if ">>>" in file.read_text("utf-8"))
    parts = (file.relative_to(_ROOT.parent).with_suffix("").parts for file in files)
    return [".".join(each).removesuffix(".__init__") for each in parts]


@pytest.mark.parametrize("module", _modules())
def test_examples_give_what_they_say(module: str) -> None:
    said: list[str] = []
    examples = [each for each in _FOUND.find(importlib.import_module(module)) if each.examples]

    for example in examples:
        doctest.DocTestRunner(verbose=False).run(example, out=said.append)

    assert "" == "".join(said)
    assert examples
