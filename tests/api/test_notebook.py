"""In a notebook a diagnosis shows its report, and the summary of a heap its largest objects."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from builders.hprof_builder import Builder

import mprof

CASE = Path(__file__).parents[2] / "cases" / "in-mem-word-count" / "evidence"
EVIL = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """The tags of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def shown(value: Any) -> str:
    text = value._repr_html_()
    assert isinstance(text, str)
    return text


def test_a_diagnosis_shows_its_page_in_a_frame_that_reaches_nothing_else() -> None:
    diagnosed = mprof.diagnose(CASE)

    ((tag, attributes),) = Tags(shown(diagnosed)).seen

    assert "iframe" == tag
    assert "allow-scripts" == attributes["sandbox"]  # and not the notebook's own origin
    assert mprof.render_html(diagnosed) == attributes["srcdoc"]
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", attributes["srcdoc"] or "")


def test_the_names_in_a_heap_are_shown_as_text(tmp_path: Path) -> None:
    dump = tmp_path / "small.hprof"
    dump.write_bytes(Builder().build())
    summary = mprof.read_heap(dump)
    odd = replace(summary, classes=(replace(summary.classes[0], name=EVIL),), losses=(EVIL,))

    text = shown(odd)

    assert {"p", "b", "table", "thead", "tbody", "tr", "th", "td"} >= {
        tag for tag, _ in Tags(text).seen
    }
    assert 2 == text.count(html.escape(EVIL))
    assert f"{summary.objects:,} objects" in text
