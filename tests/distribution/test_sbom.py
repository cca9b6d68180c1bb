"""The bill of materials, against the files, Maven's names and what an installer reads."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from distribution.sbom import bill_of_materials

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bom() -> dict[str, Any]:
    return json.loads(bill_of_materials(ROOT, "1.2.3"))


def asked_for() -> dict[str, tuple[str, SpecifierSet]]:
    """Each library that users may need: whether it is required, and its versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k not in {"dev", "docs"}}
    optional = [Requirement(each) for listed in extras.values() for each in listed]
    required = [Requirement(each) for each in project["dependencies"]]
    return {
        each.name: (scope, each.specifier)
        for scope, listed in (("optional", optional), ("required", required))
        for each in listed
        if each.name != project["name"]
    }


def test_each_jar_is_there_with_its_hash_and_the_library_in_it(bom: dict[str, Any]) -> None:
    jars = {each["name"]: each for each in bom["components"] if each["type"] == "file"}

    shipped = (ROOT / "mprof" / "jars").glob("*.jar")
    assert {f"mprof/jars/{file.name}" for file in shipped} == set(jars)
    for name, component in jars.items():
        content = (ROOT / name).read_bytes()
        assert component["hashes"] == [
            {"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}
        ]
    purls = [part["purl"] for each in jars.values() for part in each["components"]]
    pom = (ROOT / "pom.xml").read_text(encoding="utf-8")
    versions = dict(re.findall(r"<(asm|py4j)\.version>([\d.]+)<", pom))
    assert purls == [
        f"pkg:maven/org.ow2.asm/asm@{versions['asm']}",
        f"pkg:maven/net.sf.py4j/py4j@{versions['py4j']}",
    ]


def test_each_library_that_an_installer_fetches_is_there_with_its_range(
    bom: dict[str, Any],
) -> None:
    external = {each["name"]: each for each in bom["components"] if each.get("isExternal")}
    asked = asked_for()

    assert set(asked) == set(external)
    for name, (scope, versions) in asked.items():
        assert scope == external[name]["scope"]
        told = external[name]["versionRange"].removeprefix("vers:pypi/")
        assert versions == SpecifierSet(told.replace("|", ",")), name


def test_each_part_is_referred_to_once_and_each_reference_leads_somewhere(
    bom: dict[str, Any],
) -> None:
    parts = [bom["metadata"]["component"], *bom["components"]]
    parts += [inner for each in bom["components"] for inner in each.get("components", [])]
    names = [each["bom-ref"] for each in parts]

    assert len(names) == len(set(names))
    for each in bom["dependencies"]:
        assert {each["ref"], *each["dependsOn"]} <= set(names)


def test_nothing_in_it_hangs_on_the_time_or_the_process() -> None:
    code = (
        "import sys; from pathlib import Path; from distribution.sbom import bill_of_materials;"
        "sys.stdout.write(bill_of_materials(Path(sys.argv[1]), '1.2.3'))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code, str(ROOT)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }

    assert {bill_of_materials(ROOT, "1.2.3").encode()} == made


def test_another_content_has_another_serial_number(bom: dict[str, Any]) -> None:
    assert json.loads(bill_of_materials(ROOT, "1.2.4"))["serialNumber"] != bom["serialNumber"]
