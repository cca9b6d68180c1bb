"""A new file is there whole or not at all, and takes nobody's place."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mprof.io.files import new_file, replace_file


def test_it_gets_its_name_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "new.txt"
    with new_file(target) as beside:
        beside.write_text("half")
        assert not target.exists()
        beside.write_text("whole")
    assert target.read_text() == "whole"
    assert _names(tmp_path) == ["new.txt"]


def test_nothing_stays_of_one_that_was_not_finished(tmp_path: Path) -> None:
    with pytest.raises(PermissionError):
        _write(tmp_path / "new.txt", "half", then=_refuse)
    assert _names(tmp_path) == []


@pytest.mark.parametrize("links", [True, False])
def test_what_has_the_name_by_then_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    target = tmp_path / "new.txt"
    if not links:
        monkeypatch.setattr(os, "link", _refuse)
    with pytest.raises(FileExistsError):
        _write(target, "mine", then=lambda: target.write_text("somebody else's"))
    assert target.read_text() == "somebody else's"
    assert _names(tmp_path) == ["new.txt"]


def test_a_file_system_without_links_does_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", _refuse)
    with new_file(tmp_path / "new.txt") as beside:
        beside.write_text("whole")
    assert (tmp_path / "new.txt").read_text() == "whole"


def test_a_replaced_file_stays_as_it_was_where_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "old.txt"
    target.write_text("old")
    monkeypatch.setattr(Path, "write_bytes", _refuse)
    with pytest.raises(PermissionError):
        replace_file(target, b"new")
    assert target.read_text() == "old"
    assert _names(tmp_path) == ["old.txt"]


def _write(target: Path, text: str, *, then: Callable[[], object]) -> None:
    with new_file(target) as beside:
        beside.write_text(text)
        then()


def _names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def _refuse(*_: object) -> int:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))
