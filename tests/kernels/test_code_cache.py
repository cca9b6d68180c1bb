"""The folder of machine code: untouched by imports, made once, given up where it cannot be."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mprof.kernels import _cache

ALL_KERNELS = "import mprof.heap, mprof.kernels.claim; mprof.heap.Heap; mprof.heap.quick_histogram"


@pytest.fixture
def not_looked_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cache, "_found", None)


def folder() -> Path:
    found = _cache.code_cache().folder
    assert found is not None
    return found


def _python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_importing_every_kernel_hashes_makes_and_removes_nothing(tmp_path: Path) -> None:
    place = tmp_path / "missing"
    stale = tmp_path / "there" / "mprof-0123456789abcdef"
    stale.mkdir(parents=True)
    os.utime(stale, (0, 0))
    watch = (
        "import sys, pathlib, shutil, hashlib\n"
        "def refuse(*_, **__): raise AssertionError('work at import')\n"
        "pathlib.Path.mkdir = pathlib.Path.read_bytes = shutil.rmtree = hashlib.sha256 = refuse\n"
        f"{ALL_KERNELS}\nprint('numba' in sys.modules, 'llvmlite' in sys.modules)"
    )
    for chosen in (place, stale.parent):
        assert "False False\n" == _python(watch, NUMBA_CACHE_DIR=str(chosen))
    assert not place.exists()
    assert stale.exists()


def test_a_folder_is_made_by_the_first_question_and_stale_ones_go(
    not_looked_yet: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale, recent = tmp_path / "mprof-0123456789abcdef", tmp_path / "mprof-fedcba9876543210"
    stale.mkdir()
    recent.mkdir()
    os.utime(stale, (time.time() - 15 * 24 * 3600,) * 2)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    assert _cache.is_first_run()
    assert {recent, folder()} == set(tmp_path.iterdir())


def test_it_is_the_first_run_until_a_later_process_finds_code(
    not_looked_yet: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (folder() / "one.code").touch()
    assert _cache.is_first_run()
    monkeypatch.setattr(_cache, "_found", None)
    assert not _cache.is_first_run()


def test_threads_that_ask_at_once_look_once(
    not_looked_yet: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def make() -> tuple[Path, None]:
        looked.append(threading.get_ident())
        time.sleep(0.05)
        return tmp_path, None

    monkeypatch.setattr(_cache, "_make_folder", make)
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: _cache.code_cache(), range(8)))
    assert 1 == len(looked) == len(found)


def test_where_no_place_can_be_written_kernels_run_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()  # no folder can be made below a file, not even by root
    code = (
        "import numpy as np; from mprof.kernels.rank import count_ranks\n"
        "table = np.array([7, 0, 1, 0], np.uint64)\n"
        "print(count_ranks(table, np.ones(1, np.uint8)), table.tolist())"
    )
    told = _python(code, NUMBA_CACHE_DIR=str(blocked), XDG_CACHE_HOME=str(blocked))
    assert "4 [7, 0, 1, 3]\n" == told
    assert [blocked] == list(tmp_path.iterdir())


COUNT = (
    "import sys, numpy as np; from mprof.kernels import why_not_kept\n"
    "from mprof.kernels.rank import count_ranks\n"
    "table = np.array([7, 0, 1, 0], np.uint64)\n"
    "print(count_ranks(table, np.ones(1, np.uint8)), 'numba' in sys.modules, why_not_kept())"
)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The cache of a user who has counted ranks once, and of the code in it."""
    place = tmp_path / "cache"
    assert _count(place) == "4 True None\n"
    assert _count(place) == "4 False None\n"  # loaded
    return place


def _count(place: Path, other: Path | None = None) -> str:
    return _python(COUNT, NUMBA_CACHE_DIR=str(place), XDG_CACHE_HOME=str(other or place))


def test_code_is_kept_where_nobody_else_can_write_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "cache").mkdir(mode=0o755)
        _count(tmp_path / "cache")
    finally:
        os.umask(before)

    assert _count(tmp_path / "cache") == "4 False None\n"


