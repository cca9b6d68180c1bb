"""What a subcommand imports before it starts: a small dump is analysed in less time than that."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from builders.hprof_builder import Builder

from mprof.cli.subcommands import app

ROOT = Path(__file__).parents[2]
SLOW = ("pydantic", "rich", "numba", "msgspec", "pandas", "importlib.metadata")
SAY = f"""
import sys
from mprof.cli import main
try:
    main()
finally:
    print([name for name in {SLOW} if name in sys.modules], file=sys.stderr)
"""


LIBRARIES = ("numpy", "numba", "msgspec", "pandas", "pyarrow", "scipy", "jinja2", "psutil", "py4j")
LARGE_PARTS = ("mprof.evidence", "mprof.rules", "mprof.heap", "mprof.peers", "mprof.store.schema")
LOADED = """
import sys
from mprof.cli import main
loaded = lambda: print([name for name in {} if name in sys.modules], len(sys.modules), file=said)
said = sys.stderr
"""


@pytest.mark.parametrize("words", [["--help"], ["--no-such-option"]], ids=" ".join)
def test_the_help_of_no_verb_and_no_wrong_option_loads_what_takes_long(words: list[str]) -> None:
    # one process: what all of them together have loaded
    verbs = [each.name for each in (*app.registered_commands, *app.registered_groups)]
    code = (
        LOADED.format((*LIBRARIES, *LARGE_PARTS))
        + f"""
for verb in {[None, *verbs]}:
    sys.argv = ["mprof", *filter(None, [verb]), *{words}]
    try:
        main()
    except SystemExit:
        pass
loaded()
"""
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found, modules = done.stderr.splitlines()[-1].rsplit(" ", 1)
    assert "[]" == found
    assert int(modules) < 600


@pytest.mark.parametrize(
    "words",
    [
        "diagnose /no/such", "report /no/such", "rerun /no/such -- true", "heap /no/such --top 0",
        "nodes /no/such", "triage job_1_1 --store /no/such", "view /no/such -o /no/v",
        "import /no/such --store /no/s", "calibrate /no/such -o /no/c", "explain hotspot_key",
        "nodes",
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_before_what_takes_long_is_loaded(words: str) -> None:
    code = (
        LOADED.format((*LIBRARIES[:2], *LIBRARIES[3:], *LARGE_PARTS))
        + """
try:
    main()
finally:
    loaded()
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1].startswith("[] "), done.stderr


# Each verb, up to the first thing that it needs and that is not there, or with next to nothing to
# do; and what of the large libraries and parts it may have loaded until then.
STARTS = {
    "run": ("run -o c -- no-such-command", {"msgspec", "py4j"}),
    "rerun": ("rerun nowhere -- true", set()),
    "diagnose": ("diagnose nowhere", set()),
    "report": ("report nowhere", {"msgspec"}),
    "heap": ("heap nowhere", set()),
    "explain": ("explain no-java", set()),
    "doctor": ("doctor", {"msgspec", "py4j"}),
    "clean": ("clean", {"msgspec"}),
    "compare": ("compare nowhere there", set()),
    "completion": ("completion bash", set()),
    "demo": ("demo --maven-repository http://host/maven2", set()),
    "import": ("import nowhere --store store", set()),
    "nodes": ("nodes nowhere", set()),
    "triage": ("triage nowhere", set()),
    "view": ("view nowhere", set()),
    "calibrate": ("calibrate nowhere -o calibration.json", set()),
    "collect": ("collect --dir metrics --seconds 0", {"msgspec", "psutil"}),
    "cases list": ("cases list", {"msgspec"}),
    "cases run": ("cases run no-such-case", {"msgspec"}),
    "cases replay": ("cases replay no-such-case", {"msgspec"}),
    "cases verify": ("cases verify no-such-case", {"msgspec"}),
    "cluster start": ("cluster start --hadoop none", {"msgspec"}),
    "cluster stop": ("cluster stop", {"msgspec"}),
    "cluster status": ("cluster status", {"msgspec"}),
    "switch on": ("switch on --captures /captures", {"msgspec", "py4j"}),
    "switch off": ("switch off", {"msgspec"}),
    "switch install": ("switch install --captures /captures", {"msgspec", "py4j"}),
    "switch check": ("switch check nowhere", {"msgspec", "py4j"}),
    "switch expire": ("switch expire --older-than 7d", {"msgspec", "py4j"}),
}


def every_verb() -> set[str]:
    verbs = {each.name or each.callback.__name__ for each in app.registered_commands}
    for group in app.registered_groups:
        of_group = group.typer_instance.registered_commands
        verbs |= {
            f"{group.typer_instance.info.name} {each.name or each.callback.__name__}"
            for each in of_group
        }
    return verbs


def test_each_verb_has_its_start() -> None:
    assert set(STARTS) == every_verb()


@pytest.mark.parametrize(("words", "allowed"), STARTS.values(), ids=STARTS)
def test_a_verb_starts_with_no_more_than_it_needs(
    words: str, allowed: set[str], tmp_path: Path
) -> None:
    # Counted, not timed: on a busy machine a second says nothing. Each of them takes 0.05 to 0.5 s.
    code = (
        LOADED.format((*LIBRARIES, *LARGE_PARTS))
        + """
try:
    main()
finally:
    loaded()
"""
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    *_, last = done.stderr.splitlines()
    found, modules = last.rsplit(" ", 1)
    assert set(ast.literal_eval(found)) <= allowed, done.stderr
    assert int(modules) < 600
    assert 70 != done.returncode


@pytest.mark.parametrize("options", [["--json"], ["--json", "--histogram"]], ids=" ".join)
def test_a_dump_is_analysed_without_what_takes_long_to_import(
    tmp_path: Path, options: list[str]
) -> None:
    dump = tmp_path / "small.hprof"
    dump.write_bytes(Builder().build())
    command = [sys.executable, "-c", SAY, "heap", str(dump), *options]
    subprocess.run(command, check=True, capture_output=True)  # kernels are compiled now
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ["[]"] == done.stderr.splitlines()
    assert done.stdout.startswith("{")


def test_all_verbs_have_one_parser_and_say_alike_what_is_wrong() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mprof", "heap", "--top", "0", "x"],
        capture_output=True,
        text=True,
    )
    assert 2 == done.returncode
    assert "mprof: invalid value for '--top': 0 is not in the range x>=1" in done.stderr
    assert "next step: mprof heap --help" in done.stderr
