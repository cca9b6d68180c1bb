"""The bill of materials of the wheel, as CycloneDX 1.7: what is in it, and what it asks for.

It hangs on nothing but the files of the project, so that two builds give the same bytes: it has no
time stamp, and its serial number is made from its content.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from distribution.bundled import Library, bundled_libraries

__all__ = ["SBOM_NAME", "bill_of_materials"]

SBOM_NAME = "mprof-hadoop.cdx.json"

# No user installs these: they are for work on mprof itself.
_NOT_FOR_USERS = ("dev", "docs")


def bill_of_materials(root: Path, version: str) -> str:
    """The bill of materials, as JSON.

    Args:
        root: of the project, with the jars in ``mprof/jars``.
        version: of mprof.

    Raises:
        ValueError: if the POMs and NOTICE do not tell of the same libraries.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    libraries = bundled_libraries(root)
    jars = [
        _jar(file, [each for each in libraries if each.jar == file.name])
        for file in sorted((root / "mprof" / "jars").glob("*.jar"))
    ]
    asked = _asked_for(project)
    itself = {
        "type": "application",
        "bom-ref": project["name"],
        "name": project["name"],
        "version": version,
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": f"pkg:pypi/{project['name']}@{version}",
    }
    on_these = sorted(each["bom-ref"] for each in [*jars, *asked])
    bom: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.7.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.7",
        "version": 1,
        "metadata": {"lifecycles": [{"phase": "build"}], "component": itself},
        "components": [*jars, *asked],
        "dependencies": [
            {"ref": project["name"], "dependsOn": on_these},
            *(
                {
                    "ref": jar["bom-ref"],
                    "dependsOn": [each["bom-ref"] for each in jar["components"]],
                }
                for jar in jars
            ),
        ],
    }
    name = json.dumps(bom, sort_keys=True)
    bom["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, name).urn
    return json.dumps(bom, indent=2, ensure_ascii=False) + "\n"


def _jar(file: Path, libraries: Sequence[Library]) -> dict[str, Any]:
    return {
        "type": "file",
        "bom-ref": file.name,
        "name": f"mprof/jars/{file.name}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
        "components": [_library(each) for each in libraries],
    }


def _library(library: Library) -> dict[str, Any]:
    purl = f"pkg:maven/{library.group}/{library.artifact}@{library.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "group": library.group,
        "name": library.artifact,
        "version": library.version,
        "hashes": [{"alg": "SHA-256", "content": library.sha256}],
        "licenses": [{"license": {"id": library.licence}}],
        "purl": purl,
    }


def _asked_for(project: dict[str, Any]) -> list[dict[str, Any]]:
    """The libraries that an installer fetches, each with the versions that will do."""
    of_extras = [
        each
        for extra, listed in project.get("optional-dependencies", {}).items()
        if extra not in _NOT_FOR_USERS
        for each in listed
    ]
    found: dict[str, dict[str, Any]] = {}
    for scope, listed in (("required", project["dependencies"]), ("optional", of_extras)):
        for each in map(Requirement, listed):
            name = canonicalize_name(each.name)
            if name != project["name"] and name not in found:  # one extra may name another
                found[name] = _external(name, each, scope)
    return [found[name] for name in sorted(found)]


def _external(name: str, asked: Requirement, scope: str) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}"
    limits = sorted(asked.specifier, key=lambda each: (each.version, each.operator))
    wanted = "|".join(
        f"{'' if each.operator == '==' else each.operator}{each.version}" for each in limits
    )
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "scope": scope,
        "isExternal": True,
        "versionRange": f"vers:pypi/{wanted or '*'}",
        "purl": purl,
    }
