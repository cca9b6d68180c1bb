"""Nobody is told to install ``mprof``, which is another program: the name is ``mprof-hadoop``."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = ("mprof", "docs", "tests", "requirements", "development", "cases", "Makefile", "README.md",
          "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml")  # fmt: skip
TEXTS = {".py", ".md", ".toml", ".in", ".yml", ".j2", ""}
WRONG = re.compile(
    r"(?<![\w-])mprof\\?\[[a-z]"  # an extra of it
    r"|(?:pip|uv|uvx|pipx)(?: [\w-]+)* install(?: -[\w-]+)* ['\"]?mprof(?![\w-])"
)


def test_what_is_wrong_is_known() -> None:
    for text in (
        "pip install mprof",
        "mprof[spark]",
        "uv tool install mprof\n",
        r"'mprof\[nodes]'",
    ):
        assert WRONG.search(text), text
    for text in ("pip install mprof-hadoop", "mprof-hadoop[spark]", "mprof install"):
        assert not WRONG.search(text), text


def test_no_text_names_the_other_distribution() -> None:
    files = [
        file
        for place in PLACES
        for file in ((ROOT / place).rglob("*") if (ROOT / place).is_dir() else [ROOT / place])
        if file.suffix in TEXTS and file.is_file() and "evidence" not in file.parts
    ]
    assert len(files) > 1000

    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in files
        if file != Path(__file__)
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()
        if WRONG.search(line)
    ]
    assert [] == found
