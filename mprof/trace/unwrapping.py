"""What somebody or something has put around the lines of a log, taken off before they are read.

A stack in a mail stands behind ``> ``; a container's runtime writes the time before each line, or
makes a JSON object of it; a page in a browser gives ``&lt;init&gt;`` and spaces that do not break;
a recorded terminal has colours. Behind a wrapping some line must show that it is one: a frame of a
stack, or what Hadoop's logger begins a line with. So an ordinary log stays as it is, byte for byte,
whatever its own lines begin with; ends of lines as Windows writes them and colours always go.
"""

from __future__ import annotations

import html
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

import msgspec

from mprof.trace.launcher_words import in_english

__all__ = ["BROKEN", "Unwrapping", "whole_to_the_end"]

BROKEN: Final = b"\0\n"
"""The end of a line that this module has made: what follows stands in the same line of the file.

Excerpts drop the zero, and count it, so that lines have the numbers that they have in the file.
"""

_MOST_PASTED: Final = 1 << 20  # bytes of a text that went through a form, a page or a terminal
_LOOKED_AT: Final = 20  # lines by which it is told what a text consists of
_FIRST_BYTES: Final = 1 << 12
_MOST: Final = 0.8  # of them: a header or a line of another program may stand among them
_COLOURS: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")  # as `script` records them
# what no program but Java and Hadoop begins a line with
_INSIDE: Final = (
    rb"(?:[ \t]+at [\w.$/<>]{1,500}\(|Caused by: |Container: container_|"
    rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]{4,5} |\d\d/\d\d/\d\d \d\d:\d\d:\d\d [A-Z]{4,5} )"
)
_TIME: Final = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)[ \t]"
_POD: Final = rb"\[pod/[^\]\n]{1,300}\] "
# what stands before each line, and who writes it so; a time of Docker may be the begin of another
_PREFIXES: Final[tuple[bytes, ...]] = (
    _TIME,  # docker logs -t, kubectl logs --timestamps, a download of CloudWatch
    _TIME + rb"std(?:out|err) [FP] ",  # the kubelet's files (CRI); F is for a full line
    _TIME + rb"[\w./\[\]$-]{1,500} ",  # aws logs tail, with the stream
    _POD,  # kubectl logs --prefix
    _POD + _TIME,
    rb"[\w.-]{1,80} {1,40}\| ",  # docker compose logs
    rb"HADOOP: ",  # what mrjob prints of the command that it runs
    rb"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,80} [\w./-]{1,80}(?:\[\d{1,9}\])?: ",  # syslog
)
_QUOTE: Final = rb"(?:> ?)+"
_QUOTED: Final = re.compile(_QUOTE + _INSIDE)
_QUOTES: Final = re.compile(rb"(?m)^" + _QUOTE)
# of a page: what stands in an error of Java or a line of Hadoop, and nowhere with these characters
_ESCAPED: Final = (
    b".&lt;init&gt;(",
    b".&lt;clinit&gt;(",
    b"in thread &quot;",
    b"Task &#39;attempt_",
    b"Task &#x27;attempt_",
    b"&nbsp;at ",
)
_BLANK_LINES: Final = re.compile(rb"(?:\n[ \t]*)+\n")
_FEWEST_FULL: Final = 3  # lines as wide as the terminal
_NARROWEST: Final = 60
_WIDEST: Final = 400
# what begins a line of its own, and is no rest of the one above
_BEGINS: Final = re.compile(
    rb"\s|\d{4}-\d\d-\d\d|\d\d/\d\d/\d\d|\[\d|\[(?:Full )?GC|Error|Caused by|Container |Dump of|"
    rb"at [\w$.]+\(|\|-|Task |Job |java\.|org\.|AttemptID|\w+@[\w.-]+:|attempt_\w+: |Exception|"
    rb"Too many|Traceback|Lost |Map output|Application |Diagnostics|[A-Z]{4,5} |"
    rb"(?:[a-z]\w{0,100}\.){1,20}[A-Z]\w{0,100}(?:Error|Exception)\b|\d+\.\d+: \["
)
_COMPLETE: Final = re.compile(rb"(?:, Status : \w+|[.!?:;])\s*$")
"""How a line ends that nothing has cut."""
_GOES_ON: Final = re.compile(rb"[a-z\d.$:,;)(\]/_-]")
_CUT_CLASS: Final = re.compile(rb"(?:[a-z]\w{0,100}\.){2,20}[A-Z]\w{0,100}$")
_LOGGED: Final = re.compile(
    rb"\[?\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d\d |Error|Caused by|Exception|Container |Task Id|"
    rb"AttemptID|attempt_|Application |java\."
)
"""What a log or a report begins a line with, and nobody a sentence; frames are seldom cut."""
_PRINTABLE: Final = re.compile(rb"(?mi)^Content-Transfer-Encoding: *quoted-printable")
# between the parts of a mail, and between the mails of a file
_NEXT_PART: Final = re.compile(rb"(?m)^(?:--[\w'()+,./:=?-]{8,70}\s*$|From \S+@\S+ )")
_FEWEST_DOUBLED: Final = 5  # lines: fewer may be so by chance
_FEWEST_OF_A_LOG: Final = 0.25  # of the lines of a text that is a log with some words above it
_OF_A_LOG: Final = re.compile(rb"(?m)^(?:" + _INSIDE + rb"|at [\w.$/<>]{1,500}\()")
_CALL: Final = rb"(?:[\w$]{1,100}\.){2,20}[\w$<>]{1,200}"
# running text: its lines are broken between "at" and what stood there
_AT_OF_THE_NEXT: Final = re.compile(rb"[ \t]at[ \t]*\n[ \t]*(?=" + _CALL + rb"\([^()\n]{1,200}\))")
_MAY_BE_ONE_LINE: Final = re.compile(rb"\)[ \t]at |\)[ \t]?Caused by: ")
_FRAMES_IN_A_ROW: Final = re.compile(rb"[ \t]at " + _CALL + rb"\([^()]{1,200}\)[ \t]at " + _CALL)
_CAUSE_IN_A_ROW: Final = re.compile(rb"[ \t]at " + _CALL + rb"\([^()]{1,200}\)[ \t]?Caused by: ")
_NEXT_FRAME: Final = re.compile(rb"(?<=\S)[ \t]at (?=" + _CALL + rb"(?:[.(]|$))")
_NEXT_PROCESS: Final = re.compile(rb"(?<=\S) \|- (?=PID PPID |\d+ \d+ \d+ \d+ \()")  # of a tree
_NEXT_CAUSE: Final = re.compile(rb"(?<=\))[ \t]?Caused by: |(?<= more)[ \t]?Caused by: ")
_REFERENCE: Final = re.compile(rb"&(?:[lg]t|quot|nbsp|#)")
# spaces of a page in a frame, and in what YARN and the JVM say of an end
_UNBROKEN: Final = re.compile(
    rb"\xc2\xa0[ \t]{0,8}at [\w.$/<>]{1,500}\(|\bContainer\xc2\xa0+\[pid=|\bCaused\xc2\xa0by:|"
    rb"\bbeyond(?:\xc2\xa0| )+(?:physical|virtual)(?:\xc2\xa0| )+memory\xc2\xa0|"
    rb"\bError:\xc2\xa0|\bException\xc2\xa0in\xc2\xa0thread\xc2\xa0"
)
_UNINDENTED: Final = re.compile(
    rb"(?m)^(?=at (?:[\w$]{1,200}\.){1,40}[\w$<>]{1,200}"
    rb"\((?:\w{1,200}\.\w{1,10}(?::\d{1,9})?|Native Method|Unknown Source)\)[ \t]*$)"
)


