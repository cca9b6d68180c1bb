"""Whose classes are in the jars: the classes, against NOTICE, the POMs and the sources."""

from __future__ import annotations

import hashlib
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from distribution.bundled import JARS, bundled_libraries, noticed_packages
from mprof.hadoop import agent_jar, gateway_jar

ROOT = Path(__file__).parents[2]
REPOSITORY = Path.home() / ".m2" / "repository"


def jar(name: str) -> zipfile.ZipFile:
    (path,) = (path for path in (agent_jar(), gateway_jar()) if path.name == name)
    return zipfile.ZipFile(path)


def packages_in(archive: zipfile.ZipFile) -> Counter[str]:
    """How many classes each package has, wherever they stand in the jar."""
    return Counter(
        Path(name).parent.as_posix().replace("/", ".")
        for name in archive.namelist()
        if name.endswith(".class")
    )


def own_packages() -> set[str]:
    """The packages of which this project has the sources."""
    found = set()
    for module in ("jvm-agent", "hadoop-patches"):
        for source in (ROOT / module).glob("*/src/main/java/**/*.java"):
            parts = source.parent.relative_to(ROOT / module).parts
            found.add(".".join(parts[parts.index("java") + 1 :]))
    return found


def is_in(package: str, wanted: str) -> bool:
    return package == wanted or package.startswith(f"{wanted}.")


@pytest.mark.parametrize("name", JARS)
def test_each_class_in_a_jar_is_our_own_or_in_the_notice(name: str) -> None:
    noticed = noticed_packages(ROOT, name)
    own = own_packages()
    with jar(name) as archive:
        packages = packages_in(archive)

    strange = {
        package: classes
        for package, classes in packages.items()
        if package not in own and not any(is_in(package, each) for each in noticed)
    }
    assert {} == strange, "name their library in NOTICE, with its licence in licenses/"
    for each in noticed:
        assert any(is_in(package, each) for package in packages), f"{each} is not in {name}"


@pytest.mark.parametrize("name", JARS)
def test_a_jar_holds_no_other_archive(name: str) -> None:
    with jar(name) as archive:
        assert [] == [
            each
            for each in archive.namelist()
            if each.rpartition(".")[2] in {"jar", "zip", "war", "so", "dll", "dylib"}
        ]


@pytest.mark.parametrize("name", JARS)
def test_a_jar_has_our_licence_the_notice_and_the_licences_of_what_is_in_it(name: str) -> None:
    files = [each.licence_file for each in bundled_libraries(ROOT) if each.jar == name]
    assert files
    with jar(name) as archive:
        for file in ("LICENSE", "NOTICE", *files):
            assert (ROOT / file).read_bytes() == archive.read(f"META-INF/{file}"), file


def test_a_library_in_the_jars_that_the_notice_leaves_out_is_an_error(tmp_path: Path) -> None:
    for file in ("pom.xml", *(f"{module}/pom.xml" for module in JARS.values())):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    (tmp_path / "NOTICE").write_text(notice.partition("Py4J")[0], encoding="utf-8")

    with pytest.raises(ValueError, match=r"differ: net\.sf\.py4j:py4j in mprof-gateway\.jar"):
        bundled_libraries(tmp_path)


def test_a_checksum_in_the_pom_is_that_of_the_jar_that_maven_fetched() -> None:
    for each in bundled_libraries(ROOT):
        place = f"{each.group.replace('.', '/')}/{each.artifact}/{each.version}"
        fetched = REPOSITORY / place / f"{each.artifact}-{each.version}.jar"
        if not fetched.is_file():
            pytest.skip(f"Maven keeps what it fetched elsewhere: there is no {fetched}")
        assert hashlib.sha256(fetched.read_bytes()).hexdigest() == each.sha256
