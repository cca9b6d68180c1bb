"""A case's input: generated from a seed, kept in a cache so that a rerun does not wait for it."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

from mprof.catalogue.case import Case
from mprof.errors import UsageError
from mprof.hadoop import cache_folder

__all__ = ["make_input"]

Generator = Callable[..., None]


def make_input(case: Case, *, seed: int) -> Path:
    """The folder with a case's input for a seed; made if the cache has none.

    The name of the folder holds a digest of the generators, so a change of them makes new input.

    Raises:
        UsageError: if the case's ``data.py`` cannot be used.
    """
    # The size is in the name, so that a case may be run in several sizes by turns.
    family = f"{case.slug}-{seed}-{case.input.bytes}"
    folder = cache_folder() / "cases" / f"{family}-{_digest(case)}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    _drop_older(family, folder.parent)
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _generator(case)(scratch, seed=seed, size_bytes=case.input.bytes)
        # Whoever is first wins; the bytes are the same.
        try:
            scratch.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _generator(case: Case) -> Generator:
    file = case.folder / "data.py"
    name = f"_case_{case.slug.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is no Python file", next_step="correct it")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    generate = getattr(module, "generate", None)
    if not callable(generate):
        raise UsageError(f"{file} has no function generate", next_step="correct it")
    return cast("Generator", generate)


def _digest(case: Case) -> str:
    text = hashlib.sha256()
    for file in (case.folder / "data.py", Path(__file__).with_name("text.py")):
        text.update(file.read_bytes())
    return text.hexdigest()[:12]


def _drop_older(family: str, parent: Path) -> None:
    """Input of this case, seed and size that an older generator made."""
    for old in parent.glob(f"{family}-*"):
        shutil.rmtree(old, ignore_errors=True)
