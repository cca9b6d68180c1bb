"""The folder of cases: part of a checkout, not of the installed package."""

from __future__ import annotations

from pathlib import Path

from mprof.errors import UsageError
from mprof.io.ownership import check_writers

__all__ = ["cases_root"]


def cases_root(given: Path | None) -> Path:
    """The folder of cases: the one given, else ``cases`` here, else that of the checkout.

    Raises:
        UsageError: if there is none.
        ClusterError: if others could have written it: a folder ``cases`` in ``/tmp`` is anybody's.
    """
    beside_the_package = Path(__file__).parents[2] / "cases"
    candidates = [given] if given is not None else [Path("cases"), beside_the_package]
    for folder in candidates:
        if any(folder.glob("*/case.toml")):
            check_writers(folder, what=f"the folder of cases {folder}, whose programs are run,")
            return folder.resolve()
    raise UsageError(
        f"{candidates[0]} holds no case",
        next_step="run mprof in its checkout, or name the folder of cases with --cases",
    )
