"""Where the cases are: a folder of the checkout, not part of the installed package."""

from __future__ import annotations

from pathlib import Path

from mprof.errors import UsageError

__all__ = ["cases_root"]


def cases_root(given: Path | None) -> Path:
    """The folder of cases: the one given, else that of the working folder, else of the checkout.

    Raises:
        UsageError: if there is none.
    """
    beside_the_package = Path(__file__).parents[2] / "cases"
    candidates = [given] if given is not None else [Path("cases"), beside_the_package]
    for folder in candidates:
        if any(folder.glob("*/case.toml")):
            return folder.resolve()
    raise UsageError(
        f"{candidates[0]} holds no case",
        next_step="call mprof in its checkout, or give the folder of cases with --cases",
    )
