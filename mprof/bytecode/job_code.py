"""The code of a job, as far as it is at hand: jars with its classes, and its sources.

Nothing of it is run. Only classes and files that are asked for are read, and each within bounds.
"""

from __future__ import annotations

import contextlib
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
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


@dataclass(frozen=True, slots=True)
class Place:
    """A file in a folder, or an entry of an open archive; ``inside`` is its path there."""

    inside: str
    root: Path | zipfile.ZipFile

    def read(self) -> bytes | None:
        """The whole file; None where it is too large, or gone."""
        try:
            if isinstance(self.root, Path):
                with open_file(self.root / self.inside) as file:
                    data = file.read(_MOST_BYTES + 1)
            else:
                with self.root.open(self.inside) as entry:
                    data = entry.read(_MOST_BYTES + 1)
        except (OSError, UnreadableError, KeyError, RuntimeError, ValueError, zlib.error,
                zipfile.BadZipFile, NotImplementedError):  # fmt: skip
            return None
        return data if len(data) <= _MOST_BYTES else None


@dataclass(slots=True)
class JobCode:
    """Answers questions about the code.

    A file is that of a class where its path ends as the class's name does: below a jar's root, a
    module's ``target/classes`` or ``src/main/java``, or any other folder.

    Attributes:
        unread: what was named and could not be read, with the reason.
    """

    unread: list[str] = field(default_factory=list)
    _places: dict[str, list[Place]] = field(default_factory=dict)  # by name of the outermost class
    _classes: dict[str, ClassFile | None] = field(default_factory=dict)
    _lines: dict[Place, tuple[str, ...]] = field(default_factory=dict)

    def add(self, place: Place) -> None:
        """Take a file into account."""
        name = place.inside.rpartition("/")[2]
        self._places.setdefault(re.split(r"[$.]", name, maxsplit=1)[0], []).append(place)

    def line_of(self, site: CodeSite) -> str | None:
        """The text of a line of source, without its indentation; None where it is not at hand.

        A file counts as that of a class where it lies in the folder of the class's package, or
        says that it is of that package.
        """
        if site.line is None or site.line < 1:
            return None
        place = self._source_of(site)
        lines = self._lines_of(place) if place is not None else ()
        text = lines[site.line - 1].strip() if site.line <= len(lines) else ""
        return text or None

    def fills_of_field(self, class_name: str, fields: tuple[str, ...]) -> tuple[CodeSite, ...]:
        """Where something is added to what a field of an object holds, or a static one.

        Args:
            class_name: of the object, or of the static field.
            fields: from there to the container; followed as far as the classes are at hand.
        """
        declaring, name = self._field_at(class_name, fields)
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

    def _field_at(self, class_name: str, fields: tuple[str, ...]) -> tuple[ClassFile | None, str]:
        """The last of the fields that a class at hand has, and that class."""
        owner = class_name
        found: tuple[ClassFile | None, str] = (None, "")
        for name in fields:
            declaring = self._declaring(owner, name)
            if declaring is None:
                break
            found = (declaring, name)
            owner = declaring.field_types[name].lstrip("[")[1:-1].replace("/", ".")
        return found

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
        for outer in dict.fromkeys(name.partition("$")[0] for name in names):
            package, _, simple = outer.rpartition(".")
            within = {
                one.inside.rpartition("/")[2].removesuffix(".class")
                for one in self._places.get(simple, ())
                if one.inside.endswith(".class")
            }
            for name in sorted(within)[:_MOST_CLASSES]:
                of = self._class(f"{package}.{name}" if package else name)
                if of is not None:
                    yield of

    def _class(self, name: str) -> ClassFile | None:
        if name not in self._classes:
            self._classes[name] = self._read_class(name)
        return self._classes[name]

    def _read_class(self, name: str) -> ClassFile | None:
        simple = name.rpartition(".")[2].partition("$")[0]
        place = self._place(simple, f"{name.replace('.', '/')}.class")
        data = place.read() if place is not None else None
        if data is None:
            return None
        try:
            read = ClassFile(data)
        except ClassFileError:
            return None
        return read if read.name == name else None

    def _place(self, simple: str, path: str) -> Place | None:
        """The file of a path, the nearest to its root; of two that are as near the first."""
        near = [
            one for one in self._places.get(simple, ()) if f"/{one.inside}".endswith(f"/{path}")
        ]
        return min(near, key=lambda one: len(one.inside), default=None)

    def _source_of(self, site: CodeSite) -> Place | None:
        package, _, simple = site.class_name.rpartition(".")
        name = site.file or f"{simple.partition('$')[0]}.java"
        first = re.split(r"[$.]", name, maxsplit=1)[0]
        inside = f"{package.replace('.', '/')}/{name}" if package else name
        found = self._place(first, inside) if package else None
        named = (one for one in self._places.get(first, ()) if one.inside.endswith(name))
        return found or next((one for one in named if self._package_of(one) == package), None)

    def _package_of(self, place: Place) -> str:
        for line in self._lines_of(place):
            found = _PACKAGE.match(line)
            if found is not None:
                return found.group(1)
        return ""

    def _lines_of(self, place: Place) -> tuple[str, ...]:
        if place not in self._lines:
            data = place.read() or b""
            self._lines[place] = tuple(data.decode("utf-8", "replace").splitlines())
        return self._lines[place]


@contextlib.contextmanager
def open_code(what: Iterable[Path]) -> Iterator[JobCode]:
    """The code in jars, zip files and folders, open as long as the block runs.

    What is no such thing is named as unread.
    """
    code = JobCode()
    with contextlib.ExitStack() as archives:
        for path in what:
            try:
                found = list(_in_folder(path) if path.is_dir() else _in_archive(path, archives))
            except (OSError, UnreadableError, zipfile.BadZipFile, ValueError) as error:
                reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
                code.unread.append(f"{path}: {reason}")
                continue
            if not found:
                code.unread.append(f"{path}: no Java class or source is in it")
            for place in found:
                code.add(place)
        yield code


def _in_folder(root: Path) -> Iterator[Place]:
    seen = 0
    for at, folders, names in os.walk(root):
        folders.sort()
        seen += len(names)
        if seen > _MOST_FILES:
            raise ValueError(f"it holds more than {_MOST_FILES:,} files")
        for name in names:
            if name.endswith(_SUFFIXES):
                yield Place(Path(at, name).relative_to(root).as_posix(), root)


def _in_archive(path: Path, archives: contextlib.ExitStack) -> Iterator[Place]:
    archive = archives.enter_context(zipfile.ZipFile(archives.enter_context(open_file(path))))
    for name in archive.namelist()[:_MOST_FILES]:
        if name.endswith(_SUFFIXES):
            yield Place(name, archive)


def _sites(found: Iterable[tuple[ClassFile, Fill]]) -> tuple[CodeSite, ...]:
    """Each line once, in the order of the lines."""
    sites = {CodeSite(of.name, fill.method, of.source_file, fill.line) for of, fill in found}
    return tuple(sorted(sites, key=lambda one: (one.class_name, one.line or 0, one.method)))
