"""The locked environments hold what pyproject.toml asks for, each version with its hashes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ("users", "development")
PYTHONS = ("3.11", "3.12", "3.13")


def text_of(lock: str) -> str:
    return (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")


def locked(lock: str, python: str) -> dict[str, str]:
    """The version of each package on a Python of Linux."""
    where = {
        **default_environment(),
        "python_version": python,
        "python_full_version": f"{python}.1",
    }
    found = {}
    for name, version, marker in re.findall(
        r"^([\w.\-]+)==(\S+)(?: ; (.*?))? \\$", text_of(lock), re.MULTILINE
    ):
        if not marker or Marker(marker).evaluate(where):
            assert name not in found, f"{name} is there twice for Python {python}"
            found[canonicalize_name(name)] = version
    return found


def wanted(lock: str) -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [*project["project"]["dependencies"]]
    if lock == "development":
        for extra in project["project"]["optional-dependencies"].values():
            asked += extra
        asked += project["build-system"]["requires"]
    for each in map(Requirement, asked):
        if each.name != "mprof-hadoop":  # one extra within another
            yield each


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("lock", LOCKS)
def test_what_pyproject_asks_for_is_locked_in_its_range(lock: str, python: str) -> None:
    versions = locked(lock, python)
    for each in wanted(lock):
        version = versions[canonicalize_name(each.name)]
        assert each.specifier.contains(version), f"{each} is locked at {version}: make lock"


@pytest.mark.parametrize("lock", [*LOCKS, "packager"])
def test_each_version_has_hashes_and_comes_from_no_named_place(lock: str) -> None:
    entries = re.split(r"\n(?=[\w.\-]+==)", text_of(lock))[1:]
    assert len(entries) > 10
    for entry in entries:
        assert re.fullmatch(
            r"[\w.\-]+==\S+(?: ; .*?)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+", entry
        ), entry[:80]
    assert not re.search(r"://|^-", text_of(lock), re.MULTILINE)


def test_users_get_what_developers_test_with() -> None:
    for python in PYTHONS:
        assert locked("users", python).items() <= locked("development", python).items()


def test_what_makes_the_wheel_is_locked_at_the_versions_that_developers_have() -> None:
    for python in PYTHONS:
        packager, developers = locked("packager", python), locked("development", python)
        assert "hatchling" in packager
        shared = packager.keys() & developers.keys()
        assert {each: developers[each] for each in shared} == {
            each: packager[each] for each in shared
        }
