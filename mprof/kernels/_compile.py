"""How every kernel is compiled: the one place where compiler flags and the cache stand.

Kernels release the interpreter lock, so a caller may run one per core in plain threads; that
needs no threading layer and a third of the compile time of ``parallel=True``.

numba's cache looks only at the file a kernel stands in, not at the kernels it calls. The machine
code is therefore kept in a folder named after a digest of all kernel sources: change one, and
all of them are compiled afresh.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import config

__all__ = ["inlined", "is_first_run", "kernel"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("kernels/*.py", "hprof/*.py", "heap/*.py")
_MARKS = (b"@kernel", b"@inlined", b"intrinsic(")
_STALE_SECONDS = 14 * 24 * 3600.0
_compile = cast("Any", numba.njit)  # its stubs do not know "_nrt"
# "boundscheck" is off unless asked for; naming it here again made filling rows five times slower.
_inner = _compile(nogil=True, error_model="numpy", _nrt=False)
_outer = _compile(nogil=True, error_model="numpy", _nrt=False, cache=True)


def _digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            text = path.read_bytes()
            if any(mark in text for mark in _MARKS):
                digest.update(path.name.encode())
                digest.update(text)
    return digest.hexdigest()[:16]


def _folder() -> Path:
    """A folder that can be written: the user's choice, beside the code, or the user's cache."""
    name = f"mprof-{_digest()}"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    places = [Path(chosen)] if chosen else [_PACKAGE / "kernels" / "__pycache__"]
    places += [Path(home).expanduser() / "mprof"]
    for place in places:
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _forget_stale(place, keep=name)
            return folder
    return places[0] / name  # numba falls back on its own choice


def _forget_stale(place: Path, *, keep: str) -> None:
    """Removes machine code of sources that were replaced long ago."""
    for folder in place.glob("mprof-*"):
        try:
            if folder.name != keep and time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


_CACHE = _folder()
_FIRST_RUN = not any(_CACHE.rglob("*.nbi"))
config.CACHE_DIR = str(_CACHE)  # type: ignore[attr-defined]


def is_first_run() -> bool:
    """Whether nothing is compiled yet, so that the first analysis takes seconds longer."""
    return _FIRST_RUN


def kernel(function: _Function) -> _Function:
    """Compiles a function over arrays to machine code, once per machine.

    Arrays are not counted as owned inside a kernel, so it must not make any: the caller allocates.
    Counting took two thirds of the time of loops that read arrays out of a named tuple.
    """
    return cast("_Function", _outer(function))


def inlined(function: _Function) -> _Function:
    """Compiles a small function that only other kernels call."""
    return cast("_Function", _inner(function))
