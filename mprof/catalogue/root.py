"""Where the cases are: in a folder of their own in a checkout, in the package in a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mprof.errors import UsageError
from mprof.io.ownership import check_writers

__all__ = ["cases_root", "own_cases_root"]

_NAME: Final = "cases"
_PACKAGE: Final = Path(__file__).parents[1]
_OWN: Final = (_PACKAGE / _NAME, _PACKAGE.parent / _NAME)
"""Of a wheel, which has them as part of the package (`hatch_build.py`), and of a checkout."""


def cases_root(given: Path | None) -> Path:
    """The folder of cases: the one given, else ``cases`` here, else mprof's own.

    Raises:
        UsageError: if there is none.
        ClusterError: if others could have written it: a folder ``cases`` in ``/tmp`` is anybody's.
    """
    return _first_of([given] if given is not None else [Path(_NAME), *_OWN])


def own_cases_root() -> Path:
    """The folder of the cases that came with this mprof.

    Raises:
        UsageError: if there is none.
        ClusterError: if others could have written it.
    """
    return _first_of(_OWN)


def _first_of(candidates: Sequence[Path]) -> Path:
    for folder in candidates:
        if any(folder.glob("*/case.toml")):
            check_writers(folder, what=f"the folder of cases {folder}, whose programs are run,")
            return folder.resolve()
    raise UsageError(
        f"{candidates[0]} holds no case",
        next_step="name a folder of cases with --cases, or install mprof from its wheel",
    )
