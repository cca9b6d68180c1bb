r"""Java errors in text: ``class: message``, frames, causes, as ``printStackTrace`` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from mprof.code_site import CodeSite
from mprof.units import parse_long

__all__ = [
    "OUT_OF_MEMORY",
    "Throwable",
    "heading_error",
    "out_of_memory_in",
    "parse_frame",
    "parse_throwable",
    "parse_throwables",
]

OUT_OF_MEMORY: Final = "java.lang.OutOfMemoryError"

# at java.base/java.util.HashMap.resize(HashMap.java:700)   the part before the slash is the module,
# at app//com.x.M.map(M.java:5)                             or class loader and module
_FRAME: Final = re.compile(
    r"^\s*(?:at\s+)?(?:[^()\s]*/)?(?P<class>[^()\s/]+)\.(?P<method>[^().\s]+)"
    r"\((?P<where>[^()]*)\)\s*(?:~?\[.*\])?\s*$"
)
_AT: Final = re.compile(r"^\s+at\s+\S")
# of the JVM and of loggers; and what people put in place of frames that they leave out
_MORE: Final = re.compile(
    r"^\s+\.\.\. \d+ (?:more|common frames omitted)|"
    r"^\s*(?:at\s+)?[\[(<]?(?:\.\.\.+|\u2026|snip(?:ped)?)[\])>]?\s*"
    r"(?:(?:\d+ )?(?:more|lines?|frames?)\b.{0,40})?$|"
    r"^\s*at\s+\d+ (?:more|common frames omitted)\s*$|"
    # a line in brackets, or between dashes, that says so: [snip, listing], [3 frames], -- cut --
    r"^\s*(?:[\[(<{]|[-=~*]{2,})[^\[\](){}<>]{0,60}?\b(?:snip\w*|cut|frames?|lines?|more|omitted|"
    r"removed|skipped|left out|elided|trimmed|shortened)\b[^\[\](){}<>]{0,60}"
    r"(?:[\])>}]|[-=~*]{2,})\s*$"
)
# org.apache.hadoop.ipc.RPC$Server.call of Hadoop 1 makes an IOException of what a call threw
_QUOTED_CAUSE: Final = re.compile(
    r"(?:java\.io\.IOException: )?java\.lang\.OutOfMemoryError(?:: (.*))?"
)
_QUOTED_BY_TEZ: Final = re.compile(  # org.apache.tez.runtime.task.TezTaskRunner, of both lines
    r"[Ww]hile running task ?(?:\( failure \) )?: ?(?:java\.lang\.RuntimeException: )?"
    r"java\.lang\.OutOfMemoryError(?:: (.*))?$"
)
_CAUSE: Final = re.compile(r"^\s*Caused by: (.*)$")
_SUPPRESSED: Final = re.compile(r"^\s+Suppressed: ")
# a logger's prefix holds a dotted class name of its own, which must not be taken for the error's
_LOG_PREFIX: Final = re.compile(r"^\d{4}-\d\d-\d\d[ T][\d:,.]+\S* [A-Z]+\s+(?:\[.*?\] )?[\w.$-]+: ")
_HEADERS: Final = (
    re.compile(
        r"(?:^|.*?[\s:])(?P<class>(?:[A-Za-z_$][\w$]*\.)+[\w$]*(?:Error|Exception|Throwable)"
        r"(?:\([\w.$]{1,300}\))?)"  # RemoteException (org.apache.hadoop.ipc): of the server's
        r"(?::\s?(?P<message>.*))?$"
    ),
    re.compile(  # an error class of another name stands at the beginning of its line at least
        r"^(?:Exception in thread \"[^\"]*\" )?"
        r"(?P<class>(?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*)(?::\s?(?P<message>.*))?$"
    ),
)


@dataclass(frozen=True, slots=True)
class Throwable:
    """An error or exception; ``causes`` is its chain, outermost first, itself not included.

    ``is_cut`` says that the text does not give all frames of its stack: ``printStackTrace`` leaves
    out those that a cause shares with what wraps it, which are none where it is of another thread.
    """

    class_name: str
    message: str | None = None
    stack: tuple[CodeSite, ...] = ()
    causes: tuple[Throwable, ...] = ()
    is_cut: bool = field(default=False, compare=False)

    @property
    def first_line(self) -> str:
        """``class: message``, the first line ``printStackTrace`` would print."""
        text = self.class_name if self.message is None else f"{self.class_name}: {self.message}"
        return text.split("\n", 1)[0]


def parse_frame(text: str) -> CodeSite | None:
    """A frame as ``StackTraceElement`` prints it, with or without ``at``; None if it is none."""
    match = _FRAME.match(text)
    if match is None:
        return None
    # without the spaces that a page puts around the number: (Job.java : 9 )
    file, _, line = match["where"].replace(" ", "").partition(":")
    known = file not in {"", "NativeMethod", "UnknownSource"}
    return CodeSite(
        class_name=match["class"],
        method=match["method"],
        file=file if known else None,
        line=parse_long(line),
    )


def out_of_memory_in(error: Throwable) -> Throwable | None:
    """The first OutOfMemoryError in the chain, or one of a library's that extends it, or None.

    ``org.apache.spark.memory.SparkOutOfMemoryError``, ``io.netty...OutOfDirectMemoryError``.
    """
    for each in (error, *error.causes):
        if each.class_name.endswith(("OutOfMemoryError", "OutOfDirectMemoryError")):
            return each
    # its cause is cut off; Throwable(Throwable) has made the cause's first line its message
    innermost = (error, *error.causes)[-1]
    said = (innermost.message or "").split("\n")[0].strip()
    quoted = _QUOTED_CAUSE.fullmatch(said)
    if quoted is not None:
        return Throwable(OUT_OF_MEMORY, quoted[1])
    # what HiveServer2 tells its client is the error of a task of Tez, whose frames follow
    of_tez = _QUOTED_BY_TEZ.search(said)
    return None if of_tez is None else Throwable(OUT_OF_MEMORY, of_tez[1], innermost.stack)


def parse_throwable(text: str) -> Throwable | None:
    """The first error in the text, or None."""
    return next((error for _, error in parse_throwables(text.split("\n"))), None)


def heading_error(line: str) -> Throwable | None:
    """The error that a line begins, whether or not frames follow; None where it begins none."""
    header = _header(line)
    return Throwable(header["class"], header["message"]) if header is not None else None


def parse_throwables(lines: Iterable[str]) -> Iterator[tuple[int, Throwable]]:
    """Every error that is followed by frames, or is an OutOfMemoryError: (line number, error).

    Line numbers are 0-based and point at the line that names the error. A logger's prefix before
    the class is passed over. A message of several lines is kept whole.
    """
    current: _Open | None = None
    pending: list[str] = []  # lines since the last frame: one of them heads the next error
    for number, line in enumerate(lines):
        if line == "\t":  # a blank line of a page within a stack
            continue
        if _AT.match(line) and not _MORE.match(line):
            frame = parse_frame(line)
            if pending:
                if current is not None and current.takes_cause(pending):
                    pending = []
                else:
                    if current is not None:
                        yield current.at, current.whole()
                    current = _headed(pending, number)
                    pending = []
            if current is not None and frame is not None:
                current.add(frame)
        elif _MORE.match(line):
            if current is not None and pending:
                current.takes_cause(pending)  # a cause all of whose frames are the outer error's
            if current is not None:
                current.cut()
            pending = []
        elif _SUPPRESSED.match(line) and current is not None:
            current.skipping = True
            pending = []
        else:
            if current is not None and not _continues(line, pending):
                if pending:
                    current.takes_cause(pending)
                yield current.at, current.whole()
                current = None
                pending = []
            elif current is None and pending and _goes_on(pending[-1], line):
                pending[-1] = f"{pending[-1].rstrip()} {line.strip()}"
                continue
            elif current is None and OUT_OF_MEMORY in "".join(pending[-1:]):
                yield from _bare(pending[-1], number - 1)
            pending = [*pending[-20:], line]
    if current is not None:
        if pending:
            current.takes_cause(pending)
        yield current.at, current.whole()
    elif pending and OUT_OF_MEMORY in pending[-1]:
        yield from _bare(pending[-1], number)


class _Open:
    """An error whose frames are still coming."""

    def __init__(self, at: int, error: Throwable) -> None:
        self.at = at
        self.skipping = False
        self._chain = [error]
        self._frames: list[list[CodeSite]] = [[]]
        self._cut: dict[int, bool] = {}

    def cut(self) -> None:
        """Frames are left out here."""
        if not self.skipping:
            self._cut[len(self._chain) - 1] = True

    def add(self, frame: CodeSite) -> None:
        if not self.skipping:
            self._frames[-1].append(frame)

    def takes_cause(self, pending: list[str]) -> bool:
        """Continue with the next in the chain if the lines say "Caused by:"."""
        match = _CAUSE.match(pending[0])
        if match is None:
            return False
        self.skipping = False
        header = _header(match[1])
        message = "\n".join([(header["message"] or "") if header else "", *pending[1:]])
        class_name = header["class"] if header else match[1]
        has_message = header is not None and (header["message"] is not None or len(pending) > 1)
        self._chain.append(Throwable(class_name, message.rstrip() if has_message else None))
        self._frames.append([])
        return True

    def whole(self) -> Throwable:
        outer, *causes = (
            replace(error, stack=tuple(frames), is_cut=self._cut.get(number, False))
            for number, (error, frames) in enumerate(zip(self._chain, self._frames, strict=True))
        )
        return replace(outer, causes=tuple(causes))


def _goes_on(last: str, line: str) -> bool:
    """Whether a page or a terminal has broken the line before its message."""
    is_bare = last.rstrip().endswith((OUT_OF_MEMORY, f"{OUT_OF_MEMORY}:"))
    return is_bare and line[:1].isspace() and bool(line.strip())


def _headed(pending: list[str], number: int) -> _Open | None:
    """The error whose first frame stands at ``number``, headed by one of the lines before."""
    for back, line in enumerate(reversed(pending)):
        match = _header(line)
        if match is not None:
            rest = pending[len(pending) - back :]
            message = match["message"]
            if message is not None or rest:
                message = "\n".join([message or "", *rest]).rstrip()
            return _Open(number - back - 1, Throwable(match["class"], message))
    return None


def _header(line: str) -> re.Match[str] | None:
    text = _LOG_PREFIX.sub("", line)
    return next((match for each in _HEADERS if (match := each.match(text))), None)


def _bare(line: str, number: int) -> Iterator[tuple[int, Throwable]]:
    match = re.search(re.escape(OUT_OF_MEMORY) + r"(?::\s?(.*))?$", line)
    if match is not None:
        yield number, Throwable(OUT_OF_MEMORY, (match[1] or "").strip() or None)


def _continues(line: str, pending: list[str]) -> bool:
    """Whether the line goes on with an error whose frames have come, by a cause of it."""
    in_cause = bool(pending) and _CAUSE.match(pending[0]) is not None
    return _CAUSE.match(line) is not None or (in_cause and _LOG_PREFIX.match(line) is None)
