"""What an installation may lack: the libraries of the extras, and what to install to have them.

The base holds what ``run``, ``rerun``, ``diagnose``, ``heap`` and ``report`` need. A verb or a
module that needs more says so before it begins (`need`), in one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from mprof.errors import UsageError

__all__ = ["EXTRAS", "MissingPackageError", "how_to_install", "need"]

_DISTRIBUTION: Final = "mprof-hadoop"

EXTRAS: Final[Mapping[str, Mapping[str, str]]] = {
    "nodes": {
        "pandas": "pandas",
        "pyarrow": "pyarrow",
        "scipy": "scipy",
        "sklearn": "scikit-learn",
        "statsmodels": "statsmodels",
        "threadpoolctl": "threadpoolctl",
    },
    "sql": {"duckdb": "DuckDB", "pyarrow": "pyarrow"},
    "spark": {"pyspark": "PySpark"},
    "remote": {"fsspec": "fsspec", "requests": "requests"},
    "notebook": {"matplotlib": "matplotlib", "networkx": "networkx", "pandas": "pandas"},
}
"""By extra: the modules that it brings, and the name of the library of each."""


class MissingPackageError(UsageError, ImportError):
    """A library that a verb, an option or a part of the Python API needs is not installed."""


def need(extra: str, *, by: str) -> None:
    """Make sure, without importing anything, that the libraries of an extra are there.

    Args:
        extra: a key of `EXTRAS`.
        by: what needs them, as its user calls it: ``mprof nodes``.

    Raises:
        MissingPackageError: if one is missing; names the first.
    """
    for module, library in EXTRAS[extra].items():
        if not _is_there(module):
            raise MissingPackageError(f"{by} needs {library}", next_step=how_to_install(extra))


def how_to_install(extra: str) -> str:
    """The command that installs the libraries of an extra.

    >>> how_to_install("spark")
    "pip install 'mprof-hadoop[spark]'"
    """
    return f"pip install '{_DISTRIBUTION}[{extra}]'"


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # ValueError: a module that somebody put there by hand
        return False
