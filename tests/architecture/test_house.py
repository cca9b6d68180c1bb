"""The laws of the house that a tool can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from mprof.trace import PHASES, DeathKind

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mprof"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def test_a_package_imports_only_from_the_layers_below_it() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stdout


def test_the_product_names_no_case() -> None:
    # Controls are named after a death, a phase or a program: these words are Hadoop's and the
    # JVM's, and a case that bears one has taken it from there.
    own_words = {*get_args(DeathKind), *PHASES}
    slugs = {file.parent.name for file in (ROOT / "cases").rglob("case.toml")} - own_words
    named = [
        f"{path.relative_to(ROOT)}: {slug}"
        for path in SOURCES
        for slug in sorted(slugs)
        if _naming(slug).search(path.read_text(encoding="utf-8"))
    ]

    assert {"in-mem-word-count", "coarse-key", "large-model", "grep"} <= slugs
    assert [] == named


def _naming(slug: str) -> re.Pattern[str]:
    """A slug of several words anywhere; a single English word as a whole string only."""
    return re.compile(rf"\b{slug}\b" if "-" in slug else rf"""["']{slug}["']""")


def test_compiler_flags_stand_in_one_file() -> None:
    flag = re.compile(r"\b(fastmath|boundscheck|nogil|error_model)\s*=")
    users = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if flag.search(path.read_text(encoding="utf-8"))
    ]

    assert ["kernels/_compile.py"] == users


def test_only_the_command_line_prints() -> None:
    printing = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if path.relative_to(PACKAGE).parts[0] != "cli"
        and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
    ]

    assert [] == printing


def test_every_package_exports_on_purpose() -> None:
    silent = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if path.name != "__main__.py" and "__all__" not in path.read_text(encoding="utf-8")
    ]

    assert [] == silent


def test_the_version_is_told_once() -> None:
    from mprof import __version__

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["project"]["version"] == __version__


@pytest.mark.parametrize("folder", ["mprof", "docs", "cases", "jvm-agent", "hadoop-patches"])
def test_no_file_names_a_machine_path(folder: str) -> None:
    path_word = re.compile(r"(^|[^A-Za-z0-9.])/(root|home/[a-z]+|tmp/[a-z]+/[a-z]+)/")
    texts = [
        p
        for p in (ROOT / folder).rglob("*")
        if p.suffix in {".py", ".md", ".java", ".toml", ".xml", ".json", ".jsonl", ".txt"}
        and "target" not in p.parts
    ]
    found = [
        f"{p.relative_to(ROOT)}: {line.strip()[:80]}"
        for p in texts
        for line in p.read_text(encoding="utf-8", errors="replace").splitlines()
        if path_word.search(line)
    ]

    assert [] == found
