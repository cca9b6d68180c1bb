"""Who else could have written this? Asked of every file whose content is executed.

A program that runs code out of a file runs the code of everybody who can write that file: its
owner, those whom its mode lets write, and those who can put another in its place, in any folder on
the way to it. Root and the owner of this package do not count, because their code runs here anyway;
nor do those who can put another package in its place, nor this user.

A folder in which everybody may write, but take away only what is theirs (``/tmp``), is as good as
any other for what is there already; for what is not there yet it is not.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.errors import ClusterError

__all__ = ["OtherWriter", "Step", "check_writers", "first_other_writer", "other_writer"]

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_MOST_LINKS: Final = 40  # as the kernel
_ACL: Final = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class OtherWriter:
    """Somebody else who could have written a file.

    Attributes:
        path: what they can write: the file, or a folder on the way to it.
        what: who, and how, as a clause.
    """

    path: str
    what: str

    def __str__(self) -> str:
        """The clause."""
        return self.what


@dataclass(frozen=True, slots=True)
class Step:
    """A folder on the way to a file, a link on that way, or the file.

    Attributes:
        path: its name in messages.
        owner: its owner's name, where it is told.
        mode: its permissions, the sticky bit included.
        is_link: whether it is a link; its permissions mean nothing.
        by_us: whether its owner's code runs here anyway.
        group_is_us: whether the same is true of all members of its group.
    """

    path: str
    owner: str
    mode: int
    is_folder: bool
    is_link: bool
    by_us: bool
    group_is_us: bool


def other_writer(path: Path, *, shared: bool = False) -> OtherWriter | None:
    """Who else could have written a local file or folder, or what is in it; None where nobody.

    Where there is nothing of that name: who else could put something there.

    Args:
        path: the file or folder.
        shared: it is a folder in which everybody may make files of their own.
    """
    try:
        steps = _steps(path)
    except OSError as error:
        return OtherWriter(str(path), f"{path} cannot be examined: {error.strerror or error}")
    return first_other_writer(steps, shared=shared)


def first_other_writer(steps: Sequence[Step], *, shared: bool = False) -> OtherWriter | None:
    """The first of the steps, from the root down, that somebody else can write.

    Args:
        steps: the last one is what is asked about.
        shared: the last one is a folder in which everybody may make files of their own.
    """
    for number, step in enumerate(steps):
        if not step.by_us:
            return OtherWriter(step.path, f"{step.path} belongs to {step.owner}")
        keeps = step.is_folder and bool(step.mode & stat.S_ISVTX)
        if step.is_link or (keeps and (shared or number + 1 < len(steps))):
            continue
        if step.mode & stat.S_IWOTH:
            return OtherWriter(step.path, f"everybody may write to {step.path}")
        if step.mode & stat.S_IWGRP and not step.group_is_us:
            return OtherWriter(step.path, f"a group may write to {step.path}")
    return None


def check_writers(path: Path, *, what: str) -> None:
    """Refuse a local file or folder whose content is about to be executed.

    Args:
        path: the file or folder.
        what: it is, in messages.

    Raises:
        ClusterError: if somebody else could have written it.
    """
    other = other_writer(path)
    if other is not None:
        raise ClusterError(
            f"{what} is not used, because others could have written it: {other}",
            next_step=f"see who did; then let nobody else own or write {other.path} "
            "(chown, chmod go-w), or name another place",
        )


def _steps(path: Path) -> list[Step]:
    """All that is passed on the way to a file, links included, from the root down."""
    own = _PACKAGE.stat()
    owners = {0, os.geteuid(), own.st_uid}
    # Whoever may write this package runs code here anyway.
    groups = {own.st_gid} if own.st_mode & (stat.S_IWGRP | stat.S_IWOTH) == stat.S_IWGRP else set()
    top, *names = path.absolute().parts
    here = Path(top)
    steps = [_step(here, owners, groups)]
    ahead, links = names[::-1], 0
    while ahead:
        name = ahead.pop()
        if name == "..":
            here = here.parent
            continue
        below = here / name
        try:
            step = _step(below, owners, groups)
        except (FileNotFoundError, NotADirectoryError):
            return [*steps, _step(here, owners, groups)]
        steps.append(step)
        if not step.is_link:
            here = below
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = below.readlink()
        ahead += target.parts[::-1]
        if target.is_absolute():
            here = Path(ahead.pop())
    return steps


def _step(path: Path, owners: Collection[int], groups: Collection[int]) -> Step:
    status = path.lstat()
    kind = status.st_mode
    writes = bool(kind & stat.S_IWGRP) and not stat.S_ISLNK(kind)
    # Who can write a folder above this package can replace the package.
    is_above = path in _PACKAGE.parents and not kind & stat.S_ISVTX
    by_us = is_above or status.st_uid in owners
    return Step(
        path=str(path),
        owner="" if by_us else _name(status.st_uid),  # a directory may have to be asked for it
        mode=stat.S_IMODE(kind) & (~0o022 if is_above else ~0),
        is_folder=stat.S_ISDIR(kind),
        is_link=stat.S_ISLNK(kind),
        by_us=by_us,
        group_is_us=writes and (status.st_gid in groups or _is_owner_alone(path, status)),
    )


def _is_owner_alone(path: Path, status: os.stat_result) -> bool:
    """Whether the group is the one that many systems make for each user, with nobody else in it."""
    try:
        user, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    if (user.pw_gid, user.pw_name) != (group.gr_gid, group.gr_name):
        return False
    if not set(group.gr_mem) <= {user.pw_name}:
        return False
    try:
        # With a list of further users, the group's bits tell what all of those may do.
        return _ACL not in os.listxattr(path)
    except OSError:  # a file system without such attributes
        return True


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