@pytest.mark.parametrize("step", ["the place", "its folder", "the code"])
@pytest.mark.parametrize("how", ["open to all", "another's"])
def test_code_that_others_could_have_written_is_not_loaded(kept: Path, step: str, how: str) -> None:
    if how == "another's" and os.geteuid() != 0:
        pytest.skip("only root can give files to another user")
    (code,) = kept.glob("*/*.code")
    changed = {"the place": kept, "its folder": code.parent, "the code": code}[step]
    if how == "another's":
        os.chown(changed, 65534, -1)
    else:
        changed.chmod(0o777)

    said = _count(kept)

    why = "belongs to" if how == "another's" else "everybody may write"
    assert said.startswith("4 True ")
    # Below the place another folder is made; in the folder new code takes the place.
    assert (why in said) == (step == "the place")
    if step != "the place":
        assert _count(kept) == "4 False None\n"


def test_another_place_is_taken_for_one_that_is_open_to_all(kept: Path, tmp_path: Path) -> None:
    kept.chmod(0o777)

    assert _count(kept, tmp_path / "home") == "4 True None\n"
    assert _count(kept, tmp_path / "home") == "4 False None\n"


def test_all_that_kernels_are_compiled_from_is_in_the_digest() -> None:
    hashed = {path for pattern in _cache._SOURCES for path in _cache._PACKAGE.glob(pattern)}
    marks = ("@kernel", "@inlined", "Instruction(")
    users = [
        path
        for path in _cache._PACKAGE.rglob("*.py")
        if any(mark in path.read_text(encoding="utf-8") for mark in marks)
    ]
    assert len(users) > 10
    assert [] == [str(path) for path in users if path not in hashed]
    for path in users:  # and what they import, for constants are compiled in
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("from mprof."):
                module = _cache._PACKAGE.parent / line.split()[1].replace(".", "/")
                assert hashed & {module.with_suffix(".py"), module / "__init__.py"}, (path, line)


@pytest.fixture
def prebuilt(not_looked_yet: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Code that came with the package, for these sources and this processor."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_cache, "_PREBUILT", tmp_path / "prebuilt")
    monkeypatch.setattr(_cache.sys, "platform", "linux")
    monkeypatch.setattr(_cache.platform, "machine", lambda: "x86_64")
    features = dict.fromkeys(_cache.PREBUILT_FEATURES, True)
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: _Features(features))
    folder = tmp_path / "prebuilt" / f"{_cache.PREBUILT_FOR}-{_cache.digest_of_sources()}"
    folder.mkdir(parents=True, mode=0o755)
    return folder


class _Features(dict[str, bool]):
    def flatten(self) -> str:
        return ",".join(self)


def test_code_that_came_with_the_package_is_read_after_what_was_compiled_here(
    prebuilt: Path,
) -> None:
    cache = _cache.code_cache()

    assert cache.places_of("x.code") == (folder() / "x.code", prebuilt / "x.code")
    assert not _cache.is_first_run()


@pytest.mark.parametrize("reason", ["feature", "machine", "sources", "writable"])
def test_code_that_does_not_fit_or_that_others_may_write_is_not_read(
    prebuilt: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    if reason == "feature":
        lacking = dict.fromkeys(_cache.PREBUILT_FEATURES[1:], True)
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: _Features(lacking))
    elif reason == "machine":
        monkeypatch.setattr(_cache.platform, "machine", lambda: "aarch64")
    elif reason == "sources":
        prebuilt.rename(prebuilt.with_name(f"{_cache.PREBUILT_FOR}-0123456789abcdef"))
    else:
        prebuilt.chmod(0o777)

    assert _cache.code_cache().prebuilt is None
    assert _cache.is_first_run()


def test_the_name_of_the_cache_changes_with_every_file_that_has_a_kernel() -> None:
    package = Path(_cache.__file__).parents[1]
    hashed = {path for pattern in _cache._SOURCES for path in package.glob(pattern)}
    compiled = {
        path
        for path in package.rglob("*.py")
        if re.search(r"^@(kernel|inlined)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(compiled) > 10
    assert compiled <= hashed
