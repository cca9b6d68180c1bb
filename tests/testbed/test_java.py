"""Jars of the testbed's Java sources."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from testbed.java import build_jar


@pytest.mark.jvm
def test_a_jar_says_what_it_is_asked_to_however_long(tmp_path: Path) -> None:
    sources = tmp_path / "sources" / "p"
    sources.mkdir(parents=True)
    (sources / "A.java").write_text("package p; public class A {}")
    path = "file:/" + "/".join(["folder"] * 30)

    jar = build_jar(tmp_path / "a.jar", sources.parent, manifest={"Class-Path": path})

    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode().split("\r\n")
        names = archive.namelist()
    assert max(map(len, lines)) <= 72
    assert path in "\r\n".join(lines).replace("\r\n ", "")
    assert "p/A.class" in names