# a frame that a mail program or a terminal has broken: no frame ends so, and no line is such a rest
_BROKEN_FRAME: Final = re.compile(
    rb"(?m)^([ \t]+at [\w.$/<>]{1,500}(?:\([\w.$]{0,200})?)[ \t]*\n"
    rb"[ \t]*(?!at )([\w.$<>]{0,300}\([\w.$ ]{1,200}(?::\d{1,9})?\)|"
    rb"[\w.$]{0,200}:?\d{0,9}\))[ \t]*$"
)


# what a page that was pasted with its tags has behind the last frame of a stack
_TAGS_BEHIND: Final = re.compile(
    rb"(?m)^([ \t]+at [\w.$/<>&;]{1,500}\([^()\n<>]{1,200}\))"
    rb"((?:[ \t]*</?[A-Za-z][^<>\n]{0,300}>)+)(.*)$"
)


def _without_tags(found: re.Match[bytes]) -> bytes:
    """The frame, and what stands behind the tags as a line of its own."""
    return found[1] + BROKEN + found[3] if found[3].strip() else found[1]


# a frame in which a page marks a name
_TAGGED_FRAME: Final = re.compile(
    rb"(?m)^[ \t]+at [^\n<]{0,300}<(?:font|span|b|em|i|strong|mark|u)\b[^\n]*$"
)
_INNER_TAG: Final = re.compile(rb"</?(?:font|span|b|em|i|strong|mark|u)\b[^<>\n]{0,200}>")


