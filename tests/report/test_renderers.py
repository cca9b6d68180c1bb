"""The law of the renderers: they put the view on paper, and judge nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mprof.report

PACKAGE = Path(mprof.report.__file__).parent
OF_OTHERS = ["nodes/text", "nodes/html", "triage/text", "triage/html"]
DRAWING = ["charts", "lanes", "node_pictures", "node_rows", "svg", "ticks"]
WORDING = ["text", "html", "summary", "sentences", "page", *OF_OTHERS]
RENDERERS = [*WORDING, *DRAWING]
# What fits on the paper: columns, and lines before "... 5 more".
PAPER = {"WIDTH", "MOST_FRAMES", "MOST_POINTS", "MOST_PROCESSES"}
MAY_IMPORT = {
    "mprof.objects.words",
    "mprof.report",
    "mprof.report.account",
    "mprof.report.charts",
    "mprof.report.lanes",
    "mprof.report.markup",
    "mprof.report.names",
    "mprof.report.node_pictures",
    "mprof.report.node_rows",
    "mprof.report.nodes.view",
    "mprof.report.others",
    "mprof.report.page",
    "mprof.report.sentences",
    "mprof.report.summary",
    "mprof.report.svg",
    "mprof.report.ticks",
    "mprof.report.times",
    "mprof.report.triage.view",
    "mprof.exit_code",
    "mprof.units",
    "mprof.version",
    # frozen values that pictures show
    "mprof.evidence",
    "mprof.patterns",
    "mprof.peers.pictures",
    "mprof.triage",
}


PUBLISHED = {
    f"mprof.report.published.{path.stem}" for path in (PACKAGE / "published").glob("[a-z]*.py")
}


def tree_of(name: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*RENDERERS, "names", "account"])
def test_a_renderer_sees_the_view_and_its_words_only(name: str) -> None:
    modules = {
        node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree_of(name))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }

    assert {one for one in modules if one.split(".")[0] == "mprof"} - PUBLISHED <= MAY_IMPORT


@pytest.mark.parametrize("name", WORDING)
def test_a_renderer_ranks_and_compares_nothing(name: str) -> None:
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    found = [
        ast.unparse(node)
        for node in ast.walk(tree_of(name))
        if (isinstance(node, ast.Compare) and any(isinstance(op, ordering) for op in node.ops))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name | ast.Attribute)
            and getattr(node.func, "id", getattr(node.func, "attr", ""))
            in {"sorted", "sort", "min", "max", "known"}
        )
    ]

    assert [] == found


@pytest.mark.parametrize("name", WORDING)
def test_a_renderer_has_no_number_but_those_of_its_paper(name: str) -> None:
    tree = tree_of(name)
    named = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, int | float)
    }
    shares = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    ]

    assert named <= PAPER
    assert [] == shares


@pytest.mark.parametrize("name", sorted(p.name for p in PACKAGE.glob("templates/*.j2")))
def test_a_template_compares_nothing(name: str) -> None:
    template = (PACKAGE / "templates" / name).read_text(encoding="utf-8")
    tags = [part.split("%}")[0] for part in template.split("{%")[1:]]

    assert [] == [tag for tag in tags if "<" in tag or ">" in tag or "sort" in tag]
