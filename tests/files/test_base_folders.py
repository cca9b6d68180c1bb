"""A folder of mprof's own that cannot be used is one line, which names the way out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.io.base_folders import cache_folder, made


def test_a_folder_is_made_with_those_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a" / "b"))
    folder = made(cache_folder() / "cases")

    assert tmp_path / "a" / "b" / "mprof" / "cases" == folder
    assert folder.is_dir()
    assert folder == made(folder)


def test_a_home_that_is_not_there_and_cannot_be_made_is_told_with_the_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").touch()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(ClusterError, match="cannot be used: Not a directory") as raised:
        made(cache_folder())

    assert "XDG_CACHE_HOME and XDG_STATE_HOME" in raised.value.next_step


def test_a_folder_that_is_there_and_cannot_be_written_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the kernel answers whoever is not root, whom no mode of a folder stops.
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    with pytest.raises(ClusterError, match="it cannot be written"):
        made(tmp_path)
