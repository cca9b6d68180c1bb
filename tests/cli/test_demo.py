"""``mprof demo`` as a wheel has it: in an empty folder, without the checkout and without Java."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest
from builders.maven_repository import Repository, serving
from typer.testing import CliRunner

from mprof.cli import browser
from mprof.cli.browser import has_screen, open_page
from mprof.cli.subcommands import app
from mprof.errors import UsageError

MOST_SECONDS = 20


@pytest.fixture
def stranger(installed: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has nothing but this package and Python."""
    home = tmp_path / "a home"
    home.mkdir()
    return {"HOME": str(home), "PATH": str(home), "PYTHONPATH": str(installed), "LANG": "C.UTF-8"}


def demo(stranger: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mprof", "demo", *words],
        cwd=stranger["HOME"],
        env=stranger,
        capture_output=True,
        text=True,
        timeout=6 * MOST_SECONDS,
    )


def cpu_seconds() -> float:
    """Of ended child processes: other tests that run at the same time do not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page_of(printed: str) -> Path:
    *_, last = printed.splitlines()
    assert last.startswith("page  file:///")
    return Path(unquote(last.removeprefix("page  file://")))


def test_the_recorded_failure_is_reported_in_time(stranger: dict[str, str]) -> None:
    before = cpu_seconds()
    done = demo(stranger)

    assert (0, True) == (done.returncode, cpu_seconds() - before < MOST_SECONDS / 2)
    assert "This is the recording of a real failure" in done.stdout.splitlines()[0]
    assert "mprof demo --live is the real thing" in done.stdout.splitlines()[0]
    assert "held by this.counts" in done.stdout  # a field of job/.../CountingMapper.java
    page = page_of(done.stdout)
    assert Path(stranger["HOME"], "mprof-demo", "report.html") == page
    assert "CountingMapper.java:28" in page.read_text(encoding="utf-8")
    assert ["mprof-demo"] == [each.name for each in Path(stranger["HOME"]).glob("[!.]*")]


def test_a_page_that_is_there_stays(stranger: dict[str, str]) -> None:
    mine = Path(stranger["HOME"], "mine", "report.html")
    mine.parent.mkdir()
    mine.write_text("my own")
    done = demo(stranger, "--output", "mine")

    assert mine.with_name("report-2.html") == page_of(done.stdout)
    assert "my own" == mine.read_text()


def test_where_no_page_can_be_written_the_report_is_printed_and_one_line_says_why(
    stranger: dict[str, str],
) -> None:
    Path(stranger["HOME"], "mprof-demo").touch()
    done = demo(stranger)

    assert 2 == done.returncode
    assert "held by this.counts" in done.stdout
    assert [
        "mprof: the page cannot be written: mprof-demo: File exists",
        "next step: name a folder for it with --output",
    ] == done.stderr.splitlines()[-2:]


def test_the_real_thing_without_java_is_one_line_and_leaves_nothing(
    stranger: dict[str, str],
) -> None:
    done = demo(stranger, "--live")

    assert 4 == done.returncode
    what, next_step = done.stderr.splitlines()
    assert "mprof: no Java was found" == what
    assert "openjdk-17-jre-headless" in next_step
    assert [] == list(Path(stranger["HOME"]).glob("[!.]*"))


@pytest.mark.jvm
@pytest.mark.parametrize(
    "words", [("demo", "--live"), ("cluster", "start"), ("cases", "run", "hash-join")]
)
def test_hadoop_is_asked_for_where_the_option_says(
    words: tuple[str, ...], stranger: dict[str, str]
) -> None:
    # The option goes before the variable, and both before the settings of Maven.
    with serving(Repository({})) as repository:
        done = subprocess.run(
            [sys.executable, "-m", "mprof", *words, "--maven-repository", repository.url],
            cwd=stranger["HOME"],
            env={
                **stranger,
                "PATH": os.environ["PATH"],
                "MPROF_MAVEN_REPOSITORY": "http://127.0.0.1:1/maven2",
            },
            capture_output=True,
            text=True,
            timeout=6 * MOST_SECONDS,
        )

    assert 4 == done.returncode
    assert f"from {repository.url} (once)" in done.stderr
    assert f"mprof: {repository.url} does not give " in done.stderr
    assert repository.asked


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--live", "--maven-repository", "mirror"), "'mirror' is no address of a Maven repo"),
        (("--maven-repository", "http://m/maven2"), "--maven-repository is for --live"),
    ],
)
def test_a_repository_that_is_none_or_has_no_use_is_said_at_once(
    words: tuple[str, ...], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPROF_MAVEN_REPOSITORY", "")  # what the option sets goes with the test
    done = CliRunner().invoke(app, ["demo", *words])

    assert isinstance(done.exception, UsageError)
    assert what in done.exception.what


def test_on_a_screen_the_page_is_opened_and_the_browser_is_not_waited_for(
    stranger: dict[str, str],
) -> None:
    # The browser ends only once somebody reads what it writes, which happens after the demo ended.
    told = Path(stranger["HOME"], "told")
    os.mkfifo(told)
    program = Path(stranger["HOME"], "browser")
    program.write_text(f'#!/bin/sh\necho noise\necho "$1" > "{told}"\n')
    program.chmod(0o755)
    done = demo({**stranger, "DISPLAY": ":0", "BROWSER": f"'{program}' %s", "TERM": "xterm"})
    opened = told.read_text().strip()

    assert done.stdout.splitlines()[-1] == f"page  {opened}"
    assert "noise" not in done.stdout + done.stderr


@pytest.mark.parametrize(("words", "opened"), [([], 1), (["--no-open"], 0)])
def test_a_page_that_is_not_to_be_opened_is_not(
    words: list[str], opened: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(browser, "open_page", asked.append)
    done = CliRunner().invoke(app, ["demo", "--output", str(tmp_path), *words])

    assert 0 == done.exit_code
    assert [page_of(done.stdout).as_uri()] * opened == asked


def test_without_a_screen_no_browser_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser.subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(browser, "has_screen", partial(has_screen, system="linux"))
    open_page("file:///page")


@pytest.mark.parametrize(
    ("system", "variables", "screen"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": "localhost:10.0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "1 2 3 4"}, False),
    ],
)
def test_what_a_graphical_session_is(system: str, variables: dict[str, str], screen: bool) -> None:
    assert screen == has_screen(variables, system=system)


def test_a_browser_in_the_terminal_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []
    monkeypatch.setattr(browser.subprocess, "Popen", lambda _, env, **__: seen.append(env))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("TERM", "xterm")
    open_page("file:///page")

    assert [False] == ["TERM" in each for each in seen]
