"""The worked examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import mprof

_MODULES = sorted(each.name for each in pkgutil.walk_packages(mprof.__path__, "mprof."))
_FOUND = doctest.DocTestFinder(exclude_empty=True)


def _examples() -> list[doctest.DocTest]:
    return [
        each
        for name in _MODULES
        if not name.endswith("__main__")
        for each in _FOUND.find(importlib.import_module(name))
        if each.examples
    ]


@pytest.mark.parametrize("example", _examples(), ids=lambda each: each.name)
def test_an_example_gives_what_it_says(example: doctest.DocTest) -> None:
    said: list[str] = []

    doctest.DocTestRunner(verbose=False).run(example, out=said.append)

    assert "" == "".join(said)
