"""What kind a content is, by its first bytes; its name decides nothing."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final, Literal

from mprof.history import is_history
from mprof.units import format_bytes

__all__ = ["Kind", "for_import", "is_aggregated", "is_checksum", "kind_of", "refusal_of"]

Kind = Literal["dump", "history", "conf", "text", "utf-16", "html", "refused"]

_CONF: Final = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).){0,4000}-->\s*)*+<configuration\b", re.DOTALL
)
_HTML: Final = re.compile(
    rb"\A\s*<(?:!doctype html|(?:html|body|div|p|pre|code|table|article|section|blockquote|h[1-6])"
    rb"\b[^<>]{0,2000}>)",
    re.IGNORECASE,
)
_BINARY_DUMP: Final = re.compile(rb"\AJAVA PROFILE 1\.0(?:\.[0-9])?\0")
_BCFILE: Final = bytes.fromhex("d111d36891b5d7b639df414092bae150")  # BCFile.Magic
_INDEXED_MARK_BYTES: Final = 32  # LogAggregationIndexedFileController.UUID_LENGTH
_APPLICATION: Final = re.compile(r"application_\d{1,19}_\d{1,10}")
_CHECKSUM: Final = b"crc\0"
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
            "holds them{largest}. Next step: jmap -dump:live,format=b,file=heap.hprof PID, and "
            "name that"
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
    (re.compile(b"\\A" + re.escape(_CHECKSUM)), "a checksum file of Hadoop"),
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


def is_aggregated(head: bytes, path: Path | None, hint: str) -> bool:
    """Whether it is a file of logs as YARN's log aggregation writes it.

    Uncompressed, which is the default, such a file holds the logs of many containers as they are:
    read as one text, the error of one would be blamed on another. A TFile
    (``LogAggregationTFileController``) begins with a mark; an indexed file
    (``LogAggregationIndexedFileController``) begins and ends with a digest of the application's id.

    Args:
        head: its first bytes.
        path: of the file, None where it is in an archive.
        hint: its whole path, in which the application is named as a rule.
    """
    if head.startswith(_BCFILE):
        return True
    mark = head[:_INDEXED_MARK_BYTES]
    if mark.isascii():
        return False
    names = set(_APPLICATION.findall(hint))
    return any(hashlib.sha256(name.encode()).digest() == mark for name in names) or (
        path is not None and _ends_with(path, mark)
    )


def is_checksum(head: bytes, name: str) -> bool:
    """Whether it is what Hadoop's local file system writes beside each file (``.NAME.crc``).

    ``ChecksumFileSystem``: the file begins with ``crc`` and a zero. It holds nothing of its own.
    """
    base = name.rsplit("/", 1)[-1]
    return head.startswith(_CHECKSUM) and base.startswith(".") and base.endswith(".crc")


def refusal_of(head: bytes, path: Path | None, hint: str) -> str:
    """Why something is not read, and what to do instead."""
    known = next((words for pattern, words in _REFUSED if pattern.search(head)), None)
    if known is not None:
        return known.format(largest=_largest_of(head)) if "{largest}" in known else known
    if is_aggregated(head, path, hint) or (
        path is not None and re.fullmatch(r".+_\d{2,5}(?:_\d+)?", path.name)
    ):
        return _LOG_OF_YARN
    return _UNKNOWN


_ROW: Final = re.compile(rb"^\s*\d+:\s+(\d{1,15})\s+(\d{1,18})\s+(\S+)", re.MULTILINE)
_LARGEST: Final = 3


def _largest_of(head: bytes) -> str:
    """The first rows of a class histogram, which are the largest."""
    from mprof.heap.names import java_name  # here: it loads numpy

    rows = [
        f"{java_name(name.decode('utf-8', 'replace'))} {format_bytes(int(size))} ({int(count):,})"
        for count, size, name in _ROW.findall(head)[:_LARGEST]
    ]
    return f"; the largest, with how many: {', '.join(rows)}" if rows else ""


def for_import(path: Path, head: bytes) -> str | None:
    """The kind of a file that is about a cluster, as mprof import takes it; None for others."""
    from mprof.sources import reader_of  # here: it loads pandas, which takes a second

    reader = reader_of(path, head)
    return reader.kind if reader is not None else None


def _ends_with(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-len(mark), 2)
            return file.read() == mark
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