def _without_inner_tags(found: re.Match[bytes]) -> bytes:
    return _INNER_TAG.sub(b"", found[0])


# Markdown: ids with a backslash before each underscore, and what else such text has one before
_ESCAPED_ID: Final = re.compile(
    rb"(?:attempt|container|application|job|task|vertex|dag)(?:\\_e?\d|_\d{1,19}\\_)|"
    rb"[A-Z]\\_(?:OPTS|HEAPSIZE)\b"
)
_ESCAPES: Final = re.compile(rb"\\([_\[\]*.#<>|()`~-])")
_ESCAPED_HEADING: Final = re.compile(rb"(?m)^#{1,6}[ \t][^\n]{0,1000}\\\([^\n]{0,1000}")
# an error that is printed bold, or as code, by itself in its line
_BOLD: Final = re.compile(
    rb"(?m)^([ \t]*)(\*{2,3}|__|`)((?:Caused by: |Exception in thread [^\n]{1,200}?)?"
    rb"(?:[a-z]\w{0,100}\.){1,20}[A-Z]\w{0,100}(?:Error|Exception)\b[^\n]*?)\2[ \t]*$"
)
_COMMENTS: Final = re.compile(
    rb"(?m)^#{1,3} (?=" + _INSIDE + rb"|AttemptID:attempt_|Container \[pid=|Task Id : |"
    rb"Container (?:killed on request|exited with a non-zero) )"
)
# of a console that puts a time and its name before each line, whole or cut off at the left; and of
# a job of Azkaban
_CONSOLE: Final = re.compile(
    rb"(?m)^(?:[\d:. -]{0,12}\d?\d:\d\d:\d\d(?:[.,]\d{3})? [A-Z]{3,20}[#>|][ \t]|"
    rb"\d\d-\d\d-\d{4} \d\d:\d\d:\d\d [A-Z]{2,5} [\w.-]{1,100} [A-Z]{4,5} - )"
)
# blanks of a page for which the encoding of its copy had no character, before a frame
_LOST_BLANKS: Final = re.compile(rb"(?m)^\?{2,40}[ \t]*(?=at [\w.$/<>]{1,500}\()")
# an id that a terminal has cut at its width, which is whole with the beginning of the next line
_CUT_ID: Final = re.compile(
    rb"\b((?:attempt|task|vertex|container)_e?[\dmr_]{1,60})\n[ \t>]{0,40}([\dmr_]{1,60})"
)
_WHOLE_IDS: Final = re.compile(
    rb"(?:attempt_\d{12,13}_\d{4,9}(?:_[mr]|_\d{1,3}_\d\d)_\d{6}_\d{1,4}|"
    rb"task_\d{12,13}_\d{4,9}(?:_[mr]|_\d{1,3}_\d\d)_\d{6}|"
    rb"vertex_\d{12,13}_\d{4,9}_\d{1,3}_\d\d|"
    rb"container_(?:e\d{1,9}_)?\d{12,13}_\d{4,9}_\d\d_\d{6,9})"
)
# what a page or a form has put between the lines of one stack: nothing ends it but what follows.
# So that all lines keep their numbers, each blank one is made a tab alone, over which stacks go on
_IN_A_STACK: Final = re.compile(
    rb"(?m)^([ \t]*at [\w.$/<>]{1,500}\([^()\n]{1,200}\)[^\n]{0,200}\n|"
    rb"[ \t]*\.\.\. \d{1,4} more[ \t]*\n|"
    rb"[^\n]{0,2000}\b(?:[a-z]\w{0,100}\.){1,20}[A-Z]\w{0,100}(?:Error|Exception)\b[^\n]{0,2000}\n)"
    rb"((?:[ \t]*\n){1,5})(?=[ \t]*(?:at [\w.$/<>]{1,500}\([^()\n]{1,200}\)|Caused by: ))"
)
# what is left of a tag before an error, at the begin of its line
_REST_OF_A_TAG: Final = re.compile(
    rb"(?m)^[ \t]*(?:<[a-z][^<>\n]{0,300}>|(?:[a-zA-Z-]{1,20}=\"[^\"<>\n]{0,200}\" ?){1,8}>)+[ \t]*"
    rb"(?=Exception in thread \"|Error: |Caused by: |"
    rb"(?:[a-z]\w{0,100}\.){1,20}[A-Z]\w{0,100}(?:Error|Exception)\b)"
)
_WORDS_OF_MEMORY: Final = (
    "Java heap space", "GC overhead limit exceeded", "Direct buffer memory", "PermGen space",
    "Metaspace", "Compressed class space", "unable to create new native thread",
    "unable to create native thread", "Requested array size exceeds VM limit",
)  # fmt: skip
"""Of HotSpot, as the message of an OutOfMemoryError begins."""
_OUT_OF_MEMORY: Final = "java.lang.OutOfMemoryError"
# the same as people and translators type it: another case, no colon, no space behind it
_AS_TYPED: Final = re.compile(
    rb"(?i)java\.lang\.OutOfMemoryError(?:[ \t]?[:\-]?[ \t]{0,3}(?P<words>%s)|[ \t]?:[ \t]{0,3})?"
    % "|".join(_WORDS_OF_MEMORY).replace(" ", r"[ \t]*[ \t\n][ \t]*").encode()
)
_AS_WRITTEN: Final = {words.lower(): words for words in _WORDS_OF_MEMORY}
_FEWEST_LETTERS: Final = len("Error: Java h")
_CUT_END: Final = re.compile(rb"(?:java\.lang\.OutOfM[\w: ]{0,60}|(?<![\w.])Error: [\w ]{3,40})$")


