"""Packages whose names are imported when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import get_data
from typing import Any

__all__ = ["import_on_demand"]


def import_on_demand(package: str) -> Callable[[str], Any]:
    """The ``__getattr__`` (PEP 562) of a package that imports its public names on demand.

    The imports that type checkers read, in the package's own file, say where each name is defined.

    Args:
        package: its full name.
    """

    @cache
    def home_of() -> dict[str, str]:
        tree = ast.parse(get_data(package, "__init__.py") or "")
        imports = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom))
        return {name.name: each.module or "" for each in imports for name in each.names}

    def get_attribute(name: str) -> Any:
        home = home_of().get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:  # a module of it
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get_attribute
