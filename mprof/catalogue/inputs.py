"""The input of a case: generated from a seed, and cached."""

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
from mprof.io.base_folders import cache_folder, made
from mprof.io.ownership import check_writers

__all__ = ["make_input"]

Generator = Callable[..., None]

_BUILDING_BLOCKS = ("text.py", "tables.py", "sequence_file.py")


def make_input(case: Case, *, seed: int) -> Path:
    """The folder with a case's input for a seed; generated if it is not in the cache.

    The name of the folder holds a digest of the generators: if they change, so does the input.

    Raises:
        UsageError: if the case's ``data.py`` cannot be used.
        ClusterError: if others could have written it, or the cache cannot be written.
    """
    # The size is in the name, so that inputs of several sizes can be cached at once.
    family = f"{case.slug}-{seed}-{case.input.bytes}"
    folder = cache_folder() / "cases" / f"{family}-{_digest(case)}"
    if folder.is_dir():
        return folder
    made(folder.parent)
    _delete_outdated(family, folder.parent)
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _generator(case)(scratch, seed=seed, size_bytes=case.input.bytes)
        # If another process was faster, its input is used: the bytes are the same.
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
    check_writers(file, what=str(file))
    name = f"_case_{case.slug.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file", next_step="correct it")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    generate = getattr(module, "generate", None)
    if not callable(generate):
        raise UsageError(f"{file} has no function generate", next_step="correct it")
    return cast("Generator", generate)


def _digest(case: Case) -> str:
    text = hashlib.sha256()
    blocks = [Path(__file__).with_name(name) for name in _BUILDING_BLOCKS]
    for file in (case.folder / "data.py", *blocks):
        text.update(file.read_bytes())
    return text.hexdigest()[:12]


def _delete_outdated(family: str, parent: Path) -> None:
    """Delete the input of this case, seed and size that an earlier generator made."""
    for old in parent.glob(f"{family}-*"):
        shutil.rmtree(old, ignore_errors=True)
