"""What a content is, told from its first bytes; its name decides nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from mprof.history import is_history
from mprof.sources import reader_of

__all__ = ["Kind", "kind_of", "refusal_of"]

Kind = Literal["dump", "history", "conf", "text", "utf-16", "html", "refused"]

_CONF: Final = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,4000}?-->\s*)*<configuration\b", re.DOTALL
)
_HTML: Final = re.compile(rb"\A\s*(?:<!doctype html|<html\b)", re.IGNORECASE)
_BINARY_DUMP: Final = re.compile(rb"\AJAVA PROFILE 1\.0(?:\.[0-9])?\0")
_BCFILE: Final = bytes.fromhex("d111d3689 1b5d7b639df414092bae150".replace(" ", ""))
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
# what others write, and what to do instead; the first that fits
_REFUSED: Final[tuple[tuple[re.Pattern[bytes], str], ...]] = (
    (
        re.compile(rb"\A\x00.portable heap dump", re.DOTALL),
        (
            "a heap dump of OpenJ9 in its own format (PHD), which mprof does not read. "
            "Next step: let a JVM of HotSpot run the task, or open it in Eclipse MAT"
        ),
    ),
    (
        re.compile(rb"\A0SECTION\s+TITLE\s|^1TISIGINFO\s", re.MULTILINE),
        (
            "a javacore of OpenJ9: it names the threads and holds no heap. Next step: name the "
            "container's syslog, stderr and stdout"
        ),
    ),
    (
        re.compile(rb"\AJAVA PROFILE 1\.0[.0-9]*, created "),
        "a heap dump in HPROF's text form. Next step: write it with format=b",
    ),
    (
        re.compile(rb"\A(?:[^\n]*\n){0,4}\s*num\s+#instances\s+#bytes"),
        (
            "a class histogram (jmap -histo): it says which classes fill the heap, and not who "
            "holds them. Next step: jmap -dump:live,format=b,file=heap.hprof PID, and name that"
        ),
    ),
    (
        re.compile(rb"\A(?:[^\n]*\n){0,3}Full thread dump "),
        "a thread dump (jstack), which says nothing about memory",
    ),
    (
        re.compile(rb"\A\x7fELF"),
        "a core file or a program. Next step: jhsdb jmap --binaryheap makes a heap dump of a core",
    ),
    (re.compile(rb"\AMDMP"), "a minidump of Windows"),
    (re.compile(rb"\ASEQ[\x04-\x06]|\APAR1|\AORC|\AObj\x01"), "data, not logs"),
    (re.compile(rb"\A\xca\xfe\xba\xbe"), "a class file"),
)
_LOG_OF_YARN: Final = (
    "logs as YARN keeps them on the cluster's file system. Next step: "
    "yarn logs -applicationId ID > FILE, and name that file"
)
_UNKNOWN: Final = "of no known kind"


def kind_of(head: bytes) -> Kind:
    """What begins so."""
    if _BINARY_DUMP.match(head):
        return "dump"
    if any(pattern.search(head) for pattern, _ in _REFUSED):
        return "refused"
    if is_history(head):
        return "history"
    if _CONF.match(head):
        return "conf"
    if _HTML.match(head):
        return "html"
    if head.startswith(_UTF16) or _is_utf16(head):
        return "utf-16"
    return "text" if _is_text(head) else "refused"


def refusal_of(head: bytes, path: Path | None) -> str:
    """Why something is not read, and what to do instead."""
    told = next((words for pattern, words in _REFUSED if pattern.search(head)), None)
    if told is not None:
        return told
    if path is not None and (
        _ends_as_bcfile(path) or re.fullmatch(r".+_\d{2,5}(?:_\d+)?", path.name)
    ):
        return _LOG_OF_YARN
    return _UNKNOWN


def for_import(path: Path, head: bytes) -> str | None:
    """The kind of a file that is about a cluster, as mprof import takes it; None for others."""
    reader = reader_of(path, head)
    return reader.kind if reader is not None else None


def _ends_as_bcfile(path: Path) -> bool:
    """Whether it is a TFile, as LogAggregationTFileController writes (BCFile.Magic)."""
    try:
        with path.open("rb") as file:
            file.seek(-len(_BCFILE), 2)
            return file.read() == _BCFILE
    except OSError:
        return False


def _is_text(head: bytes) -> bool:
    sample = head[:8192]
    odd = sum(sample.count(bytes([code])) for code in (*range(1, 8), *range(14, 27)))
    return bool(sample) and sample.count(0) <= len(sample) // 50 and odd <= len(sample) // 20


def _is_utf16(head: bytes) -> bool:
    """Text of a Latin alphabet in two bytes each, without a mark."""
    sample = head[:2048]
    half = len(sample) // 2
    return half > 8 and max(sample[0::2].count(0), sample[1::2].count(0)) > half * 9 // 10
