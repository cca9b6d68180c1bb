"""Where code adds to containers, against the comments of a program that says so itself."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mprof.bytecode import JobCode, open_code
from mprof.bytecode.class_file import ClassFile, ClassFileError
from mprof.bytecode.fills import fills_in
from mprof.code_site import CodeSite
from mprof.hadoop.java import java_home

pytestmark = pytest.mark.jvm

SOURCE = Path(__file__).parent / "java" / "Fillers.java"
CLASS = "com.example.fill.Fillers"


def _marked() -> dict[str, list[int]]:
    """By container the lines that fill it, as the program's comments have them."""
    lines = defaultdict(list)
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        for name in re.findall(r"// fills (.+)$", line):
            lines[name].append(number)
    return lines


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program compiled with lines and without the names of locals, as Maven does at least."""
    folder = tmp_path_factory.mktemp("classes")
    javac = java_home() / "bin" / "javac"
    subprocess.run([javac, *SOON_OVER, "-g:source,lines", "-d", folder, SOURCE], check=True)
    return folder


@pytest.fixture(scope="module")
def code(classes: Path) -> Iterator[JobCode]:
    with open_code([classes, SOURCE.parent]) as opened:
        yield opened


@pytest.mark.parametrize("name", _marked())
def test_the_lines_that_fill_a_container_are_those_that_say_so(code: JobCode, name: str) -> None:
    if name.startswith("local "):
        found = code.fills_of_local(CLASS, "local", f"java.util.{name.removeprefix('local ')}")
    else:
        found = code.fills_of_field(CLASS, tuple(name.split(".")))

    assert _marked()[name] == [one.line for one in found]
    for one in found:
        assert one.file == SOURCE.name
        assert f"// fills {name}" in (code.line_of(one) or "")


def test_what_nothing_fills_has_no_lines(code: JobCode) -> None:
    assert code.fills_of_field(CLASS, ("right",)) == ()
    assert code.fills_of_field(CLASS, ("no such field",)) == ()
    assert code.fills_of_field("com.example.Missing", ("list",)) == ()
    assert code.fills_of_local(CLASS, "local", "java.util.TreeMap") == ()
    assert code.fills_of_local(CLASS, "plain", "java.util.HashMap") == ()


def test_a_jar_says_the_same_as_its_classes(classes: Path, code: JobCode, tmp_path: Path) -> None:
    jar = tmp_path / "job.jar"
    subprocess.run([java_home() / "bin" / "jar", "cf", jar, "-C", classes, "."], check=True)

    with open_code([jar]) as of_jar:
        assert of_jar.unread == []
        for name in ("list", "groups", "QUEUE"):
            assert code.fills_of_field(CLASS, (name,)) == of_jar.fills_of_field(CLASS, (name,))


def test_classes_are_found_wherever_a_build_puts_them(
    classes: Path, code: JobCode, tmp_path: Path
) -> None:
    shutil.copytree(classes, tmp_path / "core" / "target" / "classes")

    with open_code([tmp_path]) as of_build:
        assert code.fills_of_field(CLASS, ("list",)) == of_build.fills_of_field(CLASS, ("list",))


def test_a_class_counts_by_its_own_name_and_not_by_its_path(classes: Path, tmp_path: Path) -> None:
    (tmp_path / "com" / "example").mkdir(parents=True)
    shutil.copyfile(
        classes / "com" / "example" / "fill" / "Fillers.class",
        tmp_path / "com" / "example" / "Fillers.class",
    )

    with open_code([tmp_path]) as moved:
        assert moved.fills_of_field("com.example.Fillers", ("list",)) == ()
        assert moved.fills_of_local("com.example.Fillers", "local", "java.util.HashMap") == ()


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_class_is_refused_or_read_and_nothing_else(
    classes: Path, data: st.DataObject
) -> None:
    whole = bytearray((classes / "com/example/fill/Fillers.class").read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6)):
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    for damaged in (bytes(whole), bytes(whole[:cut])):
        try:
            read = ClassFile(damaged)
        except ClassFileError:
            continue
        for method in read.methods:
            fills_in(read, method)


def test_a_source_counts_where_its_package_is_the_classs(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "Fillers.java").write_text("package other;\nother line\n")
    (tmp_path / "Fillers.java").write_text("/* a licence */\npackage com.example.fill;\nmine;\n")
    with open_code([tmp_path]) as code:
        assert code.line_of(CodeSite(CLASS, "plain", "Fillers.java", 3)) == "mine;"
        assert code.line_of(CodeSite(f"{CLASS}$Index", "record", None, 3)) == "mine;"
        assert code.line_of(CodeSite("other.Fillers", "plain", "Fillers.java", 2)) == "other line"
        assert code.line_of(CodeSite("third.Fillers", "plain", "Fillers.java", 2)) is None
        assert code.line_of(CodeSite(CLASS, "plain", "Fillers.java", 99)) is None


def test_what_is_no_code_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "broken.jar").write_bytes(b"PK\3\4 broken")
    (tmp_path / "empty").mkdir()

    places = [tmp_path / "notes.txt", tmp_path / "broken.jar", tmp_path / "empty"]
    with open_code([*places, tmp_path / "missing.jar"]) as code:
        unread = code.unread

    assert len(unread) == 4
    for place, words in zip([*places, tmp_path / "missing.jar"], unread, strict=True):
        assert words.startswith(f"{place}: ")
