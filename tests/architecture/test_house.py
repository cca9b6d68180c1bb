"""The laws of the house that a tool can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from mprof.trace import PHASES, DeathKind

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mprof"
SOURCES = sorted(PACKAGE.rglob("*.py"))


def test_a_package_imports_only_from_the_layers_below_it() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stdout


def test_the_product_names_no_case() -> None:
    # Controls are named after a death, a phase or a program: these words are Hadoop's and the
    # JVM's, and a case that bears one has taken it from there.
    own_words = {*get_args(DeathKind), *PHASES}
    cases = (ROOT / "cases").rglob("case.toml")
    slugs = {tomllib.loads(file.read_text())["slug"] for file in cases} - own_words
    named = [
        f"{path.relative_to(ROOT)}: {slug}"
        for path, text in zip(SOURCES, map(_text, SOURCES), strict=True)
        for slug in sorted(slugs)
        if slug in text and _naming(slug).search(text)
    ]

    assert {"in-mem-word-count", "coarse-key", "large-model", "grep"} <= slugs
    assert [] == named


def _naming(slug: str) -> re.Pattern[str]:
    """A slug of several words anywhere; a single English word as a whole string only."""
    return re.compile(rf"\b{slug}\b" if "-" in slug else rf"""["']{slug}["']""")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_compiler_flags_stand_in_one_file() -> None:
    flag = re.compile(r"\b(fastmath|boundscheck|nogil|error_model)\s*=")
    users = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if flag.search(path.read_text(encoding="utf-8"))
    ]

    assert ["kernels/_compile.py"] == users


def test_only_the_command_line_prints() -> None:
    printing = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if path.relative_to(PACKAGE).parts[0] != "cli"
        and any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
    ]

    assert [] == printing


def test_every_package_exports_on_purpose() -> None:
    silent = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if path.name != "__main__.py" and "__all__" not in path.read_text(encoding="utf-8")
    ]

    assert [] == silent


def test_python_and_java_are_of_one_version() -> None:
    from mprof import __version__

    project = tomllib.loads(_text(ROOT / "pyproject.toml"))
    modules = [*ROOT.glob("jvm-agent/*/pom.xml"), *ROOT.glob("hadoop-patches/*/pom.xml")]

    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"] == {"path": "mprof/version.py"}
    assert f"<revision>{__version__}</revision>" in _text(ROOT / "pom.xml")
    assert len(modules) >= 9
    for pom in modules:
        assert "<version>${revision}</version>" in _text(pom), pom


@pytest.mark.parametrize("folder", ["mprof", "docs", "cases", "jvm-agent", "hadoop-patches"])
def test_no_file_names_a_machine_path(folder: str) -> None:
    path_word = re.compile(r"(^|[^A-Za-z0-9.])/(root|home/[a-z]+|tmp/[a-z]+/[a-z]+)/")
    texts = [
        p
        for p in (ROOT / folder).rglob("*")
        if p.suffix in {".py", ".md", ".java", ".toml", ".xml", ".json", ".jsonl", ".txt"}
        and "target" not in p.parts
    ]
    found = [
        f"{p.relative_to(ROOT)}: {line.strip()[:80]}"
        for p in texts
        for line in p.read_text(encoding="utf-8", errors="replace").splitlines()
        if path_word.search(line)
    ]

    assert [] == found


# Definitions of statistics and of arithmetic, not decisions: the quartiles and the factor of a
# fence (NIST 7.1.6), the third parameters that a law of growth may have, the corrected Akaike
# criterion, what a good fit is called, twice an error.
_DEFINITIONS = {
    "evidence/assemble/memory.py": {2048},  # regions that G1 aims at
    "evidence/distribution.py": {0.5, 2},
    "patterns/fences.py": {0.25, 0.75, 1.5},
    "patterns/growth/laws.py": {
        0.5,
        2,
        3,
        4,
        10,
        20,
        21,
        22,
        25,
        36,
        37,
        40,
        81,
        1e3,
        1e4,
        1e6,
        0.97,
        6,
    },
    "patterns/growth/subject.py": {2},
    "patterns/skew.py": {2},
    "evidence/assemble/choice.py": {1 << 30, 30, 2},
}
_BOUNDS = re.compile(r"^_MOST_[A-Z]+$")
"""How much is kept or shown of something; more of it would change no verdict."""

