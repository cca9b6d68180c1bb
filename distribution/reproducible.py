"""``make reproducible``: builds twice as differently as one machine can, and compares every byte.

The two builds have folders, times of the files, time zones, locales, file modes and orders of
hashes of their own, and both run Maven. A third wheel is made from the source distribution, with
neither git nor Maven nor a JDK on the ``PATH``.

A release is published only where this finds no difference; `make test` does not ask it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

__all__ = ["differing_entries", "main"]

_ROOT = Path(__file__).parents[1]
_PACKAGER = Path("build/packager/bin/python")


@dataclass(frozen=True, slots=True)
class _Setting:
    """How one of the builds is made.

    Attributes:
        folder: its name.
        umask: what new files are not allowed.
        file_time: of all files, in seconds since 1970.
        environment: variables.
    """

    folder: str
    umask: int
    file_time: int
    environment: dict[str, str]


_SETTINGS = (
    _Setting(
        "one", 0o022, 1_700_000_000, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}
    ),
    _Setting(
        "another folder, with a longer name",
        0o077,
        1_000_000_000,
        {"TZ": "Pacific/Chatham", "LC_ALL": "C", "PYTHONHASHSEED": "2"},
    ),
)


def main() -> int:
    """Build, compare and say so; the exit code is 1 if anything differs."""
    with tempfile.TemporaryDirectory(prefix="mprof-reproducible-") as scratch:
        built = [_build(Path(scratch) / each.folder, each) for each in _SETTINGS]
        wheels = list(_wheel_from_source(built[0], Path(scratch) / "from source").iterdir())
        same = True
        for name in sorted(path.name for path in built[0].iterdir()):
            files = [folder / name for folder in built]
            files += [wheel for wheel in wheels if wheel.name == name]
            same = _compare(name, files) and same
    return 0 if same else 1


def _build(folder: Path, setting: _Setting) -> Path:
    """The folder with what ``make dist`` makes of a fresh copy of the checkout."""
    _copy_checkout(folder, setting)
    print(
        f"building in {folder.name!r}, umask {setting.umask:03o}, {setting.environment}", flush=True
    )
    subprocess.run(
        ["make", "--no-print-directory", "dist"],
        cwd=folder,
        env={**_with_a_compiler(), **setting.environment},
        umask=setting.umask,
        check=True,
    )
    return folder / "dist"


def _with_a_compiler() -> dict[str, str]:
    """The environment, in which this Python compiles the kernels if it can."""
    environment = dict(os.environ)
    if find_spec("numba") is not None:
        environment.setdefault("KERNEL_PYTHON", sys.executable)
    return environment


def _copy_checkout(folder: Path, setting: _Setting) -> None:
    """Every file that git knows or would add, as the working folder has it, and the built pages.

    A source distribution has the pages where they are built, and not every checkout has built them.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=_ROOT,
        capture_output=True,
        check=True,
    ).stdout
    names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    names += [str(page.relative_to(_ROOT)) for page in (_ROOT / "site").rglob("*")]
    for name in sorted(
        names, reverse=setting is _SETTINGS[1]
    ):  # in which order a folder lists them
        source, copied = _ROOT / name, folder / name
        if not source.is_file():
            continue  # removed, and not yet committed
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copied)
        copied.chmod(source.stat().st_mode & 0o777 & ~setting.umask)
        os.utime(copied, (setting.file_time, setting.file_time))


def _wheel_from_source(built: Path, folder: Path) -> Path:
    """The folder with the wheel that the source distribution makes, without any other program."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    print("building the wheel from the source distribution, with an empty PATH", flush=True)
    subprocess.run(
        [built.parent / _PACKAGER, "-m", "hatchling", "build", "--target", "wheel"],
        cwd=unpacked,
        env={"PATH": ""},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return unpacked / "dist"


def _compare(name: str, files: list[Path]) -> bool:
    contents = [file.read_bytes() for file in files]
    if len(set(contents)) == 1:
        digest = hashlib.sha256(contents[0]).hexdigest()
        print(f"same {len(files)} times: {digest}  {name}")
        return True
    print(f"differs: {name}")
    for other in files[1:]:
        for entry in differing_entries(files[0], other):
            print(f"    {entry}")
    return False


def differing_entries(one: Path, other: Path) -> tuple[str, ...]:
    """What differs between two archives of one kind: names of entries, or what else it is."""
    entries = [_entries(path) for path in (one, other)]
    if list(entries[0]) != list(entries[1]):
        differing = sorted(set(entries[0]) ^ set(entries[1]))
        return tuple(differing) or ("the order of the entries",)
    found = tuple(name for name in entries[0] if entries[0][name] != entries[1][name])
    if not found and one.read_bytes() != other.read_bytes():
        return ("the compression, or the archive's own header",)
    return found


def _entries(path: Path) -> dict[str, tuple[object, ...]]:
    """The content, time and mode of each entry, in the order of the archive."""
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as tar:
            return {
                each.name: (_of_tar(tar, each), each.mtime, each.mode, each.uid, each.gid)
                for each in tar
            }
    with zipfile.ZipFile(path) as opened:
        return {
            each.filename: (opened.read(each), each.date_time, each.external_attr)
            for each in opened.infolist()
        }


def _of_tar(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    opened = tar.extractfile(entry)
    return opened.read() if opened else b""


if __name__ == "__main__":
    sys.exit(main())
