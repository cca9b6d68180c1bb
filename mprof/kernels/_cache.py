"""Where machine code is kept between runs: a folder for these sources, compiler and processor.

A wheel brings the code of the kernels that are usually taken, compiled for `PREBUILT_FOR`: machine
code hangs on no version of numba, which is not even loaded for it.

Nothing is looked up, hashed or made when this module is imported; the first kernel that is called
does it, or whoever asks :func:`is_first_run`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mprof.io.base_folders import cache_folder
from mprof.io.ownership import OtherWriter, other_writer

__all__ = [
    "PREBUILT_FEATURES",
    "PREBUILT_FOR",
    "CodeCache",
    "code_cache",
    "digest_of_sources",
    "is_first_run",
    "runs_prebuilt",
    "why_not_kept",
]

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = (
    "kernels/*.py", "hprof/format.py", "hprof/scan/*.py", "heap/_*.py", "redaction/_*.py",
    "redaction/kept.py", "waste/_*.py",
)  # fmt: skip
"""All files that kernels are compiled from, those of their constants included."""

PREBUILT_FOR: Final = "x86-64-v3"
"""The level of the x86-64 psABI: servers since 2015 (Haswell, Excavator)."""

PREBUILT_FEATURES: Final = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf",
    "sse3", "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip
"""What a processor of that level has, by LLVM's names."""

_PREBUILT: Final = _PACKAGE / "kernels" / "prebuilt"

_STALE_SECONDS = 14 * 24 * 3600.0
"""Code of replaced sources is kept this long, for those who go back and forth between branches."""

_lock = threading.Lock()
_found: CodeCache | None = None


@dataclass(frozen=True, slots=True)
class CodeCache:
    """A folder of object files, which nobody else could have written.

    Attributes:
        folder: the folder; None where no place can be written by us alone. Then nothing is read or
            kept.
        was_empty: whether it held no code when this process first looked.
        others: who else could write to a place that was not taken for this reason.
        prebuilt: the folder of code that came with the package, None where it does not fit.
    """

    folder: Path | None
    was_empty: bool
    others: OtherWriter | None = None
    prebuilt: Path | None = None

    def places_of(self, name: str) -> tuple[Path, ...]:
        """Where the code of that name may lie, the nearest first."""
        return tuple(each / name for each in (self.folder, self.prebuilt) if each is not None)


def code_cache() -> CodeCache:
    """The cache of this process; found, and made if need be, by the first call of any thread."""
    global _found  # noqa: PLW0603 - one cache a process
    with _lock:
        if _found is None:
            folder, others = _make_folder()
            was_empty = folder is None or not any(folder.glob("*.code"))
            _found = CodeCache(folder, was_empty, others, _prebuilt())
        return _found


def is_first_run() -> bool:
    """Whether nothing had been compiled before this process, so the first analysis is slower."""
    cache = code_cache()
    return cache.was_empty and cache.prebuilt is None


def why_not_kept() -> str | None:
    """Why compiled code is not kept, where others could have written it; None where it is kept."""
    cache = code_cache()
    if cache.folder is not None or cache.others is None or cache.prebuilt is not None:
        return None
    return str(cache.others)


def _prebuilt() -> Path | None:
    """The folder of code that was compiled from these sources, if this processor can run it."""
    if not _PREBUILT.is_dir() or not runs_prebuilt():
        return None
    folder = _PREBUILT / f"{PREBUILT_FOR}-{digest_of_sources()}"
    return folder if folder.is_dir() and other_writer(folder) is None else None


def runs_prebuilt() -> bool:
    """Whether this system and processor run code that is compiled for `PREBUILT_FOR`."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    from llvmlite import binding  # type: ignore[import-untyped]

    has = binding.get_host_cpu_features()
    return all(has.get(each, False) for each in PREBUILT_FEATURES)


def digest_of_sources() -> str:
    """Changes with the sources of any kernel."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _make_folder() -> tuple[Path | None, OtherWriter | None]:
    """The first place that we alone can write: the user's choice, beside the code, their cache.

    The user's choice is ``NUMBA_CACHE_DIR``; it replaces the place beside the code.

    Returns:
        The folder, or None; and who else could write to the last place that was not taken.
    """
    name = f"mprof-{_digest()}"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [_PACKAGE / "kernels" / "__pycache__"]
    places += [cache_folder()]
    others = None
    for place in places:
        folder = place / name
        try:
            place.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            continue
        found = other_writer(folder)
        if found is not None:
            others = found
        elif os.access(folder, os.W_OK):
            _remove_stale(place, keep=name)
            return folder, others
    return None, others


def _remove_stale(place: Path, *, keep: str) -> None:
    """Removes code of sources that were replaced long ago."""
    for folder in place.glob("mprof-*"):
        try:
            if folder.name != keep and time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _digest() -> str:
    """Changes with the sources of any kernel, the compiler and the processor."""
    from llvmlite import binding

    digest = hashlib.sha256()
    for part in (_version("numba"), _version("llvmlite"), binding.get_host_cpu_name(),
                 binding.get_host_cpu_features().flatten()):  # fmt: skip
        digest.update(part.encode())
    digest.update(digest_of_sources().encode())
    return digest.hexdigest()[:16]


def _version(package: str) -> str:
    """Text that differs between releases of a package, found without importing the package.

    Importing numba or ``importlib.metadata`` would take longer than a small dump does.
    """
    spec = find_spec(package)
    file = Path(spec.origin).with_name("_version.py") if spec and spec.origin else None
    if file is not None and file.exists():
        return file.read_text(encoding="utf-8")
    from importlib.metadata import version

    return version(package)
