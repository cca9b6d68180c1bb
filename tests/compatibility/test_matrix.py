"""The matrix of settings: what counts as harm, how the agent is damaged, and its page."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from compatibility.__main__ import PAGE, RESULTS
from compatibility.finding import Finding
from compatibility.page import compatibility_page
from compatibility.results import Results, read_results, write_results
from compatibility.rows import ROWS
from compatibility.tampering import INSTALLED, WAYS, tamper, without_members
from compatibility.things import Things
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES

ROW = ROWS[0]
WELL = Finding(ROW.name, "count", starts=True, attempts=2, attached=2, same_output=True)


@pytest.mark.parametrize(
    ("finding", "harms", "is_silent"),
    [
        (WELL, False, False),
        (Finding("a", "count", not_tried="no JDK"), False, False),
        (Finding("a", "count", refused="mprof: the jar is damaged"), False, False),
        (Finding("a", "count", starts=False, attempts=1, attached=1), True, False),
        (Finding("a", "count", starts=True, attempts=1, attached=1, exit=(0, 1)), True, False),
        (
            Finding("a", "count", starts=True, attempts=1, attached=1, same_output=False),
            True,
            False,
        ),
        (
            Finding("a", "count", starts=True, attempts=1, attached=1, death=(("a",), ("b",))),
            True,
            False,
        ),
        (Finding("a", "count", starts=True, attempts=2, attached=1), False, True),
        (Finding("a", "count", starts=True, attempts=2, attached=1, says=("why",)), False, False),
    ],
)
def test_what_is_harm_and_what_is_silence(finding: Finding, harms: bool, is_silent: bool) -> None:
    assert (finding.harms, finding.is_silent) == (harms, is_silent)


def test_rows_have_names_of_their_own_and_name_what_there_is(tmp_path: Path) -> None:
    names = [row.name for row in ROWS]
    things = Things(tmp_path, {})
    asked = {
        field
        for row in ROWS
        for option in row.options
        for field in things.keys() | {"lib"}
        if "{" + field + "}" in option
    }

    assert len(names) == len(set(names))
    assert {row.tamper for row in ROWS} <= {"", *WAYS, *INSTALLED}
    assert {"jdk11", "jacoco", "otel", "lib", "read_only"} <= asked
    left = [option for row in ROWS for option in row.options if option.count("{") != 0]
    assert all(any("{" + field + "}" in option for field in asked) for option in left)


def _staged(folder: Path) -> Path:
    archive = folder / "mprof.zip"
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as packed:
        packed.writestr("org/mprof/agent/Premain.class", b"a" * 4000)
        packed.writestr("org/mprof/agent/Settings.class", b"b" * 4000)
        packed.writestr("META-INF/maven/x", b"c")
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(AGENT_JAR, jar.getvalue())
        packed.writestr(PATCHED_CLASSES, b"patched" * 1000)
    (folder / "mapred-site.xml").write_text(
        "<configuration><property><name>mapreduce.job.cache.archives</name>"
        f"<value>file:/user.zip#x,file:{archive}#mprof</value></property></configuration>"
    )
    return archive


@pytest.mark.parametrize("way", sorted(WAYS))
def test_each_way_of_damage_changes_one_member_of_what_is_staged(tmp_path: Path, way: str) -> None:
    archive = _staged(tmp_path)
    with zipfile.ZipFile(archive) as packed:
        before = {name: packed.read(name) for name in packed.namelist()}

    assert tamper(tmp_path, WAYS[way])

    with zipfile.ZipFile(archive) as packed:
        after = {name: packed.read(name) for name in packed.namelist()}
    expected = PATCHED_CLASSES if way.startswith("patched") else AGENT_JAR
    assert [expected] == [name for name in before if after.get(name) != before[name]]


def test_a_plain_configuration_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mapred-site.xml").write_text("<configuration/>")

    assert not tamper(tmp_path, WAYS["missing"])


def test_a_jar_without_a_member_is_whole_otherwise(tmp_path: Path) -> None:
    with zipfile.ZipFile(_staged(tmp_path)) as packed:
        jar = packed.read(AGENT_JAR)

    with zipfile.ZipFile(io.BytesIO(without_members(jar, r"Settings\.class"))) as left:
        assert left.testzip() is None
        assert ["META-INF/maven/x", "org/mprof/agent/Premain.class"] == sorted(left.namelist())


def test_a_row_that_was_run_is_not_run_again_unless_its_jobs_have_changed(tmp_path: Path) -> None:
    findings = [Finding(ROW.name, job) for job in ROW.jobs]
    results = Results().with_row(ROW, findings, {"jdk17": "17.0.1"})
    write_results(tmp_path / "r.json", results)

    read = read_results(tmp_path / "r.json")

    assert read == results
    assert read.has(ROW)
    assert not read.has(ROWS[1])
    assert not Results(findings=tuple(findings[1:])).has(ROW)
    assert results == results.with_row(ROW, findings, {})


def test_the_page_shows_what_differs_and_what_is_open() -> None:
    bad = Finding(ROW.name, "count", starts=True, attempts=1, exit=(0, 1), death=((), ("Error",)))
    page = compatibility_page(Results({}, (bad,)))

    assert "Jobs that ended differently under mprof: 1.\n" in page
    assert "**0, under mprof 1**" in page
    assert "**none, under mprof Error**" in page
    assert "0 of 1, **nothing says why**" in page
    assert f"{len(ROWS)} settings have not been run yet" in page


def test_the_page_of_the_documentation_is_made_of_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == compatibility_page(read_results(RESULTS))