class _Record(msgspec.Struct):
    """A line of a log as a JSON object: of Docker's files, Fluentd, Fluent Bit or Logstash."""

    log: str | None = None
    message: str | None = None
    msg: str | None = None
    level: Any = None
    thread: Any = None
    thread_name: Any = None
    logger_of_log4j: Any = msgspec.field(default=None, name="loggerName")
    logger_name: Any = None
    logger: Any = None
    timestamp: Any = None
    ts: Any = None
    time: Any = None
    at_timestamp: Any = msgspec.field(default=None, name="@timestamp")
    stack_trace: Any = None
    exception: Any = None
    thrown: Any = None

    @property
    def text(self) -> str | None:
        """The line, as the logger would write it as text, with the stack behind it."""
        said = next((one for one in (self.log, self.message, self.msg) if one is not None), None)
        stack = _stack_of(self.stack_trace, self.exception, self.thrown)
        if said is None:
            return stack
        logger = next((one for one in (self.logger_of_log4j, self.logger_name, self.logger)
                       if isinstance(one, str)), None)  # fmt: skip
        if logger is not None and isinstance(self.level, str):
            thread = self.thread or self.thread_name
            time = _time_of(self.at_timestamp, self.timestamp, self.ts, self.time)
            of_thread = f"[{thread}] " if isinstance(thread, str) else ""
            said = f"{time} {self.level} {of_thread}{logger}: {said}"
        if stack is None:
            return said
        first, _, rest = stack.partition("\n")
        return f"{said}\n{rest if said.endswith(first) else stack}"


_ISO: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_NO_TIME: Final = "1970-01-01 00:00:00,000"  # as a log line has one, and nothing is said of it
_LAST_MS: Final = 253_402_300_799_999  # the last millisecond of the year 9999


