"""The code of a job, as far as it is at hand: jars with its classes, and its sources.

Nothing of it is run. Only classes and files that are asked for are read, and each within bounds.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from mprof.bytecode.class_file import ClassFile, ClassFileError
from mprof.bytecode.fills import Fill, Origin, fills_in
from mprof.code_site import CodeSite
from mprof.io.files import UnreadableError, open_file

__all__ = ["JobCode", "Place", "open_code"]

_MOST_BYTES: Final = 4 << 20  # of a class or a source file
_MOST_FILES: Final = 200_000
_MOST_CLASSES: Final = 200  # of one holder: the class with all that are nested in it
_SUFFIXES: Final = (".class", ".java")
_PACKAGE: Final = re.compile(r"\s{0,80}package\s{1,80}([\w.]{1,500})\s{0,80};")
_ROOTS: Final = ("target/classes/", "build/classes/java/main/", "classes/", "bin/")
"""Where builds keep classes."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file in a folder, or an entry of an archive; ``inside`` is its path there."""

    root: Path
    inside: str
    is_packed: bool

    def read(self) -> bytes | None:
        """The whole file; None where it is too large, or gone."""
        try:
            if not self.is_packed:
                with open_file(self.root / self.inside) as file:
                    data = file.read(_MOST_BYTES + 1)
            else:
                with open_file(self.root) as file, zipfile.ZipFile(file) as archive:
                    data = archive.open(self.inside).read(_MOST_BYTES + 1)
        except (OSError, UnreadableError, KeyError, RuntimeError, ValueError, zlib.error,
                zipfile.BadZipFile, NotImplementedError):  # fmt: skip
            return None
        return data if len(data) <= _MOST_BYTES else None


