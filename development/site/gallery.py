"""The gallery: twelve reports, each made by one command from the recorded evidence of a case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import mprof
from development.site.pictures import draw, what_is_missing

__all__ = ["EXHIBITS", "PICTURES", "Exhibit", "draw_pictures", "gallery_page", "hang_reports"]

PICTURES: Final = "images/gallery"
"""Where the pictures are, from the folder of the page."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One report of the gallery.

    Attributes:
        case: the folder of the case, in ``cases/``.
        title: what happened, in a few words.
        caption: what the job does, and what to look at in the report; one sentence each.
    """

    case: str
    title: str
    caption: str

    @property
    def report(self) -> str:
        """The name of the file of its report, in the site."""
        return f"{self.name}.html"

    @property
    def name(self) -> str:
        """The name of its case."""
        return self.case.rpartition("/")[2]

    @property
    def picture(self) -> str:
        """The picture of its report, in Markdown."""
        return f"![Report: {self.title}]({PICTURES}/{self.name}.webp)"


EXHIBITS: Final = (
    Exhibit(
        "build-inverted-index", "A set of all values of a key",
        "A reducer puts the documents of each word into a `TreeSet`, and one word is in most "
        "documents. The report names the local variable, its line, its growth and the group.",
    ),
    Exhibit(
        "nlp-lemmatizer", "One line that is far too long",
        "A mapper hands each line to a lemmatizer, whose work on a line needs many times its size. "
        "A further run handed that line to the mapper alone, and it died of it again.",
    ),
    Exhibit(
        "in-mem-word-count", "A map that grows over the whole split",
        "A mapper counts all words of its split in a `HashMap` and writes them at the end. The "
        "report says how it grows, and with which size of split the task fits.",
    ),
    Exhibit(
        "hash-join", "A table that is loaded before the first record",
        "A mapper loads the smaller table of a join in `setup()`. There is no record to blame: the "
        "report names the field that holds the table, and the largest file of the cache.",
    ),
    Exhibit(
        "cdh-job", "A sort buffer that leaves no room",
        "The buffer of the map output takes most of the heap, and the job's own objects the rest. "
        "The report gives the value of `mapreduce.task.io.sort.mb` to set.",
    ),
    Exhibit(
        "shuffle-in-memory", "A partitioner that sends one reducer too much",
        "One of the reducers gets most of the data, and runs out of memory while it fetches it. "
        "The report shows the partitions side by side.",
    ),
    Exhibit(
        "wordcount-like", "Too few reducers",
        "All reducers die in the shuffle, because each gets more than its buffer bears. "
        "The advice is a smaller share for the buffer, and a number of reducers.",
    ),
    Exhibit(
        "pig-order-limit", "A statement of a Pig script",
        "A nested `DISTINCT` gathers one large group in a bag. The report names the alias and the "
        "line of the script, not only Pig's classes.",
    ),
    Exhibit(
        "coverage/hive-collect-list", "A clause of a Hive query",
        "`collect_list` keeps all values of one site. The report names the `GROUP BY` and its line "
        "of the query.",
    ),
    Exhibit(
        "coverage/mapper-threads", "No cause, and still an answer",
        "A mapper measures pictures in twelve threads at once. No rule explains that, so the "
        "report starts with what fills the heap, and says for how many records it is.",
    ),
    Exhibit(
        "controls/native-memory", "A container that YARN killed",
        "A mapper makes a `Deflater` for each line and never ends it; the Java heap stays empty. "
        "The report says which part of the container took the memory, between two bounds.",
    ),
    Exhibit(
        "controls/large-model", "A job that succeeded",
        "Nothing failed. The report says how near its limit the fullest task came, and of what its "
        "heap consisted.",
    ),
)  # fmt: skip

_ADVICE: Final = re.compile(r"\s(?:Fix|Try):\s")
_NEARNESS: Final = "HOW NEAR THE LIMIT\n"
_INTRODUCTION: Final = """\
# Twelve reports

<!-- Made by `make docs`; do not edit. -->

What mprof says of twelve jobs, each from the recorded evidence of a run on a real YARN cluster.
In a checkout the command below an answer makes the whole report, without Java and without a \
cluster.

How to read a report: [reading a report](guides/reading-a-report.md).
All {cases} recordings: [cases](../cases/README.md).
"""


def gallery_page(cases: Path) -> str:
    """The page ``docs/gallery.md``: what a report begins with, and how to make it.

    Args:
        cases: the folder of the cases.
    """
    parts = [_INTRODUCTION.format(cases=sum(1 for _ in cases.rglob("evidence")))]
    parts += [_section(exhibit, _report(exhibit, cases)) for exhibit in EXHIBITS]
    return "\n".join(parts)


def draw_pictures(cases: Path, docs: Path) -> str | None:
    """Draw the top of each report, as a browser shows it.

    Args:
        cases: the folder of the cases.
        docs: the folder of the page.

    Returns:
        What is missing to draw them, so that old pictures stay; None if they were drawn.
    """
    missing = what_is_missing()
    if missing is None:
        reports = {one.name: mprof.render_html(_report(one, cases)) for one in EXHIBITS}
        draw(reports, docs / PICTURES)
    return missing


def hang_reports(pages: Path, *, cases: Path) -> None:
    """Write the reports beside the page in the site, and link it to them.

    Args:
        pages: the folder of the site's pages.
        cases: the folder of the cases.
    """
    folder = pages / "gallery"
    folder.mkdir()
    page = (pages / "gallery.md").read_text(encoding="utf-8")
    for exhibit in EXHIBITS:
        report = mprof.render_html(_report(exhibit, cases))
        (folder / exhibit.report).write_text(report, encoding="utf-8")
        heading = _heading(exhibit)
        whole = f"gallery/{exhibit.report}"
        page = page.replace(heading, f"{heading}\n\n[The report]({whole})", 1)
        page = page.replace(exhibit.picture, f"[{exhibit.picture}]({whole})", 1)
    (pages / "gallery.md").write_text(page, encoding="utf-8")


def _report(exhibit: Exhibit, cases: Path) -> mprof.Diagnosed:
    return mprof.diagnose(cases / exhibit.case / "evidence")


def _heading(exhibit: Exhibit) -> str:
    return f"## {exhibit.title}"


def _section(exhibit: Exhibit, diagnosed: mprof.Diagnosed) -> str:
    command = f"mprof report cases/{exhibit.case}/evidence --html report.html"
    lines = (
        _heading(exhibit), "", exhibit.caption, "",
        f"> {_answer(mprof.render_text(diagnosed))}", "",
        exhibit.picture, "",
        "```", command, "```", "",
        f"[The case](../cases/{exhibit.case}/README.md)", "",
    )  # fmt: skip
    return "\n".join(lines)


def _answer(report: str) -> str:
    """What a report begins with, up to the advice; of a healthy job how near its limit it came."""
    head, _, rest = report.partition("\n\n")
    if rest.startswith(_NEARNESS):
        head += "\n" + rest.removeprefix(_NEARNESS).partition(".\n")[0] + "."
    return " ".join(_ADVICE.split(head)[0].split())
