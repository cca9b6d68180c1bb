"""Whatever the evidence says, a page has the elements that it has, and a terminal obeys nothing.

Each view is filled with hostile values in every text that it has, and each page must have the
elements, attributes and scripts that it has with harmless ones.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from builders.hostile import HARMLESS, HOSTILE, WITHOUT, Shape, assert_same_shape, filled, obeyed

from mprof.cli.output import say, say_json, say_text
from mprof.heap.browse import HeapPicture
from mprof.io.printable import file_name, in_json, one_line
from mprof.peers.pictures import Pictures
from mprof.peers.synthesis.ten_values import NAMES
from mprof.peers.synthesis.tree import SicknessTree, TreeNode
from mprof.report.heap import page_of as page_of_heap
from mprof.report.html import page_of as page_of_diagnosis
from mprof.report.json_text import json_text
from mprof.report.lines import in_lines
from mprof.report.markup import css_class, element, script_data
from mprof.report.nodes.html import page_of as page_of_nodes
from mprof.report.nodes.text import text_of as text_of_nodes
from mprof.report.nodes.view import NodesView
from mprof.report.published import Report
from mprof.report.sickness import tree_text
from mprof.report.text import text_of as text_of_diagnosis
from mprof.report.tree_picture import tree_picture
from mprof.report.triage.html import page_of as page_of_triage
from mprof.report.triage.text import text_of as text_of_triage
from mprof.report.triage.view import TriageView

ROOT = Path(__file__).parents[2] / "mprof"
TURNS = range(WITHOUT + 1)


def diagnosis(text: str, turn: int) -> Report:
    return filled(Report, text, turn)


def triage(text: str, turn: int) -> TriageView:
    return filled(TriageView, text, turn)


def nodes(text: str, turn: int) -> tuple[NodesView, Pictures]:
    pictures = filled(Pictures, text, turn)
    moments = tuple(replace(band, at_s=(0.0, 3.0)) for band in pictures.bands)
    return filled(NodesView, text, turn), replace(pictures, bands=moments)


def tree(text: str) -> SicknessTree:
    nodes = (
        TreeNode((6, 2, 1), value=0, cut=1.0, left=1, right=2, missing=3),
        TreeNode((0, 2, 0)),
        TreeNode((6, 0, 1), value=1, left=3, right=4),
        TreeNode((0, 0, 1)),
        TreeNode((6, 0, 0)),
    )
    classes = (f"{text}: this node", "none", f"x: {text}")
    return SicknessTree(NAMES, "all", classes, (3, 4, 2), nodes)


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("turn", TURNS)
def test_a_page_has_no_element_attribute_or_script_of_the_evidence(hostile: str, turn: int) -> None:
    assert_same_shape(lambda text: page_of_diagnosis(diagnosis(text, turn)), hostile=hostile)
    assert_same_shape(
        lambda text: page_of_triage(triage(text, turn), f"file:///{text}"), hostile=hostile
    )
    assert_same_shape(
        lambda text: page_of_nodes(*nodes(text, turn), store=f"store {text}"), hostile=hostile
    )
    assert_same_shape(
        lambda text: page_of_heap(filled(HeapPicture, text, turn), live=turn == 1), hostile=hostile
    )


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_a_drawing_is_xml_with_nothing_of_what_its_texts_say(hostile: str) -> None:
    drawn, plain = tree_picture(tree(hostile)), tree_picture(tree(HARMLESS))

    ET.fromstring(drawn)
    assert {*Shape(drawn).parts} <= {*Shape(plain).parts}
    assert [] == obeyed(drawn)


def test_a_page_of_all_there_can_be_says_all_of_it() -> None:
    """The law is empty for a part of a page that `filled` does not fill."""
    for template in ("report", "triage", "nodes"):
        source = (ROOT / f"report/templates/{template}.html.j2").read_text(encoding="utf-8")
        pages = [
            {"report": page_of_diagnosis(diagnosis(HARMLESS, turn)),
             "triage": page_of_triage(triage(HARMLESS, turn), "file:///x"),
             "nodes": page_of_nodes(*nodes(HARMLESS, turn), store="x")}[template]
            for turn in TURNS
        ]  # fmt: skip
        titles = re.findall(r"<h2>([^<{]+)</h2>", source)
        assert titles or template == "report"
        assert [] == [title for title in titles if not any(f"<h2>{title}" in p for p in pages)]
        assert any("<svg" in page for page in pages)


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("turn", TURNS)
def test_a_terminal_obeys_nothing_of_the_evidence(
    hostile: str, turn: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in _texts(hostile, turn):
        say_text(text)
    say(hostile, on_stderr=True)
    say_json(json.dumps(hostile.encode(errors="replace").decode(), ensure_ascii=False))

    out, err = capsys.readouterr()
    assert [] == obeyed(out + err)
    assert _texts(hostile, turn) == _texts(one_line(hostile), turn)  # of which no text is two lines


def _texts(text: str, turn: int) -> list[str]:
    return [
        text_of_diagnosis(in_lines(diagnosis(text, turn))),
        text_of_triage(in_lines(triage(text, turn))),
        text_of_nodes(in_lines(nodes(text, turn)[0])),
        tree_text(in_lines(tree(text))),
    ]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_json_says_the_same_and_a_terminal_obeys_nothing_in_it(hostile: str) -> None:
    value = {hostile.encode(errors="replace").decode(): [hostile.encode(errors="replace").decode()]}

    assert value == json.loads(json_text(value))
    assert [] == obeyed(json_text(value))
    assert value == json.loads(in_json(json.dumps(value, ensure_ascii=False)))


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_value_may_become_is_the_least_of_its_place(hostile: str) -> None:
    name, word = file_name(hostile), css_class(hostile)
    drawn = element("text", hostile, title=hostile, style=f"bar {hostile}")
    script = script_data({hostile: [hostile]})

    assert name.isascii()
    assert {*re.findall(r"\W", name)} == set()
    assert re.fullmatch(r"[\w-]*", word, re.ASCII)
    ((tag, *given), end) = Shape(drawn).parts
    assert (tag, *given[:2], end) == ("text", "class", "title", ("/text",))
    assert {hostile: [hostile]} == json.loads(script)
    assert not re.search(r"[<>&\u2028\u2029\x00-\x1f]", script)


def test_markup_is_made_in_one_file_only() -> None:
    """Whoever makes markup of a text elsewhere needs a noqa of ruff's S704, or makes it by hand."""
    python = {path: path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    by_hand = r"import escape|__html__|autoescape=False|jinja2\.Environment|class=\\?\"\{"

    makers = {path.name for path, text in python.items() if "noqa: S704" in text}
    assert {"markup.py"} == makers
    assert {"page.py"} == {path.name for path, text in python.items() if re.search(by_hand, text)}
    for path in ROOT.rglob("*.j2"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|=\{\{|\bstyle=|\bon\w+=|javascript:", text), (
            path
        )
        words = re.findall(r'class="[^"]*?\{\{([^}]*)\}\}', text)
        assert all(each.strip().endswith("|css_class") for each in words), path


def test_the_scripts_of_pages_make_no_markup_of_a_text() -> None:
    ways = (
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|srcdoc|DOMParser"
    )
    for path in (ROOT / "views/page").glob("*.js"):
        assert not re.search(ways, path.read_text(encoding="utf-8")), path
