"""A link of the site that leads nowhere is found, and so is what comes from another host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages.commands import ROOT

from development.site.links import faults_of
from development.site.pages import gather_pages

CODE = "```\n[l](../../SECURITY.md)\n```\n"


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ('<a href="guides/heap.html#dumps">', None),
        ('<a href="guides/heap.html#named">', None),
        ('<a href="#here">', None),
        ('<a href="picture.png">', None),
        ('<a href="https://example.org/nowhere">', None),
        ('<img src="data:image/png;base64,AA">', None),
        ('<a href="guides/heap.html#dump">', "there is no such anchor"),
        ('<a href="#there">', "there is no such anchor"),
        ('<a href="guides/heaps.html">', "there is no such file"),
        ('<a href="guides/">', "there is no such file"),
        ('<a href="../secret.html">', "it leads out of the site"),
        ('<a href="/index.html">', "it begins with /, and works on one server only"),
        ('<img src="pictures.png">', "there is no such file"),
        ('<script src="https://example.org/x.js"></script>', "it is loaded from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "it is loaded from elsewhere"),
        ('<link rel="preconnect" href="https://example.org">', "it is loaded from elsewhere"),
    ],
)
def test_each_kind_of_fault_of_a_link_is_told(
    tmp_path: Path, link: str, reason: str | None
) -> None:
    site = tmp_path / "site"
    (site / "guides").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("")
    (site / "picture.png").write_bytes(b"")
    (site / "guides" / "heap.html").write_text('<h2 id="dumps">Dumps</h2><a name="named"></a>')
    (site / "index.html").write_text(f'<p id="here">{link}</p>')

    assert [reason] * (reason is not None) == [fault.reason for fault in faults_of(site)]


def test_pages_are_gathered_with_links_that_lead_to_each_other(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    files = {
        "docs/index.md": "[s](../SECURITY.md) [n](../licenses/site/NOTICE.txt) "
        "[r](reference/#rules) [x](https://a.b/c.md)\n",
        "docs/reference/README.md": "[case](../../cases/a/README.md)\n" + CODE,
        "docs/decisions/README.md": "# Decisions\n\nMade by `make docs`; do not edit.\n\n",
        "docs/decisions/0001-first.md": "# The first\n",
        "docs/picture.png": "",
        "cases/a/README.md": "[it](../../docs/reference/README.md) [gone](nowhere.md)\n",
        "cases/a/job/Job.java": "",
        "SECURITY.md": "[page](docs/index.md)\n",
        "licenses/asm.txt": "",
        "licenses/site/NOTICE.txt": "",
        "CONTRIBUTING.md": "",
        "CHANGELOG.md": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    target = tmp_path / "pages"
    (target / "old").mkdir(parents=True)

    gather_pages(root, target)

    expected = {
        "index.md": "[s](SECURITY.md) [n](licenses/NOTICE.txt) "
        "[r](reference/README.md#rules) [x](https://a.b/c.md)\n",
        "reference/README.md": "[case](../cases/a/README.md)\n" + CODE,
        "decisions/README.md": "# Decisions\n\n\n- [The first](0001-first.md)\n",
        "decisions/0001-first.md": "# The first\n",
        "picture.png": "",
        "cases/a/README.md": "[it](../../reference/README.md) [gone](nowhere.md)\n",
        "SECURITY.md": "[page](index.md)\n",
        "licenses/NOTICE.txt": "",
        "CONTRIBUTING.md": "",
        "CHANGELOG.md": "",
    }
    found = {
        str(file.relative_to(target)): file.read_text()
        for file in target.rglob("*")
        if file.is_file()
    }
    assert expected == found
    assert not (target / "old").exists()


def test_links_of_the_pages_lead_to_files() -> None:
    # Of the site itself `make site` checks links and anchors, for which it needs Zensical.
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for folder in ("docs", "cases")
        for page in (ROOT / folder).rglob("*.md")
        for link in links_of(page)
        if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists()
    ]
    assert [] == broken


def links_of(page: Path) -> list[str]:
    """What a page links to, outside of code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", text)
