"""Puts the jars into the package when it is built or installed, also as an editable install.

A wheel gets files from elsewhere in the checkout, too, a bill of materials (PEP 770), and the
cases, each recording as one file: unpacked, all are 50 MB.

The agent runs inside every task, the gateway on the cluster's class path, and the third jar is the
job of `mprof demo`: a package without them would be one that cannot do its work. They are taken
from where Maven built them; where they have not been built, Maven is run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_JARS = {
    "mprof-agent.jar": Path("jvm-agent/bundle/target/mprof-agent.jar"),
    "mprof-gateway.jar": Path("jvm-agent/gateway/target/mprof-gateway.jar"),
    "mprof-demo-job.jar": Path("jvm-agent/demo-job/target/mprof-demo-job.jar"),
}

# What a wheel takes from elsewhere in the checkout, and where it stands there.
_FROM_THE_CHECKOUT = {
    # the pages that `mprof explain` prints
    "docs/reference/rules": "mprof/reference/rules",
    "docs/reference/messages": "mprof/reference/messages",
    "docs/reference/detectors": "mprof/reference/detectors",
    "docs/reference/errors": "mprof/reference/errors",
    "docs/reference/triage.md": "mprof/reference/triage.md",
}

_RECORDING = "evidence"
_UNSHIPPED = {_RECORDING, "__pycache__"}


class JarsHook(BuildHookInterface):
    """Fills ``mprof/jars`` before anything is packed, and says what else is packed."""

    PLUGIN_NAME = "custom"
    _scratch: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Copy the jars, building them first if they are missing; add what a wheel has besides."""
        root = Path(self.root)
        _fill_jars(root)
        kernels = root / "build" / "kernels" / "prebuilt"
        if version == "standard" and kernels.is_dir():  # made by `make dist`
            # a source distribution has them where a checkout has, so that its wheel is the same
            place = "mprof" if self.target_name == "wheel" else "build"
            build_data["force_include"][str(kernels)] = f"{place}/kernels/prebuilt"
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"].update(_FROM_THE_CHECKOUT)
            build_data["force_include"].update(case_files(root))
            build_data["sbom_files"].append(str(self._bill_of_materials(root)))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was made for the archive alone."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch)

    def _bill_of_materials(self, root: Path) -> Path:
        sys.path.insert(0, str(root))
        try:
            from distribution.sbom import SBOM_NAME, bill_of_materials
        finally:
            sys.path.remove(str(root))
        self._scratch = Path(tempfile.mkdtemp(prefix="mprof-"))
        file = self._scratch / SBOM_NAME
        file.write_text(bill_of_materials(root, self.metadata.version), encoding="utf-8")
        return file


def _fill_jars(root: Path) -> None:
    target = root / "mprof" / "jars"
    built = {name: root / place for name, place in _JARS.items()}
    if not all(path.is_file() for path in built.values()):
        if all((target / name).is_file() for name in _JARS):
            return  # an unpacked source distribution carries them
        _run_maven(root)
    missing = [name for name, path in built.items() if not path.is_file()]
    if missing:
        raise SystemExit(f"mprof: Maven did not build {', '.join(missing)}; see pom.xml")
    target.mkdir(parents=True, exist_ok=True)
    for name, path in built.items():
        shutil.copy2(path, target / name)


def case_files(root: Path, archives: Path | None = None, *, preset: int = 6) -> dict[str, str]:
    """Places in the wheel of the files of all cases, by their places here; recordings packed.

    Into `archives`, where others than a wheel are to have them, by another preset of xz.
    """
    cases = root / "cases"
    archives = archives or root / "build" / "recordings"
    found = {file: file.relative_to(cases) for file in sorted(cases.rglob("*")) if file.is_file()}
    places = {file: to for file, to in found.items() if not _UNSHIPPED.intersection(to.parts)}
    for folder in sorted(cases.rglob(_RECORDING)):
        name = folder.relative_to(cases).with_suffix(".tar.xz")
        places[_packed(folder, archives / name, preset)] = name
    return {str(file): f"mprof/cases/{to.as_posix()}" for file, to in places.items()}


def _packed(folder: Path, archive: Path, preset: int = 6) -> Path:
    """Pack the plain files of a folder, the same files into the same bytes."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", preset=preset) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = tarfile.TarInfo(file.relative_to(folder).as_posix())
            member.size = file.stat().st_size
            with file.open("rb") as content:
                packed.addfile(member, content)
    return archive


def _run_maven(root: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        message = (
            "mprof: the agent's jar is not built and Maven is not there to build it; "
            "install Maven and a JDK 17 or newer, or install the wheel of mprof-hadoop"
        )
        raise SystemExit(message)
    print("mprof: building the jars with Maven", flush=True)
    done = subprocess.run([maven, "-q", "-B", "-DskipTests", "package"], cwd=root, check=False)
    if done.returncode != 0:
        raise SystemExit("mprof: Maven could not build the jars; see its messages above")
