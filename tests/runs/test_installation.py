"""Whose the command and the module ``mprof`` are, in environments made of files."""

from __future__ import annotations

import base64
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from mprof.runs.check import Check
from mprof.runs.installation import examine_names
from mprof.version import __version__


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder like that of ``python -m venv``, with what pip writes into it."""

    root: Path

    @property
    def site(self) -> Path:
        return self.root / "lib" / "python3.11" / "site-packages"

    @property
    def command(self) -> Path:
        return self.root / "bin" / "mprof"

    def install(
        self, name: str, version: str, *, modules: tuple[str, ...] = (), entry_point: str = ""
    ) -> None:
        """As pip does: a command that is there is overwritten."""
        info = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        content = f"#!/usr/bin/python3\n# the command of {name}\n".encode()
        self.command.parent.mkdir(exist_ok=True)
        self.command.write_bytes(content)
        self.command.chmod(0o755)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines = [f"../../../bin/mprof,sha256={digest},{len(content)}"]
        lines += [f"{module},," for module in modules]
        (info / "RECORD").write_text("\n".join(lines) + "\n")
        if entry_point:
            (info / "entry_points.txt").write_text(f"[console_scripts]\nmprof = {entry_point}\n")

    def install_mprof(self) -> None:
        self.install("mprof-hadoop", "1.0.0", modules=("mprof/__init__.py", "mprof/cli/main.py"))

    def install_memory_profiler(self) -> None:
        modules = ("memory_profiler.py", "mprof.py")
        self.install("memory-profiler", "0.61.0", modules=modules, entry_point="mprof:main")

    def examine(self, *path: Environment) -> Check:
        """What doctor says here, with the commands of these environments on the PATH."""
        return examine_names(
            site=[str(self.site)],
            path=os.pathsep.join(str(each.command.parent) for each in path),
            scripts=self.command.parent,
        )


def test_alone_the_command_is_that_of_mprof(tmp_path: Path) -> None:
    here = Environment(tmp_path)
    here.install_mprof()

    assert here.examine(here) == Check(
        "installation",
        ok=True,
        found=f"mprof {__version__}; the command {here.command} is that of mprof-hadoop 1.0.0",
    )


def test_a_link_to_the_command_is_followed(tmp_path: Path) -> None:
    tool, home = Environment(tmp_path / "tool"), Environment(tmp_path / "home")
    tool.root.mkdir()
    tool.install_mprof()
    home.command.parent.mkdir(parents=True)
    home.command.symlink_to(tool.command)

    assert tool.examine(home).ok is True


def test_a_command_that_another_has_overwritten_is_that_of_the_other(tmp_path: Path) -> None:
    here = Environment(tmp_path)
    here.install_mprof()
    here.install_memory_profiler()

    check = here.examine(here)

    assert check.ok is False
    assert check.found == (
        f"the command {here.command} is that of memory-profiler 0.61.0, not of mprof-hadoop"
    )
    assert " -m mprof, or install mprof-hadoop into an environment of its own" in check.next_step


def test_one_that_mprof_has_overwritten_may_take_the_command_along(tmp_path: Path) -> None:
    here = Environment(tmp_path)
    here.install_memory_profiler()
    here.install_mprof()

    check = here.examine(here)

    assert check.ok is None
    assert check.found == "memory-profiler 0.61.0 has a command and a module mprof here, too"
    assert "uv tool install mprof-hadoop" in check.next_step


def test_the_program_of_another_environment_goes_before_ours(tmp_path: Path) -> None:
    here, other = Environment(tmp_path / "here"), Environment(tmp_path / "other")
    for each in (here, other):
        each.root.mkdir()
    here.install_mprof()
    other.install("mprof", "0.1.2")

    check = here.examine(other, here)

    assert check.ok is False
    assert check.found == f"the command {other.command} is that of mprof 0.1.2, not of mprof-hadoop"
    assert check.next_step == (
        f"start this one as {here.command}, or put its folder first on the PATH"
    )
    assert here.examine(here, other).ok is True


def test_of_a_distribution_without_a_list_of_files_the_entry_points_tell(tmp_path: Path) -> None:
    here, debian = Environment(tmp_path / "here"), Environment(tmp_path / "usr")
    here.root.mkdir()
    here.install_mprof()
    info = debian.root / "lib" / "python3" / "dist-packages" / "memory_profiler-0.61.egg-info"
    info.mkdir(parents=True)
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: memory-profiler\nVersion: 0.61\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nmprof = mprof:main\n")
    debian.command.parent.mkdir()
    debian.command.write_text("#!/usr/bin/python3\n")
    debian.command.chmod(0o755)

    assert here.examine(debian).found.startswith(f"the command {debian.command} is that of memory")


def test_a_command_of_nobody_is_not_called_right_or_wrong(tmp_path: Path) -> None:
    here, other = Environment(tmp_path / "here"), Environment(tmp_path / "other")
    here.root.mkdir()
    here.install_mprof()
    other.command.parent.mkdir(parents=True)
    other.command.write_text("#!/bin/sh\n")
    other.command.chmod(0o755)

    check = here.examine(other)

    assert check.ok is None
    assert check.found == f"no distribution says that it installed the command {other.command}"
    assert str(here.command) in check.next_step


def test_a_command_that_went_with_another_distribution_is_missed(tmp_path: Path) -> None:
    here = Environment(tmp_path)
    here.install_mprof()
    here.command.unlink()

    check = here.examine(here)

    assert check.ok is None
    assert check.next_step == "pip install --force-reinstall --no-deps mprof-hadoop"


def test_a_checkout_that_is_not_installed_is_right(tmp_path: Path) -> None:
    assert Environment(tmp_path).examine().ok is True