# In these rooms besides: what a byte was measured to cost, what frameworks set by default,
# how many rows are read at once, and to what sizes are rounded.
_NO_DECISION = re.compile(
    r"^_?MOST_[A-Z_]+$|_PER_(LIVE_)?BYTE(_READ)?$|_DEFAULT$|^_DEFAULT_|_AT_ONCE$|^_STEPS?(_MB)?$"
)
_OF_OTHER_ROOMS = {
    # of Mann and Whitney's deviation, a continuity correction and the points of a distribution
    "peers/statistics/against_the_rest.py": {12.0, 0.5, 200, 64.0, 97},
    "advice/applying.py": {64},  # megabytes that -Xmx is a multiple of
    "advice/first_aid.py": {60},  # halvings of an interval
    # parts where nothing was measured; a round number; the default of io.file.buffer.size
    "advice/of_code.py": {8, 10, 4096},
    "advice/of_map.py": {9},  # from a half to an eighth of a split
    "advice/of_reduce.py": {1.25},  # MergeManagerImpl: a single segment, beside its limit
    "advice/properties.py": {0.8, 4, 64, 128, 512},  # Hadoop's ratio; sizes are multiples of these
    "advice/shares.py": {0.01, 100},  # two digits
    "objects/columns.py": {3, 4},  # kinds of nodes
    "objects/regions.py": {6},  # sizes of a region, by powers of two
    "objects/summary.py": {20},  # a megabyte, as a power of two
    "peers/live.py": {1800.0},  # three times as often as a node reports its health
    "objects/scalar_replaced.py": {10},  # ArrayList.DEFAULT_CAPACITY
    # a half-life, steps between two that do not follow each other, a minute
    "peers/detectors/repeated_alarms.py": {0.5, 1.5, 60.0},
    "peers/detectors/bb_loss.py": {1e-3, 1e6, 1e12, 1e15, 1448.0},  # units; no counter's value
    "peers/calibration/published.py": {1e-3},  # of which a score is a multiple
    "peers/detectors/bb_profile.py": {0.5},
    "peers/detectors/bb_window.py": {8, 64, 95, 250_000, 1e15, 0.5},  # pieces; quantiles
    "peers/detectors/hb_delay.py": {1.4826, 4},  # of a normal distribution; columns
    "peers/detectors/hb_rate.py": {0.5, 60.0},  # the middle of a step; a minute
    "peers/detectors/wb_ends.py": {100},  # per cent
    "peers/detectors/wb_jobs.py": {0.5, 100},  # half an event more; per cent
    "peers/findings.py": {0.05, 0.95},  # nine tenths of the rows that are shown as disputed
    "peers/profiles/labelled.py": {1e15},
    "peers/profiles/profile_model.py": {50_000},  # rows of a piece
    "peers/published/blimey_bb.py": {63},  # 1 << 63
    "peers/published/blimey_hb.py": {0.5, 3, 5.0, 100},  # of a kernel, and of a regression
    "peers/published/blimey_wb.py": {
        0.2,
        0.25,
        0.75,
        0.9,
        1.34,
        4.0,  # Silverman's rule
        0.49,  # a table of thresholds
    },
    "peers/published/kahuna_wb.py": {0.33, 0.34, 0.68},  # a table of thresholds
    "peers/published/profile_histograms.py": {0.5},  # a half-life
    "peers/published/verdicts.py": {0.5},  # a half-life
    "peers/statistics/completions.py": {7.0},  # where a kernel has ended
    "peers/statistics/share.py": {0.95, 100},  # of an interval of confidence
    "peers/tables/clocks.py": {5.0},  # seconds of a bin of activity
    "peers/verdict/clocks.py": {7200.0},  # of metrics that are looked at again
    "peers/verdict/heard_otherwise.py": {60},  # a minute
    # of ranks; two nodes; a tick; of what could have been seen, which names nobody
    "peers/tables/durations.py": {12.0, 0.5, 3, 1e-6, 0.95, 0.1},
    "peers/tables/job_scores.py": {0.37, 1.2533, 1.4826, 3, 1e-3, 1e-9},  # of a normal distribution
    "peers/tables/metric_survey.py": {3600.0, 1e15},
    "peers/verdict/islands.py": {30},  # 1 << 30
    "plan/counting.py": {3, 5, 60},  # seconds that an attempt waits for others
    "plan/make.py": {3, 7, 64, 1024},  # the paper's points; tasks and points of each range
    "triage/failing_jobs.py": {0.5},  # half an event more, as a rate of none is not nothing
    "triage/failures.py": {160},  # characters that are quoted
    "triage/settings.py": {10, 16, 0.8, 1000},  # MapTask's; milliseconds; what a split is made
}
_WITHOUT_DECISION = {
    "peers/calibration/sensitivity.py",  # the values that `mprof calibrate` tries
    "peers/pictures.py",  # a picture
    "peers/statistics/least_difference.py",  # a table of thresholds
}