@dataclass(slots=True)
class JobCode:
    """Answers questions about the code.

    Attributes:
        unread: what was named and could not be read, with the reason.
    """

    unread: tuple[str, ...] = ()
    _places: dict[str, Place] = field(default_factory=dict)  # by path, without its root
    _sources: dict[str, list[str]] = field(default_factory=dict)  # those, by file name
    _classes: dict[str, ClassFile | None] = field(default_factory=dict)
    _lines: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, place: Place) -> None:
        """Take a file into account; of two classes of one name the first counts."""
        inside = PurePosixPath(place.inside)
        if inside.suffix == ".java":
            self._places.setdefault(place.inside, place)
            self._sources.setdefault(inside.name, []).append(place.inside)
            return
        # below "classes" of a build, or of a web application, lie the same paths as in a jar
        for root in ("", *_ROOTS):
            if place.inside.startswith(root):
                self._places.setdefault(place.inside[len(root) :], place)

    def line_of(self, site: CodeSite) -> str | None:
        """The text of a line of source, without its indentation; None where it is not at hand.

        A file counts as that of a class where it lies in the folder of the class's package, or
        says that it is of that package.
        """
        if site.line is None or site.line < 1:
            return None
        path = self._source_of(site)
        if path is None:
            return None
        lines = self._lines_of(path)
        text = lines[site.line - 1].strip() if site.line <= len(lines) else ""
        return text or None

    def fills_of_field(self, class_name: str, fields: tuple[str, ...]) -> tuple[CodeSite, ...]:
        """Where something is added to what a field of an object holds, or a static one.

        Args:
            class_name: of the object, or of the static field.
            fields: from there to the container; followed as far as the classes are at hand.
        """
        owner, name = class_name, ""
        for name in fields:
            declaring = self._declaring(owner, name)
            if declaring is None:
                return ()
            kind = declaring.field_types[name].lstrip("[")
            inner = kind[1:-1].replace("/", ".")
            if name == fields[-1] or self._class(inner) is None:
                break
            owner = inner
        declaring = self._declaring(owner, name)
        if declaring is None:
            return ()
        found = [
            (one, fill)
            for one in self._nest(declaring.name, class_name)
            for method in one.methods
            for fill in fills_in(one, method)
            if fill.origin.name == name and self._is_of(fill.origin, declaring)
        ]
        adds = [each for each in found if not each[1].replaces]
        made = {"<init>", "<clinit>"}
        return _sites(adds or [each for each in found if each[1].method not in made])

    def fills_of_local(
        self, class_name: str, method: str, value_class: str
    ) -> tuple[CodeSite, ...]:
        """Where a method adds to an object of a class that it made itself."""
        of = self._class(class_name)
        if of is None:
            return ()
        wanted = Origin("new", value_class)
        return _sites(
            (of, fill)
            for one in of.methods
            if one.member.name == method
            for fill in fills_in(of, one)
            if fill.origin == wanted
        )

    def _is_of(self, origin: Origin, declaring: ClassFile) -> bool:
        named = self._declaring(origin.class_name, origin.name)
        return named is not None and named.name == declaring.name

    def _declaring(self, class_name: str, name: str) -> ClassFile | None:
        """The class that has the field, which may be one above the class named."""
        at: str | None = class_name
        for _ in range(_MOST_CLASSES):
            of = self._class(at) if at is not None else None
            if of is None or name in of.field_types:
                return of
            at = of.super_name
        return None

    def _nest(self, *names: str) -> Iterator[ClassFile]:
        """The outermost classes and all within them: a private field is touched there only."""
        seen: set[str] = set()
        for name in names:
            outer = name.partition("$")[0]
            if outer in seen:
                continue
            seen.add(outer)
            path = outer.replace(".", "/")
            inside = sorted(one for one in self._places if one.startswith(f"{path}$"))
            for each in (f"{path}.class", *inside[:_MOST_CLASSES]):
                of = self._class(each.removesuffix(".class").replace("/", "."))
                if of is not None:
                    yield of

    def _class(self, name: str) -> ClassFile | None:
        if name not in self._classes:
            self._classes[name] = self._read_class(f"{name.replace('.', '/')}.class")
        return self._classes[name]

    def _read_class(self, path: str) -> ClassFile | None:
        place = self._places.get(path)
        data = place.read() if place is not None else None
        if data is None:
            return None
        try:
            return ClassFile(data)
        except ClassFileError:
            return None

    def _source_of(self, site: CodeSite) -> str | None:
        package, _, simple = site.class_name.rpartition(".")
        name = site.file or f"{simple.partition('$')[0]}.java"
        inside = f"{package.replace('.', '/')}/{name}" if package else name
        named = self._sources.get(name, ())
        near = [path for path in named if f"/{path}".endswith(f"/{inside}")]
        near = near or [path for path in named if self._package_of(path) == package]
        return min(near, key=lambda path: (len(path), path), default=None)

    def _package_of(self, path: str) -> str:
        for line in self._lines_of(path):
            found = _PACKAGE.match(line)
            if found is not None:
                return found.group(1)
        return ""

    def _lines_of(self, path: str) -> tuple[str, ...]:
        if path not in self._lines:
            data = self._places[path].read() or b""
            self._lines[path] = tuple(data.decode("utf-8", "replace").splitlines())
        return self._lines[path]


def open_code(what: Iterable[Path]) -> JobCode:
    """The code in jars, zip files and folders; what is no such thing is named as unread."""
    code, unread = JobCode(), []
    for path in what:
        try:
            found = list(_in_folder(path) if path.is_dir() else _in_archive(path))
        except (OSError, UnreadableError, zipfile.BadZipFile, ValueError) as error:
            reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
            unread.append(f"{path}: {reason}")
            continue
        if not found:
            unread.append(f"{path}: no Java class or source is in it")
        for place in found:
            code.add(place)
    code.unread = tuple(unread)
    return code


def _in_folder(root: Path) -> Iterator[Place]:
    seen = 0
    for at, folders, names in os.walk(root):
        folders.sort()
        seen += len(names)
        if seen > _MOST_FILES:
            raise ValueError(f"it holds more than {_MOST_FILES:,} files")
        for name in names:
            if name.endswith(_SUFFIXES):
                yield Place(root, Path(at, name).relative_to(root).as_posix(), is_packed=False)


def _in_archive(path: Path) -> Iterator[Place]:
    with open_file(path) as file, zipfile.ZipFile(file) as archive:
        for name in archive.namelist()[:_MOST_FILES]:
            if name.endswith(_SUFFIXES):
                yield Place(path, name, is_packed=True)


def _sites(found: Iterable[tuple[ClassFile, Fill]]) -> tuple[CodeSite, ...]:
    """Each line once, in the order of the lines."""
    sites = {CodeSite(of.name, fill.method, of.source_file, fill.line) for of, fill in found}
    return tuple(sorted(sites, key=lambda one: (one.class_name, one.line or 0, one.method)))
