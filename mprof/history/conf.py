"""The configuration of a job: ``job_..._conf.xml`` or ``job.xml``, as properties by name.

Hadoop writes the file with ``Configuration.writeXml``: a flat list of ``property`` elements with a
``name``, a ``value`` and, since 0.23, their sources.
A property is found by its new name and by its MapReduce 1 names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from mprof.errors import EvidenceError
from mprof.history.deprecated import NEW_NAMES, OLD_NAMES
from mprof.history.sensitive import SensitiveNames
from mprof.io.files import UnreadableError, read_file
from mprof.io.secrets import mask_text
from mprof.units import parse_jvm_size

__all__ = ["MASK", "JobConf", "RoomGiven", "parse_conf", "read_conf"]

MASK: Final = "<redacted>"
"""The replacement of a secret (the text of ``ConfigRedactor``)."""

_SENSITIVE_KEYS: Final = "hadoop.security.sensitive-config-keys"
_REDACTED_KEYS: Final = "mapreduce.job.redacted-properties"
_KEPT: Final = frozenset({"name", "value", "source"})
_SET_IN_CODE: Final = "programmatically"  # Configuration.set without a source
_VARIABLE: Final = re.compile(r"\$\{([^}$\s]+)\}")
_MAX_SUBSTITUTIONS: Final = 20  # Configuration.MAX_SUBST
_REGION: Final = re.compile(r"(?:^|\s)-XX:G1HeapRegionSize=([0-9]{1,15}[kKmMgG]?)(?=\s|$)")
_XMX: Final = re.compile(r"(?:^|\s)-(?:Xmx|XX:MaxHeapSize=)([0-9]{1,15}[kKmMgGtT]?)(?=\s|$)")
_MIB: Final = 1024 * 1024
_MAX_BYTES: Final = 256 * _MIB  # serialised plans of Hive and Pig reach tens of megabytes
_HEAP_RATIO_DEFAULT: Final = 0.8  # mapreduce.job.heap.memory-mb.ratio
_MEMORY_MB_DEFAULT: Final = 1024  # MRJobConfig.DEFAULT_MAP_MEMORY_MB
# as much as a Java long can hold, and a number that is too large for it
_INT: Final = re.compile(r"-?(?:0x[0-9a-f]{1,16}|[0-9]{1,19}[kmgtpe]?)")
_INT_SUFFIX: Final = {"k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60}


@dataclass(frozen=True, slots=True)
class RoomGiven:
    """How the containers of one side differ from those of the plain job, in MB.

    Attributes:
        headroom_mb: the agent's headroom, which tight containers get.
        plain_mb: what the job asks for by itself; None where the driver's part did not come to it.
        asked_mb: what was asked for instead; None where the container stayed as it was.
        wanted_mb: the room that a rerun wanted for it, None where it wanted none.
        why_not: a code where it could not be given, or not all of it: ``maximum``, ``resource``
            (the job asks by resource type itself), ``hadoop`` (older than that property).
    """

    plain_mb: int | None
    asked_mb: int | None
    wanted_mb: int | None
    headroom_mb: int
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class JobConf:
    """The properties of one job.

    Attributes:
        raw: name -> value as written: variables not replaced, secrets included (print ``shown``).
        losses: what could not be read, one sentence each.
        set_in_code: names of the properties that the driver set in code (``Configuration.set``,
            source "programmatically"), which overrides its command line.
    """

    raw: Mapping[str, str]
    losses: tuple[str, ...] = field(default=())
    set_in_code: frozenset[str] = frozenset()

    def get(self, name: str) -> str | None:
        """The value under this name, its new name or an old one; variables replaced."""
        key = self._key(name)
        return None if key is None else self._substituted(self.raw[key])

    def get_int(self, name: str) -> int | None:
        """An integer, with Hadoop's binary suffixes (``64m``); None if absent or not an integer."""
        text = (self.get(name) or "").strip().lower()
        if _INT.fullmatch(text) is None:
            return None
        shift = _INT_SUFFIX.get(text[-1:], 0) if not text.startswith(("0x", "-0x")) else 0
        digits = text[:-1] if shift else text
        number = int(digits, 16 if "x" in digits else 10) << shift
        return number if abs(number) < 2**63 else None

    def get_float(self, name: str) -> float | None:
        """A number; None if absent or not a number."""
        try:
            number = float((self.get(name) or "").strip())
        except ValueError:
            return None
        return number if math.isfinite(number) else None

    def shown(self, name: str) -> str | None:
        """The value as it may be printed or stored: secrets masked."""
        value = self.get(name)
        if value is None:
            return None
        return MASK if self.is_sensitive(name) else mask_text(value)

    def shown_all(self) -> Iterator[tuple[str, str]]:
        """Every property as it may be printed, in the order of names."""
        sensitive = self._sensitive_names()
        for name in sorted(self.raw):
            yield name, MASK if name in sensitive else mask_text(self._substituted(self.raw[name]))

    def is_sensitive(self, name: str) -> bool:
        """Whether Hadoop would mask this property, or the job asks for it.

        By Hadoop's patterns (``hadoop.security.sensitive-config-keys``; the list in the file is
        added to the default one, it does not replace it) and ``mapreduce.job.redacted-properties``.
        """
        names = {name, NEW_NAMES.get(name, name), *OLD_NAMES.get(name, ())}
        sensitive = self._sensitive_names()
        return any(each in sensitive for each in names)

    def task_heap_bytes(self, side: str) -> int | None:
        """Configured maximum heap of a ``map`` or ``reduce`` task in bytes; None if not set.

        The last ``-Xmx`` wins (HotSpot). Without one, Hadoop 3 uses the container's size times
        ``mapreduce.job.heap.memory-mb.ratio`` (``JobConf.getTaskJavaOpts``).
        """
        sizes = _XMX.findall(self._options(side))
        if sizes:
            return parse_jvm_size(sizes[-1])
        ratio = self.get_float("mapreduce.job.heap.memory-mb.ratio")
        if ratio is None or ratio <= 0:
            return None
        memory_mb = self.get_int(f"mapreduce.{side}.memory.mb")
        if memory_mb is None or memory_mb <= 0:
            memory_mb = _MEMORY_MB_DEFAULT
        return int(memory_mb * ratio) * _MIB

    def g1_region_bytes(self, side: str) -> int | None:
        """The size of a region that the options of a side ask for, as G1 rounds it; else None."""
        sizes = _REGION.findall(self._options(side))
        asked = parse_jvm_size(sizes[-1]) if sizes else 0
        return 1 << (asked.bit_length() - 1) if asked else None

    def task_container_bytes(self, side: str) -> int | None:
        """Memory of the container of a ``map`` or ``reduce`` task in bytes; None if not set.

        What is asked for by resource type comes first (``TaskAttemptImpl``, Hadoop 3). With
        ``memory.mb`` -1, Hadoop 3 uses ``-Xmx`` divided by the ratio, rounded up, else 1024 MB
        (``JobConf.getMemoryRequired``).
        """
        memory_mb = self.get_int(f"mapreduce.{side}.resource.memory-mb")
        if memory_mb is None:
            memory_mb = self.get_int(f"mapreduce.{side}.memory.mb")
        if memory_mb is None:
            return None
        if memory_mb > 0:
            return memory_mb * _MIB
        ratio = self.get_float("mapreduce.job.heap.memory-mb.ratio") or _HEAP_RATIO_DEFAULT
        heap = self.task_heap_bytes(side) if self._has_heap_option(side) else None
        if heap is None or ratio <= 0:
            return _MEMORY_MB_DEFAULT * _MIB
        return -(-(heap // _MIB) * 1000 // round(ratio * 1000)) * _MIB

    def container_room(self, side: str) -> RoomGiven | None:
        """What mprof did to the containers of that side; None where it was not asked to."""
        prefix = "mprof.container."
        headroom = self.get_int(f"{prefix}headroom.mb")
        if headroom is None:
            return None
        return RoomGiven(
            headroom_mb=headroom,
            plain_mb=self.get_int(f"{prefix}{side}.plain.mb"),
            asked_mb=self.get_int(f"{prefix}{side}.mb"),
            wanted_mb=self.get_int(f"{prefix}room.{side}.mb"),
            why_not=self.get(f"{prefix}{side}.why"),
        )

    def _options(self, side: str) -> str:
        """Of the JVM of that side: the administrator's, then the job's own."""
        admin = self.get(f"mapreduce.admin.{side}.child.java.opts") or ""
        own = self.get(f"mapreduce.{side}.java.opts")
        options = own if own is not None else self.get("mapred.child.java.opts") or ""
        return f"{admin} {options}"

    def _has_heap_option(self, side: str) -> bool:
        options = (self.get(f"mapreduce.{side}.java.opts"), self.get("mapred.child.java.opts"))
        return any(_XMX.search(each) for each in options if each)

    def _key(self, name: str) -> str | None:
        new = NEW_NAMES.get(name, name)
        for each in (name, new, *OLD_NAMES.get(new, ())):
            if each in self.raw:
                return each
        return None

    def _substituted(self, value: str) -> str:
        for _ in range(_MAX_SUBSTITUTIONS):
            for match in _VARIABLE.finditer(value):
                key = self._key(match[1])
                if key is not None:  # variables that only the node knows, such as user.home, stay
                    value = value[: match.start()] + self.raw[key] + value[match.end() :]
                    break
            else:
                return value
        return value

    def _sensitive_names(self) -> SensitiveNames:
        return _sensitive_names(self.raw)


def _sensitive_names(raw: Mapping[str, str]) -> SensitiveNames:
    redacted = (each.strip() for each in raw.get(_REDACTED_KEYS, "").split(","))
    own = re.split(r"[,\s]+", raw.get(_SENSITIVE_KEYS, ""))
    return SensitiveNames(filter(None, own), filter(None, redacted))


def read_conf(path: Path) -> JobConf:
    """Read ``conf.xml`` or ``job.xml``.

    Raises:
        EvidenceError: if the file is missing, empty, or not a Hadoop configuration.
    """
    try:
        data = read_file(path, limit_bytes=_MAX_BYTES)
    except UnreadableError as error:
        raise EvidenceError(
            f"cannot read the job configuration {path}: {error.reason}",
            next_step="name a job_..._conf.xml, or leave it out",
        ) from error
    return parse_conf(data, name=str(path))


def parse_conf(data: bytes, *, name: str) -> JobConf:
    """The configuration in these bytes; a file that is cut off is read as far as it goes.

    Raises:
        EvidenceError: if no property can be read.
    """
    reader = _Reader()
    losses: tuple[str, ...] = ()
    try:
        reader.parse(data)
    except (expat.ExpatError, ValueError, LookupError) as error:  # of an encoding: the latter two
        losses = (
            f"{name} is damaged ({error}): only its first {len(reader.raw)} properties were read",
        )
    if not reader.raw:
        raise EvidenceError(
            f"{name} is not a Hadoop configuration: it holds no property",
            next_step="name the job_..._conf.xml beside the job's history file",
        )
    losses += tuple(f"{name}: {line}" for line in _sensitive_names(reader.raw).losses)
    return JobConf(raw=reader.raw, losses=losses, set_in_code=frozenset(reader.set_in_code))


class _Reader:
    """Collects ``property`` elements, and keeps them when the file breaks off.

    Plain expat instead of a tree: a broken file must yield its first half, and a document type
    declaration, which Hadoop never writes and which can define expanding entities, is an error.
    """

    def __init__(self) -> None:
        self.raw: dict[str, str] = {}
        self.set_in_code: set[str] = set()
        self._texts: dict[str, list[str]] = {}
        self._element = ""

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True  # else each line comes by itself
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.Parse(data, True)

    def _start(self, element: str, _attributes: dict[str, str]) -> None:
        self._element = element
        if element == "property":
            self._texts.clear()
        elif element == "source" and "source" in self._texts:
            self._element = (
                ""  # the first one is who set it, the others are files it passed through
            )

    def _text(self, text: str) -> None:
        if self._element in _KEPT:
            self._texts.setdefault(self._element, []).append(text)

    def _end(self, element: str) -> None:
        self._element = ""
        if element == "property" and "name" in self._texts:
            name = self._read("name").strip()
            self.raw[name] = self._read("value")
            if self._read("source").strip() == _SET_IN_CODE:
                self.set_in_code.add(name)

    def _read(self, element: str) -> str:
        return "".join(self._texts.get(element, ()))

    @staticmethod
    def _doctype(*_args: object) -> None:
        raise ValueError("it declares a document type")