def _time_of(*said: Any) -> str:
    """The first that is a time, ISO 8601 or milliseconds since 1970, as Log4j writes it in text."""
    for one in said:
        if isinstance(one, int) and 10**11 < one <= _LAST_MS:  # as seconds, after the year 5000
            moment = datetime.fromtimestamp(one // 1000, UTC)
            return f"{moment:%Y-%m-%d %H:%M:%S},{one % 1000:03d}"
        match = _ISO.match(one) if isinstance(one, str) else None
        if match is not None:
            return f"{match[1]} {match[2]},{match[3] or '000'}"
    return _NO_TIME


def _stack_of(*said: Any) -> str | None:
    """A stack: a text, or as Log4j 2's JsonLayout and Logstash's encoders make objects of it."""
    for one in said:
        if isinstance(one, str) and one.strip():
            return one
        if isinstance(one, dict):
            text = one.get("extendedStackTrace") or one.get("stacktrace") or one.get("stack_trace")
            if isinstance(text, str):
                return text
            name = one.get("name") or one.get("exception_class") or one.get("class")
            if isinstance(name, str):
                message = one.get("message") or one.get("exception_message")
                head = f"{name}: {message}" if isinstance(message, str) else name
                frames = text if isinstance(text, list) else []
                return "\n".join([head, *(_frame_of(each) for each in frames)])
    return None


def _frame_of(one: Any) -> str:
    if not isinstance(one, dict):
        return f"\tat {one}"
    where = f"{one.get('file') or 'Unknown Source'}:{one.get('line') or 0}"
    return f"\tat {one.get('class')}.{one.get('method')}({where})"


_RECORDS: Final = msgspec.json.Decoder(_Record)


@dataclass(slots=True)
class Unwrapping:
    """Takes off what stands around the lines of one text."""

    is_begun: bool = False
    is_printable: bool = False  # quoted-printable, as mails are kept
    is_escaped: bool = False
    is_quoted: bool = False
    is_doubled: bool = False
    is_markdown: bool = False
    taken: int = 0  # bytes
    json: _Json | None = None
    may_begin_with: tuple[bytes, ...] = ()  # prefixes, until lines show which of them it is
    begins_with: re.Pattern[bytes] | None = None

    def of(self, lines: bytes) -> bytes:
        """The next whole lines, in UTF-8, without it."""
        if b"\x1b" in lines:
            lines = _COLOURS.sub(b"", lines)
        if b"\r" in lines:
            lines = lines.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").rstrip(b"\r")
        if self.is_printable or b"uoted-" in lines:
            lines = self._without_printable(lines)
        lines = self._without_quotes(self._without_escapes(lines))
        # to look for each language takes half of the time that all else takes: of a long log only
        # what is not of English is looked through
        if self.taken < _MOST_PASTED or not lines.isascii():
            lines = in_english(lines)
        if self.taken < _MOST_PASTED:
            self.taken += len(lines)
            lines = _with_whole_ids(_as_wide_as_they_were(self._without_marks(lines)))
            if b"MemoryError" in lines or b"memoryerror" in lines.lower():
                lines = _AS_TYPED.sub(_as_java_writes, lines)
            if b"memory" in lines and b"limits" in lines:
                lines = _KILL.sub(_in_one_line, lines)
            if b">" in lines:
                lines = _REST_OF_A_TAG.sub(b"", lines)
            if b"</" in lines:
                lines = _TAGGED_FRAME.sub(_without_inner_tags, lines)
            if b")</" in lines:
                lines = _TAGS_BEHIND.sub(_without_tags, lines)
            lines = _IN_A_STACK.sub(lambda found: found[1] + b"\t\n" * found[2].count(b"\n"), lines)
        if b" at\n" in lines or b" at \n" in lines:
            lines = _AT_OF_THE_NEXT.sub(b"\n\tat ", lines)
        if _MAY_BE_ONE_LINE.search(lines):
            lines = _of_one_line(lines)
        if b" |- " in lines:
            lines = _NEXT_PROCESS.sub(BROKEN + b"\t|- ", lines)
        if not self.is_begun and lines.strip():
            self.is_begun = True
            first = [line for line in lines[:_FIRST_BYTES].split(b"\n") if line.strip()][
                :_LOOKED_AT
            ]
            self.is_doubled = _has_blank_lines_between(lines[:_FIRST_BYTES])
            self.json = _json_of(first)
            self.may_begin_with = _prefixes_of(first)
        if self.json is not None:
            return self.json.of(lines)
        if self.is_doubled:
            lines = _BLANK_LINES.sub(b"\n", lines)
        return self._indented(self._without_prefixes(lines))

    def _without_printable(self, lines: bytes) -> bytes:
        """With the parts of a mail that are in quoted-printable as they were written (RFC 2045)."""
        found, at = [], 0
        while at < len(lines):
            if not self.is_printable:
                head = _PRINTABLE.search(lines, at)
                begin = lines.find(b"\n\n", head.end()) if head is not None else -1
                if begin < 0:
                    break
                found.append(lines[at:begin])
                at, self.is_printable = begin, True
            end = _NEXT_PART.search(lines, at + 1)
            stop = end.start() if end is not None else len(lines)
            found.append(quopri.decodestring(lines[at:stop]))
            at, self.is_printable = stop, end is None
        return b"".join([*found, lines[at:]])

    def _without_escapes(self, lines: bytes) -> bytes:
        # one byte is looked for ten times as fast as two, and these are rare
        if b"\xc2" in lines and b"\xc2\xa0" in lines and _UNBROKEN.search(lines):
            lines = lines.replace(b"\xc2\xa0", b" ")
        if not self.is_escaped and b"&" in lines:
            # addresses are full of the character, and hold none of what can follow it here
            self.is_escaped = _REFERENCE.search(lines) is not None and any(
                each in lines for each in _ESCAPED
            )
        if not self.is_escaped:
            return lines
        text = html.unescape(lines.decode("utf-8", "replace")).replace("\xa0", " ")
        return text.encode("utf-8", "replace")

    def _without_marks(self, lines: bytes) -> bytes:
        """Without those of Markdown, of comments in a script and of a console around log lines."""
        if b"\\_" in lines:
            self.is_markdown = self.is_markdown or _ESCAPED_ID.search(lines) is not None
            if self.is_markdown:
                lines = _ESCAPES.sub(rb"\1", lines)
        if b"\\(" in lines:  # of a heading that quotes a message, as editors of Markdown write it
            lines = _ESCAPED_HEADING.sub(lambda one: _ESCAPES.sub(rb"\1", one[0]), lines)
        if b"**" in lines or b"__" in lines or b"`" in lines:
            lines = _BOLD.sub(rb"\1\3", lines)
        if lines.startswith(b"#") or b"\n#" in lines:
            lines = _COMMENTS.sub(b"", lines)
        if b"??" in lines:
            lines = _LOST_BLANKS.sub(b"\t", lines)
        if any(one in lines for one in (b"# ", b"> ", b"| ", b" - ")):
            lines = _CONSOLE.sub(b"", lines)
        return lines

    def _without_quotes(self, lines: bytes) -> bytes:
        if b">" not in lines or not (lines.startswith(b">") or b"\n>" in lines):
            return lines
        if not self.is_quoted:
            self.is_quoted = any(map(_QUOTED.match, _telling(lines)))
        return _QUOTES.sub(b"", lines) if self.is_quoted else lines

    def _without_prefixes(self, lines: bytes) -> bytes:
        for prefix in self.may_begin_with:
            shows = re.compile(prefix + _INSIDE)
            if any(map(shows.match, _telling(lines))):
                self.begins_with = re.compile(rb"(?m)^" + prefix)
                self.may_begin_with = ()
                break
        return self.begins_with.sub(b"", lines) if self.begins_with is not None else lines

    def _indented(self, lines: bytes) -> bytes:
        """The frames of a stack that has lost its spaces in a form or on a page."""
        if b" at " in lines or b"\tat " in lines:
            lines = _BROKEN_FRAME.sub(rb"\1\2", lines)
        if lines.startswith(b"at ") or b"\nat " in lines:
            return _UNINDENTED.sub(b"\t", lines)
        return lines


def whole_to_the_end(text: bytes) -> bytes:
    """A text with the OutOfMemoryError whole of which its last word is a part.

    A page shows so many characters of a text, and cuts it in a word. What two messages begin with
    stays as it is.

    >>> whole_to_the_end(b"Caused by: java.lang.OutOfMemoryError: Java he")
    b'Caused by: java.lang.OutOfMemoryError: Java heap space'
    """
    end = text.rstrip()
    cut = _CUT_END.search(end, max(len(end) - 100, 0))
    if cut is None:
        return text
    said = cut[0].decode()
    heads = [_OUT_OF_MEMORY, "Error"]  # YarnChild reports the message without its class
    every = [_OUT_OF_MEMORY, *(f"{one}: {words}" for one in heads for words in _WORDS_OF_MEMORY)]
    may_be = [one for one in every if one.startswith(said)]
    if said in every or not may_be or (len(may_be) > 1 and may_be[0] != _OUT_OF_MEMORY):
        return text
    # other errors begin so, too: a few letters are enough where the text has it whole before
    if len(said) < _FEWEST_LETTERS and may_be[0].encode() not in end:
        return text
    return end[: cut.start()] + may_be[0].encode()


def _as_java_writes(typed: re.Match[bytes]) -> bytes:
    """An OutOfMemoryError as the JVM prints it, however it was typed."""
    words = (typed["words"] or b"").decode()
    if words:  # a line that is broken within them is broken behind them
        whole = _AS_WRITTEN[" ".join(words.lower().split())]
        return f"{_OUT_OF_MEMORY}: {whole}".encode() + b"\n" * words.count("\n")
    return _OUT_OF_MEMORY.encode() + typed[0][len(_OUT_OF_MEMORY) :]


# the words of Spark and YARN on a kill, which a comment or a mail breaks at its width
_GAP: Final = rb"(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:--|//|[#*>])[ \t]*)?)"
_KILL: Final = re.compile(
    rb"\b(killed by YARN for exceeding|"
    rb"is running beyond (?:physical|virtual)) memory limits\b".replace(b" ", _GAP)
)


def _in_one_line(said: re.Match[bytes]) -> bytes:
    """Words as they are logged; a line that is broken within them is broken behind them."""
    words = (one for one in said[0].split() if one.isalpha())
    return b" ".join(words) + b"\n" * said[0].count(b"\n") if b"\n" in said[0] else said[0]


def _with_whole_ids(lines: bytes) -> bytes:
    """With each id that was cut at the end of a line whole, and the next line behind it."""

    def joined(cut: re.Match[bytes]) -> bytes:
        is_cut = not _WHOLE_IDS.fullmatch(cut[1]) and _WHOLE_IDS.fullmatch(cut[1] + cut[2])
        return cut[1] + cut[2] if is_cut else cut[0]

    if b"_" not in lines or _CUT_ID.search(lines) is None:
        return lines
    return _CUT_ID.sub(joined, lines)


def _as_wide_as_they_were(text: bytes) -> bytes:
    """With the lines of logs and reports that a terminal or a forum has cut at its width, whole.

    Each full line is as wide as that, no line of a log is wider, and what follows a full line is
    the rest of it, not a line that begins by itself.
    """
    lines = text.split(b"\n")
    width = _width_of(lines)
    if width is None:
        return text
    found: list[bytes] = []
    of_a_log = is_full = False
    for line in lines:
        if is_full and of_a_log and line.strip() and _is_a_rest(line, found[-1]):
            found[-1] += line
        else:
            found.append(line)
            of_a_log = _LOGGED.match(line) is not None
        is_full = len(line) == width
    return b"\n".join(found)


def _is_a_rest(line: bytes, above: bytes) -> bool:
    """Whether a line goes on with the full one above it: the name of an error may be cut, too."""
    of_a_name = line.startswith((b"Error", b"Exception")) and _CUT_CLASS.search(above)
    return bool(of_a_name) or not (_BEGINS.match(line) or _COMPLETE.search(above))


def _width_of(lines: list[bytes]) -> int | None:
    """The width at which lines were cut; None where they were not."""
    width = max((len(line) for line in lines if _LOGGED.match(line)), default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return None
    full = [at for at, line in enumerate(lines[:-1]) if len(line) == width]
    rests = [
        lines[at + 1]
        for at in full
        if lines[at + 1].strip() and _is_a_rest(lines[at + 1], lines[at])
    ]
    going_on = sum(_GOES_ON.match(rest) is not None for rest in rests)
    is_one = len(rests) >= max(_FEWEST_FULL, _MOST * len(full)) and 3 * going_on >= len(rests)
    return width if is_one else None


def _has_blank_lines_between(lines: bytes) -> bool:
    """Whether nearly every line of a log is followed by a blank one, as pages copy paragraphs."""
    rows = [bool(line.strip()) for line in lines.split(b"\n")]
    ends = [after for here, after in pairwise(rows) if here]
    is_doubled = len(ends) >= _FEWEST_DOUBLED and ends.count(False) >= _MOST * len(ends)
    if not is_doubled:
        return False
    of_a_log = sum(1 for _ in _OF_A_LOG.finditer(lines))
    return of_a_log >= _FEWEST_OF_A_LOG * len(ends)


def _of_one_line(lines: bytes) -> bytes:
    """Stacks that a form or a chat has put into one line, a frame a line again."""
    cut = lines.split(b"\n")
    for at, line in enumerate(cut):
        may_be = _MAY_BE_ONE_LINE.search(line)
        if may_be and (_FRAMES_IN_A_ROW.search(line) or _CAUSE_IN_A_ROW.search(line)):
            frames = _NEXT_FRAME.sub(BROKEN + b"\tat ", line)
            cut[at] = _NEXT_CAUSE.sub(BROKEN + b"Caused by: ", frames)
    return b"\n".join(cut)


@dataclass(slots=True)
class _Json:
    """A text of JSON objects, one a line.

    Attributes:
        has_ends: the lines in the objects bring their own ends; one without goes on in the next.
    """

    has_ends: bool

    def of(self, lines: bytes) -> bytes:
        """The lines in the objects; what is no object stays."""
        return b"".join(map(self._line, lines.splitlines(keepends=True)))

    def _line(self, line: bytes) -> bytes:
        text = _text_of(line)
        if text is None:
            return line
        end = b"" if self.has_ends or text.endswith("\n") else b"\n"
        return text.encode("utf-8", "replace") + end


def _json_of(lines: list[bytes]) -> _Json | None:
    """How a text that begins with these lines holds lines in objects; None where it does not."""
    texts = [text for line in lines if (text := _text_of(line)) is not None]
    if not texts or len(texts) < _MOST * len(lines):
        return None
    return _Json(has_ends=any(text.endswith("\n") for text in texts))


def _text_of(line: bytes) -> str | None:
    if not line.startswith(b"{"):
        return None
    try:
        return _RECORDS.decode(line).text
    except (msgspec.DecodeError, UnicodeError):
        return None


def _telling(lines: bytes) -> Iterator[bytes]:
    """The first lines of many, and some that look as if they were of a stack."""
    yield from lines[:_FIRST_BYTES].split(b"\n")
    for sign in (b"\tat ", b" at ", b"Caused by: "):
        at = lines.find(sign)
        for _ in range(_LOOKED_AT if at >= 0 else 0):
            begin = lines.rfind(b"\n", 0, at) + 1
            yield lines[begin : at + _FIRST_BYTES]
            at = lines.find(sign, at + 1)
            if at < 0:
                break


def _prefixes_of(lines: list[bytes]) -> tuple[bytes, ...]:
    """The prefixes that most of the first lines of a text may have."""
    fewest = _MOST * len(lines)
    return tuple(each for each in _PREFIXES if lines and _begin_with(each, lines) > fewest)


def _begin_with(prefix: bytes, lines: list[bytes]) -> int:
    """How many lines do; 0 where it is clear that most do not."""
    without = 0
    for line in lines:
        without += re.match(prefix, line + b" ") is None
        if without >= len(lines) * (1 - _MOST):
            return 0
    return len(lines) - without
