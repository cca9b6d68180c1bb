"""Where two builds do not give the same bytes, it is said what differs.

Whether they give the same is asked of a release, before it is published (`make reproducible` in
`.github/workflows/release.yml`, see `test_release_workflow.py`): that builds twice.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

from distribution.reproducible import differing_entries


def wheel(path: Path, entries: dict[str, bytes], *, year: int = 2020, mode: int = 0o644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, (year, 2, 2, 0, 0, 0))
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
    return path


def source(path: Path, content: bytes, *, owner: int = 0) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("mprof/a.py")
        entry.size, entry.uid = len(content), owner
        archive.addfile(entry, io.BytesIO(content))
    return path


def test_what_differs_between_two_archives_is_named(tmp_path: Path) -> None:
    one = wheel(tmp_path / "one.whl", {"a": b"1", "b": b"2"})
    others = {
        "b": wheel(tmp_path / "content.whl", {"a": b"1", "b": b"3"}),
        "c": wheel(tmp_path / "more.whl", {"a": b"1", "b": b"2", "c": b""}),
        "the order of the entries": wheel(tmp_path / "order.whl", {"b": b"2", "a": b"1"}),
    }
    for expected, other in others.items():
        assert (expected,) == differing_entries(one, other)
    assert ("a", "b") == differing_entries(
        one, wheel(tmp_path / "t.whl", {"a": b"1", "b": b"2"}, year=2021)
    )
    assert ("a", "b") == differing_entries(
        one, wheel(tmp_path / "m.whl", {"a": b"1", "b": b"2"}, mode=0o600)
    )
    assert () == differing_entries(one, wheel(tmp_path / "same.whl", {"a": b"1", "b": b"2"}))


def test_content_and_owner_count_in_a_source_distribution(tmp_path: Path) -> None:
    one = source(tmp_path / "one.tar.gz", b"1")

    assert ("mprof/a.py",) == differing_entries(one, source(tmp_path / "two.tar.gz", b"2"))
    assert ("mprof/a.py",) == differing_entries(one, source(tmp_path / "own.tar.gz", b"1", owner=7))
