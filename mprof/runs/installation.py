"""Whose the command and the module ``mprof`` are: other distributions install both, too.

memory-profiler has a command and a module of this name, and PyPI's ``mprof`` a program.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path
from typing import Final

from mprof.io.files import UnreadableError, read_file
from mprof.runs.check import Check
from mprof.units import MIB
from mprof.version import __version__

__all__ = ["examine_names"]

_NAME: Final = "mprof"
_DISTRIBUTION: Final = "mprof-hadoop"
_CHECK: Final = "installation"
_OF_ITS_OWN: Final = f"an environment of its own, such as uv tool install {_DISTRIBUTION} makes"

# Where an environment keeps its packages, from its own folder; the second is Debian's.
_SITES: Final = ("lib/python3*/site-packages", "lib/python3*/dist-packages")

# What a distribution has installed, and which commands it has.
_LISTS: Final = ("RECORD", "entry_points.txt")

# Commands are scripts of some hundred bytes, or programs.
_MAX_COMMAND_BYTES: Final = 256 * MIB


@dataclass(frozen=True, slots=True)
class _Other:
    """Another distribution that has the same names.

    Attributes:
        name: of the distribution, and its version.
        what: it has of this name.
    """

    name: str
    what: str


def examine_names(
    *,
    site: Sequence[str] | None = None,
    path: str | None = None,
    scripts: Path | None = None,
) -> Check:
    """Whether the command on the ``PATH`` is that of mprof, and nothing can take it away.

    Args:
        site: where this interpreter finds its packages; default: ``sys.path``.
        path: where a shell finds its commands; default: ``PATH``.
        scripts: where this environment keeps its commands.
    """
    here = tuple(_with_the_name(sys.path if site is None else site))
    others = _others(here)
    own = (scripts or Path(sysconfig.get_path("scripts"))) / _NAME
    command = shutil.which(_NAME, path=path)
    if command is not None:
        return _of_command(Path(command), own, others)
    if not own.is_file() and any(map(_is_ours, here)):
        return Check(
            _CHECK,
            ok=None,
            found=f"the command {own} is gone, as if another distribution had taken it along",
            next_step=f"pip install --force-reinstall --no-deps {_DISTRIBUTION}",
        )
    found = f"mprof {__version__}; no command mprof is on the PATH"
    return _beside(others) or Check(_CHECK, ok=True, found=found)


def _of_command(command: Path, own: Path, others: Sequence[_Other]) -> Check:
    owner = _owner(command)
    if owner is None:
        return Check(
            _CHECK,
            ok=None,
            found=f"no distribution says that it installed the command {command}",
            next_step=f"if it is not that of mprof {__version__}, {_instead(own, others)}",
        )
    if _is_ours(owner):
        found = f"mprof {__version__}; the command {command} is that of {_called(owner)}"
        return _beside(others) or Check(_CHECK, ok=True, found=found)
    return Check(
        _CHECK,
        ok=False,
        found=f"the command {command} is that of {_called(owner)}, not of {_DISTRIBUTION}",
        next_step=_instead(own, others),
    )


def _beside(others: Sequence[_Other]) -> Check | None:
    """What to say of others in the environment of this mprof, while the command is right."""
    if not others:
        return None
    told = "; ".join(f"{each.name} has {each.what} mprof here, too" for each in others)
    return Check(
        _CHECK,
        ok=None,
        found=told,
        next_step="whichever is uninstalled takes the command along: install "
        f"{_DISTRIBUTION} into {_OF_ITS_OWN}",
    )


def _instead(own: Path, others: Sequence[_Other]) -> str:
    """How to start this mprof where the command of that name is another's."""
    if own.is_file() and not others:
        return f"start this one as {own}, or put its folder first on the PATH"
    return (
        f"start this one as {sys.executable} -m mprof, or install {_DISTRIBUTION} into "
        f"{_OF_ITS_OWN}"
    )


def _others(found: Iterable[Distribution]) -> tuple[_Other, ...]:
    others = set()
    for each in found:
        has = [
            word
            for word, there in (("command", _command(each)), ("module", _module(each)))
            if there
        ]
        if has and not _is_ours(each):
            others.add(_Other(_called(each), " and ".join(f"a {word}" for word in has)))
    return tuple(sorted(others, key=lambda each: each.name))


def _owner(command: Path) -> Distribution | None:
    """The distribution that wrote the file of a command last, in whatever environment it is.

    pip lets a distribution overwrite the command of another: both list the file, with its hash.
    """
    file = command.resolve()
    environment = file.parent.parent
    sites = [str(folder) for place in _SITES for folder in environment.glob(place)]
    found = [each for each in _with_the_name(sites) if _command(each)]
    if len(found) == 1:
        return found[0]
    try:
        digest = hashlib.sha256(read_file(file, limit_bytes=_MAX_COMMAND_BYTES)).digest()
    except UnreadableError:
        return None
    written = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return next((each for each in found if written in _hashes_of_command(each)), None)


def _with_the_name(site: Sequence[str]) -> Iterator[Distribution]:
    """Those that have the name in one of their lists; to parse all lists takes half a second."""
    for each in distributions(path=list(site)):
        if any(_NAME in (text or "") for text in map(each.read_text, _LISTS)):
            yield each


def _command(distribution: Distribution) -> bool:
    """A distribution of Debian's has no list of files, but its entry points."""
    listed = any(_is_command(file) for file in distribution.files or [])
    return listed or bool(distribution.entry_points.select(group="console_scripts", name=_NAME))


def _module(distribution: Distribution) -> bool:
    names = {(f"{_NAME}.py",), (_NAME, "__init__.py")}
    return any(file.parts in names for file in distribution.files or [])


def _hashes_of_command(distribution: Distribution) -> set[str]:
    files = [file for file in distribution.files or [] if _is_command(file)]
    return {file.hash.value for file in files if file.hash is not None}


def _is_command(file: PackagePath) -> bool:
    return file.parts[-2:] == ("bin", _NAME)


def _is_ours(distribution: Distribution) -> bool:
    return re.sub(r"[-_.]+", "-", distribution.name or "").lower() == _DISTRIBUTION


def _called(distribution: Distribution) -> str:
    return f"{distribution.name} {distribution.version}"
