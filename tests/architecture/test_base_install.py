"""What is installed without an extra is small, and does what most users want of mprof."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from builders.hprof_builder import Builder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mprof.cli.subcommands import app
from mprof.extras import EXTRAS

ROOT = Path(__file__).parents[2]
CASE = "cases/in-mem-word-count/evidence"
MOST_BYTES = 450_000_000
"""Issue of the first release; 930 MB before there were extras."""

WITH_EXTRAS = {
    "import": ("import", "x", "--store", "y"),
    "nodes": ("nodes", "x"),
    "triage": ("triage", "x", "--store", "y"),
    "view": ("view", "x", "-o", "y"),
    "calibrate": ("calibrate", "x", "-o", "y"),
}

REFUSING = f"""
import sys
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted({one for extra in EXTRAS.values() for one in extra})}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Refusing())
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Mprof where no library of an extra can be imported."""
    code = f"{REFUSING}\nfrom mprof.cli import main\nsys.argv[0] = 'mprof'\nmain()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True
    )


def project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    return found


def closure(requirements: list[str]) -> set[str]:
    """The names of all distributions that these need, as they are installed here."""
    found: set[str] = set()
    pending = [Requirement(each) for each in requirements]
    while pending:
        wanted = pending.pop()
        name = canonicalize_name(wanted.name)
        extras = ("", *wanted.extras)
        if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
            continue
        try:
            needed = distribution(name).requires or ()
        except PackageNotFoundError:
            pytest.fail(f"{wanted} is not installed: pip install -e '.[dev]'")
        for each in map(Requirement, needed if name not in found else ()):
            if not each.marker or any(each.marker.evaluate({"extra": one}) for one in extras):
                each.marker = None
                pending.append(each)
        found.add(name)
    return found


def bytes_of(name: str) -> int:
    files = [Path(str(each.locate())) for each in distribution(name).files or ()]
    return sum(each.stat().st_size for each in files if each.is_file())


def test_what_the_base_installs_takes_no_more_than_its_mark() -> None:
    sizes = {name: bytes_of(name) for name in closure(project()["dependencies"])}  # type: ignore[arg-type]
    own = [each for each in (ROOT / "mprof").rglob("*") if each.suffix != ".pyc"]
    sizes["mprof"] = sum(each.stat().st_size for each in own if each.is_file())
    largest = ", ".join(
        f"{name} {size / 1e6:.0f} MB" for name, size in sorted(sizes.items(), key=lambda x: -x[1])
    )

    assert len(sizes) > 10
    assert sizes["numpy"] > 10_000_000  # files are found and counted
    assert sum(sizes.values()) <= MOST_BYTES, largest


def test_each_library_of_an_extra_is_in_no_base_and_in_its_table() -> None:
    base = closure(project()["dependencies"])  # type: ignore[arg-type]
    asked = project()["optional-dependencies"]
    for extra, libraries in EXTRAS.items():
        names = {
            canonicalize_name(Requirement(each).name)
            for each in asked[extra]  # type: ignore[index]
            if not each.startswith("mprof")
        }
        assert {canonicalize_name(each) for each in libraries.values()} == names
        assert not names & base


def test_the_help_of_every_verb_needs_no_extra() -> None:
    verbs = [each.name for each in (*app.registered_commands, *app.registered_groups)]
    code = f"""{REFUSING}
from mprof.cli import main
for verb in {verbs}:
    sys.argv = ["mprof", verb, "--help"]
    try:
        main()
    except SystemExit as end:
        print(f"ended {{verb}} {{end.code}}", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert len(verbs) > 12
    ended = [line for line in done.stdout.splitlines() if line.startswith("ended")]
    assert [f"ended {verb} 0" for verb in verbs] == ended, done.stderr


@pytest.mark.parametrize(
    "words", [("diagnose", CASE), ("report", CASE), ("report", CASE, "--json")]
)
def test_a_death_is_diagnosed_and_reported_without_any_extra(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert 0 == done.returncode, done.stderr
    assert "large_accumulated_results" in done.stdout


def test_a_page_is_written_without_any_extra(tmp_path: Path) -> None:
    done = run("report", CASE, "--html", str(tmp_path / "report.html"))
    assert 0 == done.returncode, done.stderr
    assert "</html>" in (tmp_path / "report.html").read_text("utf-8")


def test_a_dump_is_summarised_without_any_extra(tmp_path: Path) -> None:
    dump = tmp_path / "small.hprof"
    dump.write_bytes(Builder().build())
    done = run("heap", str(dump), "--json")
    assert 0 == done.returncode, done.stderr
    assert done.stdout.startswith("{")


@pytest.mark.parametrize("topic", ["", "hotspot_key", "bb-window"])
def test_rules_and_detectors_are_explained_without_any_extra(topic: str) -> None:
    done = run("explain", *filter(None, [topic]))
    assert 0 == done.returncode, done.stderr
    assert topic in done.stdout


@pytest.mark.parametrize("words", ["switch check none", "run -o {}/capture -- true"])
def test_what_fails_without_a_cluster_fails_for_that_and_no_library(
    words: str, tmp_path: Path
) -> None:
    done = run(*words.format(tmp_path).split())
    assert done.returncode in (2, 3, 4)
    assert "needs" not in done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize("verb", WITH_EXTRAS)
def test_a_verb_of_an_extra_says_in_one_line_what_it_needs_and_how_to_get_it(verb: str) -> None:
    done = run(*WITH_EXTRAS[verb])
    assert 2 == done.returncode
    said, next_step = done.stderr.splitlines()
    assert f"mprof: mprof {verb} needs pandas" == said
    assert "next step: pip install 'mprof-hadoop[nodes]'" == next_step
    assert "" == done.stdout


def test_sql_over_a_heap_says_so_too_and_the_list_of_examples_needs_nothing() -> None:
    done = run("heap", "x.hprof", "--sql", "SELECT 1")
    assert (2, "") == (done.returncode, done.stdout)
    assert [
        "mprof: mprof heap --sql needs DuckDB", "next step: pip install 'mprof-hadoop[sql]'"
    ] == done.stderr.splitlines()  # fmt: skip
    listed = run("heap", "x.hprof", "--sql-example", "list")
    assert 0 == listed.returncode
    assert "histogram: " in listed.stdout


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("mprof.tables", "notebook"),
        ("import mprof.tables", "notebook"),
        ("mprof.holder_graph", "notebook"),
        ("mprof.heap_tables('x.hprof')", "sql"),
    ],
)
def test_a_part_of_the_python_api_says_what_it_needs_as_an_import_error(
    code: str, extra: str
) -> None:
    whole = f"""{REFUSING}
import mprof
try:
    {code}
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", whole], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(
        rf"mprof\.\w+ needs \w+\. Next step: pip install 'mprof-hadoop\[{extra}\]'\n", done.stdout
    )
