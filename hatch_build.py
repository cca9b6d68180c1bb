"""Puts the jars into the package when it is built or installed, also as an editable install.

A wheel gets the pages of the reference that `mprof explain` prints, too; a checkout has them in
`docs/reference`.

The agent runs inside every task and the gateway on the cluster's class path, so a package without
them would be one that cannot do its work. They are taken from where Maven built them; where they
have not been built, Maven is run.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_JARS = {
    "mprof-agent.jar": Path("jvm-agent/bundle/target/mprof-agent.jar"),
    "mprof-gateway.jar": Path("jvm-agent/gateway/target/mprof-gateway.jar"),
}


_PAGES = ("rules", "messages", "detectors", "triage.md")


class JarsHook(BuildHookInterface):
    """Fills ``mprof/jars`` before anything is packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Copy the jars, building them first if they are missing; add the pages to a wheel."""
        root = Path(self.root)
        if self.target_name == "wheel" and version == "standard":
            for name in _PAGES:
                build_data["force_include"][f"docs/reference/{name}"] = f"mprof/reference/{name}"
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