def _numbers_of_other_rooms(path: Path) -> list[str]:
    """The same for the rooms beside evidence, patterns and rules, where 2 is a pair or a half."""
    name = str(path.relative_to(PACKAGE))
    if name in _WITHOUT_DECISION:
        return []
    allowed = {2, *_OF_OTHER_ROOMS.get(name, set())}
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    for one in _numbers_that_decide(path):
        place, value = one.split(": ")
        line = place.rpartition(":")[2]
        constant = re.match(r"\w+", lines[int(line) - 1])
        is_bound = constant is not None and _NO_DECISION.search(constant.group())
        if not is_bound and float(value) not in allowed:
            found.append(one)
    return found


def _numbers_that_decide(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed: set[int] = set()
    for node in ast.walk(tree):
        is_threshold = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Threshold"
        is_example = isinstance(node, ast.FunctionDef) and ast.unparse(
            node.returns or ast.Constant(None)
        ) in {"Evidence", "GroupSizes"}
        names = []
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [getattr(target, "id", "") for target in targets]
        of_rule = "RULE" in names or any(
            name in {"_EVEN", "_SMALL", "_LINES", "_MODEL"} for name in names
        )
        if is_threshold or is_example or of_rule or any(_BOUNDS.match(name) for name in names):
            allowed |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.Subscript):  # a place in a tuple
            allowed |= {id(each) for each in ast.walk(node.slice)}
    definitions = _DEFINITIONS.get(str(path.relative_to(PACKAGE)), set())
    return [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and type(node.value) in (int, float)
        and node.value not in {0, 1, *definitions}
        and id(node) not in allowed
    ]


def test_files_of_others_are_opened_in_one_place() -> None:
    """Whatever stands where a file should be (a pipe, a device) is met there, and nowhere else."""
    readers = (
        "trace",
        "history",
        "hprof",
        "runs",
        "plan",
        "evidence",
        "objects",
        "heap",
        "sources",
    )
    opens = re.compile(r"(?<!os)\.(?:open|read_bytes|read_text)\(|(?<![\w.])open\(")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in SOURCES
        if path.relative_to(PACKAGE).parts[0] in readers
        for line in path.read_text(encoding="utf-8").splitlines()
        # An address is no file, and what is written is our own.
        if opens.search(line) and "build_opener" not in line and '"wb"' not in line
    ]

    assert [] == found


def test_what_is_printed_goes_through_the_files_that_make_it_harmless() -> None:
    prints = re.compile(r"typer\.echo|\bprint\(|sys\.(?:stdout|stderr)\.write")
    printing = {
        path.name
        for path in (PACKAGE / "cli").glob("*.py")
        if prints.search(path.read_text(encoding="utf-8").replace("console.print(", ""))
    }

    # heap: its progress, on a terminal; main: the last words.
    assert printing == {"output.py", "terminal.py", "heap.py", "main.py"}


def test_no_number_decides_without_a_name_a_unit_and_a_reason() -> None:
    rooms = ("evidence", "patterns", "rules")
    files = [p for p in SOURCES if p.relative_to(PACKAGE).parts[0] in rooms]
    left_out = {"examples.py", "pages.py"}
    found = [
        line
        for path in (*files, PACKAGE / "diagnosis.py", PACKAGE / "diagnosed.py")
        if path.name not in left_out
        for line in _numbers_that_decide(path)
    ]
    others = ("advice", "objects", "peers", "plan", "triage")
    for path in (p for p in SOURCES if p.relative_to(PACKAGE).parts[0] in others):
        found += _numbers_of_other_rooms(path)

    assert [] == found
