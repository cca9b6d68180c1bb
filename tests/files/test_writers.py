"""Who else could have written a file: owners, permissions, and every folder and link on the way."""

from __future__ import annotations

import os
import stat
import struct
import tempfile
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.io import ownership
from mprof.io.ownership import check_writers, other_writer

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder in which, and on the way to which, nobody else can write."""
    assert other_writer(tmp_path) is None
    folder = tmp_path / "a" / "b"
    folder.mkdir(mode=0o755, parents=True)
    (folder / "file").write_text("code")
    (folder / "file").chmod(0o644)
    assert other_writer(folder / "file") is None
    return folder


@pytest.mark.parametrize("step", [".", "..", "file"])
def test_a_file_that_everybody_may_write_or_replace_is_told(place: Path, step: str) -> None:
    opened = place / step
    opened.chmod(stat.S_IMODE(opened.stat().st_mode) | 0o002)

    found = other_writer(place / "file")

    assert found is not None
    assert found.what == f"everybody may write to {opened.resolve()}"
    assert found.path == str(opened.resolve())
    with pytest.raises(ClusterError, match=r"the agent is not used.*everybody may write") as error:
        check_writers(place / "file", what="the agent")
    assert str(opened.resolve()) in error.value.next_step


@as_root
@pytest.mark.parametrize("step", [".", "..", "file"])
def test_another_owner_is_told(place: Path, step: str) -> None:
    os.chown(place / step, NOBODY, -1)

    found = other_writer(place / "file")

    assert found is not None
    assert found.path == str((place / step).resolve())
    assert "belongs to" in found.what


@as_root
def test_a_group_counts_unless_it_is_its_owners_alone(place: Path) -> None:
    file = place / "file"
    file.chmod(0o664)
    assert other_writer(file) is None  # root's own

    os.chown(file, -1, NOBODY)
    found = other_writer(file)
    assert found is not None
    assert found.what == f"a group may write to {file}"


@as_root
def test_a_list_of_further_writers_counts(place: Path) -> None:
    file = place / "file"
    # acl(5), as setfacl -m u:65534:rw: owner, that user, group, mask, others.
    entries = [(0x01, 6, -1), (0x02, 6, NOBODY), (0x04, 4, -1), (0x10, 6, -1), (0x20, 4, -1)]
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *each) for each in entries)
    try:
        os.setxattr(file, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("this file system has no lists of further writers")
    assert stat.S_IMODE(file.stat().st_mode) == 0o664

    assert other_writer(file) is not None


def test_what_is_there_in_a_folder_with_the_sticky_bit_is_safe_and_what_is_not_is_not(
    place: Path,
) -> None:
    place.chmod(0o1777)

    assert other_writer(place / "file") is None
    for missing in ("new", "new/deeper"):
        found = other_writer(place / missing)
        assert found is not None
        assert found.what == f"everybody may write to {place}"
    assert other_writer(place) is not None
    assert other_writer(place, shared=True) is None
    place.chmod(0o777)
    assert other_writer(place, shared=True) is not None


@as_root
def test_what_another_has_put_into_such_a_folder_is_theirs(place: Path) -> None:
    place.chmod(0o1777)
    os.chown(place / "file", NOBODY, -1)

    assert other_writer(place / "file") is not None


def test_nobody_else_can_make_what_is_missing_in_a_folder_of_ours(place: Path) -> None:
    assert other_writer(place / "new" / "deeper") is None


def test_a_link_is_followed_and_every_folder_on_its_way_is_asked(
    place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    for target in (place / "file", "a/b/file", "a/../a/./b/file"):
        link.symlink_to(target)
        assert other_writer(link) is None
        (tmp_path / "a").chmod(0o777)
        found = other_writer(link)
        assert found is not None
        assert found.path == str(tmp_path / "a")
        (tmp_path / "a").chmod(0o755)
        link.unlink()


def test_a_link_to_nothing_is_as_good_as_the_folder_it_leads_to(
    place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(place / "new")
    assert other_writer(link) is None
    place.chmod(0o1777)
    assert other_writer(link) is not None


@as_root
def test_a_link_that_somebody_else_made_is_theirs_wherever_it_leads(
    place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(place / "file")
    os.lchown(link, NOBODY, -1)

    found = other_writer(link)

    assert found is not None
    assert found.path == str(link)


def test_what_cannot_be_looked_at_is_not_ours(place: Path) -> None:
    for link in ("first", "second"):
        (place / link).symlink_to("second" if link == "first" else "first")

    found = other_writer(place / "first")

    assert found is not None
    assert "cannot be examined" in found.what


@as_root
def test_whoever_owns_mprof_runs_code_here_anyway(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(place / "file", NOBODY, NOBODY)
    (place / "file").chmod(0o664)
    package = tmp_path / "mprof"
    package.mkdir()
    monkeypatch.setattr(ownership, "_PACKAGE", package)
    assert other_writer(place / "file") is not None

    os.chown(package, NOBODY, NOBODY)
    package.chmod(0o775)
    assert other_writer(place / "file") is None
    package.chmod(0o755)
    found = other_writer(place / "file")
    assert found is None or "group" in found.what  # nogroup may be the group of nobody alone
    package.chmod(0o777)
    (place / "file").chmod(0o666)
    assert other_writer(place / "file") is not None


def test_whoever_can_replace_mprof_runs_code_here_anyway(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = place / "open" / "own" / "a.jar"
    jar.parent.mkdir(parents=True)
    jar.write_text("")
    (place / "open").chmod(0o777)
    assert other_writer(jar) is not None

    monkeypatch.setattr(ownership, "_PACKAGE", place / "open" / "mprof")
    (place / "open" / "mprof").mkdir()
    assert other_writer(jar) is None
    jar.chmod(0o666)
    assert other_writer(jar) is not None


@as_root
def test_no_other_user_can_write_what_is_said_to_be_ours() -> None:
    # The kernel is asked: as a user who owns nothing and is in no group, each mode is tried.
    with tempfile.TemporaryDirectory() as made:
        above, place = Path(made), Path(made, "place")
        place.mkdir()
        file = place / "file"
        file.touch()
        modes = product((0o755, 0o757, 0o1777), (0o755, 0o757, 0o1777), (0o644, 0o646))
        for above_mode, folder_mode, file_mode in modes:
            above.chmod(above_mode)
            place.chmod(folder_mode)
            file.chmod(file_mode)
            said = other_writer(file) is not None
            told = oct(above_mode), oct(folder_mode), oct(file_mode)
            assert said == _can_be_changed(file), told


def _can_be_changed(file: Path) -> bool:
    """Whether nobody can write the file, or put another in its place or in that of its folder."""
    child = os.fork()
    if child == 0:
        done = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            done = 0 if any(_works(change, file) for change in (_write, _replace)) else 1
        finally:
            os._exit(done)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _works(change: Callable[[Path], object], file: Path) -> bool:
    try:
        change(file)
    except PermissionError:
        return False
    return True


def _write(file: Path) -> None:
    file.open("ab").close()


def _replace(file: Path) -> None:
    for each in (file.parent, file):
        with suppress(PermissionError):
            away = each.rename(f"{each}.away")
            away.rename(each)
            return
    raise PermissionError
