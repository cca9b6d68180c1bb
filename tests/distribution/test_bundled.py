"""Whose classes are in the jars: the classes, against NOTICE, the POMs and the sources."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from distribution.bundled import JARS, bundled_libraries, noticed_packages

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "mprof" / "jars").glob("*.jar"))
REPOSITORY = Path.home() / ".m2" / "repository"


def packages_in(archive: zipfile.ZipFile) -> Counter[str]:
    """How many classes each package has, wherever they stand in the jar."""
    return Counter(
        Path(name).parent.as_posix().replace("/", ".")
        for name in archive.namelist()
        if name.endswith(".class")
    )


def own_packages() -> set[str]:
    """The packages of which this project has the sources."""
    sources = [
        *ROOT.glob("jvm-agent/*/src/main/java/**/*.java"),
        *ROOT.glob("hadoop-patches/*/src/main/java/**/*.java"),
        *ROOT.glob("cases/*/job/**/*.java"),
    ]
    declared = re.compile(r"^package ([\w.]+);", re.MULTILINE)
    return {
        found[1]
        for source in sources
        if (found := declared.search(source.read_text(encoding="utf-8")))
    }


def is_in(package: str, wanted: str) -> bool:
    return package == wanted or package.startswith(f"{wanted}.")


def test_the_jars_are_there() -> None:
    assert set(JARS) <= {file.name for file in SHIPPED}


@pytest.mark.parametrize("jar", SHIPPED, ids=lambda jar: jar.name)
def test_each_class_in_a_jar_is_our_own_or_in_the_notice(jar: Path) -> None:
    noticed = noticed_packages(ROOT, jar.name)
    own = own_packages()
    with zipfile.ZipFile(jar) as archive:
        packages = packages_in(archive)

    strange = {
        package: classes
        for package, classes in packages.items()
        if package not in own and not any(is_in(package, each) for each in noticed)
    }
    assert {} == strange, "name their library in NOTICE, with its licence in licenses/"
    for each in noticed:
        assert any(is_in(package, each) for package in packages), f"{each} is not in {jar.name}"


@pytest.mark.parametrize("jar", SHIPPED, ids=lambda jar: jar.name)
def test_a_jar_holds_no_other_archive(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        assert [] == [
            each
            for each in archive.namelist()
            if each.rpartition(".")[2] in {"jar", "zip", "war", "so", "dll", "dylib"}
        ]


@pytest.mark.parametrize("jar", SHIPPED, ids=lambda jar: jar.name)
def test_a_jar_has_our_licence_the_notice_and_the_licences_of_what_is_in_it(jar: Path) -> None:
    files = [each.licence_file for each in bundled_libraries(ROOT) if each.jar == jar.name]
    assert bool(files) == (jar.name in JARS)
    with zipfile.ZipFile(jar) as archive:
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
