"""What ``make dist`` makes: unpacked, and compared with the checkout."""

from __future__ import annotations

import email.message
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from development.site.licences import unnoticed_in
from mprof.hadoop.java import java_home
from mprof.kernels._cache import PREBUILT_FOR, digest_of_sources, runs_prebuilt
from mprof.version import __version__

# It may have to build the jars.
pytestmark = [pytest.mark.jvm, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
NAME = f"mprof_hadoop-{__version__}"
JARS = {f"mprof/jars/mprof-{each}.jar" for each in ("agent", "gateway", "demo-job")}
PACKAGER = ROOT / "build" / "packager"


@pytest.fixture(scope="module")
def wheel(dist: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def source(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution, to look at."""
    return unpacked(dist, tmp_path_factory.mktemp("source"))


def unpacked(dist: Path, folder: Path) -> Path:
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / NAME


def metadata(wheel: dict[str, bytes]) -> email.message.Message:
    return email.message_from_bytes(wheel[f"{NAME}.dist-info/METADATA"])


def test_the_licences_are_in_both(wheel: dict[str, bytes], source: Path) -> None:
    files = [
        "LICENSE",
        "NOTICE",
        *(f"licenses/{each.name}" for each in (ROOT / "licenses").glob("*.txt")),
    ]

    assert sorted(files) == sorted(metadata(wheel).get_all("License-File", []))
    assert metadata(wheel)["License-Expression"] == "Apache-2.0 AND BSD-3-Clause"
    for file in files:
        expected = (ROOT / file).read_bytes()
        assert expected == wheel[f"{NAME}.dist-info/licenses/{file}"], file
        assert expected == (source / file).read_bytes(), file


def test_the_pages_of_the_source_distribution_have_the_licences_of_what_is_in_them(
    wheel: dict[str, bytes], source: Path
) -> None:
    for text in (ROOT / "licenses" / "site").iterdir():
        assert text.read_bytes() == (source / "licenses" / "site" / text.name).read_bytes()
    assert not [name for name in wheel if "licenses/site" in name]  # it has no built pages
    if not (ROOT / "site").is_dir():
        pytest.skip("the pages have not been built here: make site")
    assert [] == list(unnoticed_in(source / "site"))
    assert (ROOT / "LICENSE").read_bytes() == (source / "site/licenses/LICENSE.txt").read_bytes()


def test_both_have_the_same_jars_and_no_other_archive_or_machine_code(
    wheel: dict[str, bytes], source: Path
) -> None:
    binary = {".jar", ".zip", ".war", ".so", ".dll", ".dylib", ".exe", ".class", ".woff", ".woff2"}
    shipped = {name for name in wheel if PurePosixPath(name).suffix in binary}

    assert shipped == JARS
    for name in shipped:
        assert wheel[name] == (source / name).read_bytes()
        assert wheel[name][:2] == b"PK"


def test_the_wheel_is_what_its_name_says(wheel: dict[str, bytes]) -> None:
    told = metadata(wheel)

    assert (told["Name"], told["Version"]) == ("mprof-hadoop", __version__)
    assert told["Requires-Python"] == ">=3.11"
    scripts = wheel[f"{NAME}.dist-info/entry_points.txt"].decode()
    assert "mprof = mprof.cli:main" in scripts
    roots = {name.split("/")[0] for name in wheel}
    assert roots == {"mprof", f"{NAME}.data", f"{NAME}.dist-info"}
    of_the_environment = {name for name in wheel if name.startswith(f"{NAME}.data/")}
    assert of_the_environment == {f"{NAME}.data/data/share/man/man1/mprof.1"}


def test_every_module_of_the_package_is_in_the_wheel(wheel: dict[str, bytes]) -> None:
    known = subprocess.run(
        ["git", "ls-files", "-z", "mprof"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in filter(None, os.fsdecode(known).split("\0")):
        assert wheel[name] == (ROOT / name).read_bytes(), name


def test_the_bill_of_materials_is_in_the_wheel_and_keeps_to_its_schema(
    wheel: dict[str, bytes],
) -> None:
    bom = json.loads(wheel[f"{NAME}.dist-info/sboms/mprof-hadoop.cdx.json"])

    assert bom["metadata"]["component"]["version"] == __version__
    validator = _validator_of_cyclonedx(bom["specVersion"])
    assert [] == [each.message for each in validator.iter_errors(bom)]
    assert list(validator.iter_errors(bom | {"components": [{"type": "jar"}]}))


def _validator_of_cyclonedx(version: str) -> Draft7Validator:
    (folder,) = PACKAGER.glob("lib/python*/site-packages/cyclonedx/schema/_res")

    # Schemas refer to each other by the names of these files.
    schemas = {
        f"http://cyclonedx.org/schema/{each.name}": json.loads(each.read_text(encoding="utf-8"))
        for each in folder.glob("*.SNAPSHOT.schema.json")
    }
    registry = Registry().with_resources(
        (name, Resource.from_contents(each)) for name, each in schemas.items()
    )
    own = schemas[f"http://cyclonedx.org/schema/bom-{version}.SNAPSHOT.schema.json"]
    return Draft7Validator(own, registry=registry)


def test_the_wheel_of_the_source_distribution_is_the_same_without_git_and_maven(
    dist: Path, tmp_path: Path
) -> None:
    name = f"{NAME}-py3-none-any.whl"
    subprocess.run(
        [PACKAGER / "bin" / "python", "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=unpacked(dist, tmp_path),
        env={"PATH": ""},
        check=True,
        capture_output=True,
    )

    assert (dist / name).read_bytes() == (tmp_path / name).read_bytes()


def test_the_source_distribution_has_no_more_than_git_knows(source: Path) -> None:
    """But for the jars, the code of kernels, the pages and what the format demands: no cache."""
    known = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    made = {"PKG-INFO", *JARS}
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    kernels = Path("build", "kernels", "prebuilt")
    found = {
        path.as_posix()
        for path in files
        if path.parts[0] != "site" and not path.is_relative_to(kernels)
    }

    assert set() == found - set(os.fsdecode(known).split("\0")) - made
    assert made <= found


needs_the_level = pytest.mark.skipif(
    not runs_prebuilt(), reason=f"this machine is not {PREBUILT_FOR}, for which code is compiled"
)


@needs_the_level
def test_the_wheel_has_the_code_of_its_own_kernels(wheel: dict[str, bytes]) -> None:
    folder = f"mprof/kernels/prebuilt/{PREBUILT_FOR}-{digest_of_sources()}/"
    code = [name for name in wheel if name.startswith("mprof/kernels/prebuilt/")]

    assert len(code) > 25
    assert all(name.startswith(folder) and name.endswith(".code") for name in code)


@needs_the_level
def test_a_first_analysis_with_the_wheel_compiles_nothing(dist: Path, tmp_path: Path) -> None:
    """The package as it is unpacked, a dump of another program, and a cache that is empty."""
    with zipfile.ZipFile(dist / f"{NAME}-py3-none-any.whl") as archive:
        archive.extractall(tmp_path / "site")
    java = Path(java_home(), "bin", "java")
    source = ROOT / "tests" / "heap" / "java" / "FullHeaps.java"
    dump = tmp_path / "tree.hprof"
    options = ["-Xmx64m", "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={dump}"]
    subprocess.run([java, *options, source, "tree"], capture_output=True, check=False)
    cache = tmp_path / "cache"
    watch = (
        "import sys; from mprof.cli import main\n"
        f"sys.argv = ['mprof', 'heap', {str(dump)!r}, '--json']\n"
        "try: main()\n"
        "finally: print('numba' in sys.modules, file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", watch],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "NUMBA_CACHE_DIR": str(cache)},
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "first run" not in done.stderr
    assert done.stderr.strip().endswith("False")
    assert list(cache.rglob("*.code")) == []
    assert "java.util.TreeMap" in done.stdout
