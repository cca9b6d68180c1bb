"""The tree of sicknesses as a picture and as text."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.sickness import Sickness
from mprof.peers.synthesis.ten_values import NAMES
from mprof.peers.synthesis.tree import Classified, SicknessTree, Step, TreeNode, classified
from mprof.report.sickness import confusion_text, kinds_json, kinds_text, path_in_words, tree_text
from mprof.report.tree_picture import tree_picture

# bb-window of the node up to 1, or not known: none; above: by the delay, known or not
TREE = SicknessTree(
    values=NAMES,
    others="all",
    classes=("hog & co: this node", "none", "stop: the master"),
    experiments=(3, 4, 2),
    nodes=(
        TreeNode((6, 20, 12), value=0, cut=1.0, left=1, right=2, missing_left=True, missing=3),
        TreeNode((0, 20, 0)),
        TreeNode((6, 0, 12), value=4, left=3, right=4, missing_left=False, missing=6),
        TreeNode((1, 0, 12)),
        TreeNode((5, 0, 0)),
    ),
)
SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_has_a_box_for_each_node_and_an_edge_to_each_but_the_root() -> None:
    root = ET.fromstring(tree_picture(TREE))
    boxes = root.findall(f"{SVG}g/{SVG}rect")

    assert 5 == len(boxes)
    assert 4 == len(root.findall(f"{SVG}path"))
    assert ["test", "healthy", "test", "master", "this"] == [box.get("class") for box in boxes]


def test_no_box_lies_on_another_or_beyond_the_edge() -> None:
    root = ET.fromstring(tree_picture(TREE))
    boxes = [
        tuple(float(str(box.get(name))) for name in ("x", "y", "width", "height"))
        for box in root.findall(f"{SVG}g/{SVG}rect")
    ]
    width, height = float(str(root.get("width"))), float(str(root.get("height")))

    for (x, y, w, h), (other_x, other_y, other_w, other_h) in combinations(boxes, 2):
        apart = x + w < other_x or other_x + other_w < x or y + h < other_y or other_y + other_h < y
        assert apart
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    text = tree_picture(TREE)

    assert ["http://www.w3.org/2000/svg"] == re.findall(r"https?://[^\"<]+", text)
    assert "<script" not in text
    assert "hog &amp; co" in text


def test_the_text_has_every_comparison_and_every_leaf() -> None:
    assert tree_text(TREE).splitlines() == [
        "bb-window, the node: up to 1, or not known",
        "    none (20 of 20 vectors)",
        "bb-window, the node: above 1",
        "    hb-delay, the node: known",
        "        stop: the master (12 of 13 vectors)",
        "    hb-delay, the node: not known",
        "        hog & co: this node (5 of 5 vectors)",
    ]


def _kind(host: str, first: float, fifth: float) -> Sickness:
    return Sickness(host, classified(TREE, [first, 0, 0, 0, fifth, 0, 0, 0, 0, 0]))


def test_of_a_suspect_its_kind_is_said_and_how_it_came_to_that() -> None:
    kinds = [_kind("a", 2.5, float("nan")), _kind("b", 0.5, 0), _kind("c", 2.5, 0)]

    assert kinds_text(kinds, {"a"}) == [
        "a: hog & co (100% of 5 such vectors, learnt from 3 runs)",
        "  bb-window, the node: 2.5, above 1; hb-delay, the node: not known",
        "stop: the master, as 1 of 3 nodes show it",
    ]
    assert kinds_text(kinds[:1], ())[0].endswith("though no detector indicts it")
    assert kinds_text(kinds[1:2], {"b"})[0].startswith("b: as in a run without a fault")
    assert [] == kinds_text(kinds[1:2], ())


def test_where_the_tree_cannot_tell_it_says_why() -> None:
    unknown = Classified(None, 0.0, 4, 0, (), why_not="x is not known")

    assert kinds_text([Sickness("a", unknown)], {"a"})[0] == "a: cannot tell, x is not known"
    assert kinds_json([Sickness("a", unknown)])[0]["class"] is None


def test_of_comparisons_of_one_value_the_narrowest_are_said() -> None:
    path = (Step("x", 2.0, 1.0, True), Step("x", 2.0, 5.0, False), Step("x", 2.0, 1.5, True))

    assert "x: 2, not above 5; x: 2, above 1.5" == path_in_words(
        Classified("none", 1.0, 3, 3, path)
    )


@pytest.mark.parametrize("large", [4, 12345])
def test_the_columns_of_the_matrix_stand_under_their_heads(large: int) -> None:
    matrix = Confusion("all", ("a: this node", "none"), (1, 2), ((0, large, 1), (2, 3, 0)))
    head, *rows = confusion_text(matrix).splitlines()

    ends = [place + 1 for place, letter in enumerate(head) if letter != " "]
    assert [row[end - 1] for row in rows for end in ends] == [
        ".",
        str(large)[-1],
        "1",
        "2",
        "3",
        ".",
    ]
    assert rows[0].endswith("a: this node (1 run)")
