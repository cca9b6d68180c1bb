"""What stands around the lines of a log goes, and an ordinary log stays as it is."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders.container_logs import attempt, container, dead, died_in_map, done, found, yarn_logs
from builders.large_logs import MAKERS, large_log

from mprof.trace.unwrapping import Unwrapping, whole_to_the_end

_STACK = (
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Joiner.<init>(Joiner.java:7)\n"
    "\tat com.example.JoinMapper.map(JoinMapper.java:57)\n"
    'Caused by: java.lang.Error: it\'s "so" & <so>\n'
    "\tat com.example.Joiner$1.call(Joiner.java:9)\n"
    "\t... 3 more\n"
)
_CONSOLE = (
    "24/03/01 10:12:46 INFO mapreduce.Job: Task Id : attempt_1700000000000_0005_m_000003_0, "
    "Status : FAILED\n"
)
_TEXTS = (
    died_in_map() + _STACK,
    yarn_logs([(container(2), "syslog", died_in_map()), (container(3), "stderr", _STACK)]),
    f"{_CONSOLE}Error: {_STACK}",
)


def _each(before: str | Callable[[int], str]) -> Callable[[str], str]:
    def wrapped(text: str) -> str:
        lines = text.split("\n")[:-1]
        return "".join(
            (before if isinstance(before, str) else before(number)) + line + "\n"
            for number, line in enumerate(lines)
        )

    return wrapped


def _time(number: int) -> str:
    return f"2024-03-01T10:{number // 60:02}:{number % 60:02}.{number:09}Z "


def _docker(text: str) -> str:
    return "".join(
        json.dumps({"log": line + "\n", "stream": "stderr", "time": _time(number).strip()}) + "\n"
        for number, line in enumerate(text.split("\n")[:-1])
    )


def _docker_in_parts(text: str) -> str:
    """Docker cuts long lines into several objects, of which the last has the line's end."""
    parts = []
    for line in text.splitlines(keepends=True):
        parts += [line[at : at + 60] for at in range(0, len(line), 60)]
    return "".join(json.dumps({"log": part, "stream": "stdout"}) + "\n" for part in parts)


def _fluentd(text: str) -> str:
    return "".join(
        json.dumps({"@timestamp": _time(number), "message": line, "kubernetes": {"host": "w2"}})
        + "\n"
        for number, line in enumerate(text.split("\n")[:-1])
    )


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "quoted": _each("> "),
    "quoted without a space": _each(">"),
    "quoted twice": _each("> > "),
    "docker logs -t": _each(_time),
    "the kubelet's files": _each(lambda number: f"{_time(number)}stdout F "),
    "kubectl logs --prefix": _each("[pod/job-7/worker] "),
    "kubectl logs --prefix --timestamps": _each(lambda n: f"[pod/job-7/worker] {_time(n)}"),
    "docker compose logs": _each("worker_1  | "),
    "aws logs tail": _each(lambda number: f"{_time(number)}emr/j-1AB/container_2 "),
    "journalctl": _each("Mar  1 10:00:00 w2.example.com hadoop[4242]: "),
    "Docker's files": _docker,
    "Docker's files in parts": _docker_in_parts,
    "Fluentd": _fluentd,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "a page": html.escape,
    "a terminal": _each("\x1b[31m"),
    "quoted on Windows": lambda text: _each("> ")(text).replace("\n", "\r\n"),
}


def _of(text: str, lines: int) -> str:
    """What is left of it, where so many lines are at hand at a time."""
    unwrapping, parts = Unwrapping(), text.encode().splitlines(keepends=True)
    cut = (b"".join(parts[at : at + lines]) for at in range(0, len(parts), lines))
    return b"".join(map(unwrapping.of, cut)).decode()


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("text", _TEXTS, ids=["syslog", "yarn logs", "console"])
def test_a_text_is_what_it_was_before_it_was_wrapped(wrapping: str, text: str) -> None:
    wrapped = WRAPPINGS[wrapping](text)

    assert wrapped != text
    assert text == _of(wrapped, 1 << 20)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_however_it_is_cut_into_pieces(wrapping: str) -> None:
    text = (died_in_map() + _STACK) * 3

    told = _of(WRAPPINGS[wrapping](text), 12)

    # whether it is of a page shows each of the pieces for itself, from the first that does
    assert told == text or (wrapping == "a page" and told.endswith(_STACK))


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_the_same_death_is_found_in_it(wrapping: str, tmp_path: Path) -> None:
    path = tmp_path / "pasted"
    path.write_text(WRAPPINGS[wrapping](_TEXTS[1]), newline="")

    assert {container(2): "heap", container(3): "heap"} == dead(found(path))


@pytest.mark.parametrize("spaces", ["", " ", "\u00a0\u00a0\u00a0\u00a0", "&nbsp;&nbsp;"])
def test_a_stack_that_was_copied_from_a_page_keeps_its_frames(spaces: str, tmp_path: Path) -> None:
    path = tmp_path / "pasted"
    path.write_text(died_in_map().replace("\t", spaces))

    (told,) = found(path).told

    death = told.diagnosed.runs[0].traces[0].death
    assert ("heap", "copyOf", "map") == (death.kind, *(one.method for one in death.stack[:2]))


_ORDINARY = (
    *_TEXTS,
    done(attempt("m", 3)),
    # a logger whose own times look like those of Docker
    "".join(
        f"{_time(number)}INFO [main] a.B: x\n{_time(number)}WARN [main] a.B: java.lang.Error: y\n"
        "\tat a.B.c(B.java:3)\nCaused by: java.lang.Error\n\tat a.B.d(B.java:4)\n"
        for number in range(30)
    ),
    ">>> Invoking Pig command line now >>>\n\n>>> java.lang.Error in a script\n> x\n",
    'a page of <a href="x?y&amp;z">&lt;b&gt;</a>&nbsp;was read\n' + _STACK,
    '{"id": 7, "name": "a record that a job prints"}\n' * 30 + _STACK,
    "a  | table\nb  | of a job\n" * 20 + _STACK,
    "Mar  1 10:00:00 a line of another machine's log that a job reads\n" * 30 + _STACK,
    "at the end of the day (it was late)\nat com.example.Here we are\n" + _STACK,
    "\u00a0\u00a0spaces of a page\n" + _STACK,
    "",
    "\n\n",
    "no end of line",
    "\0\x01",
)


@pytest.mark.parametrize("number", range(len(_ORDINARY)))
@pytest.mark.parametrize("lines", [3, 1 << 20])
def test_an_ordinary_log_stays_as_it_is(number: int, lines: int) -> None:
    assert _ORDINARY[number] == _of(_ORDINARY[number], lines)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_large_log_stays_as_it_is(kind: str) -> None:
    text = b"".join(large_log(kind, 300_000)).decode()

    assert text == _of(text, 1 << 20)


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("timestamp", 1_709_287_201_250, "2024-03-01 10:00:01,250"),
        ("ts", "2024-03-01T10:00:01.250Z", "2024-03-01 10:00:01,250"),
        ("time", "2024-03-01 10:00:01", "2024-03-01 10:00:01,000"),
        ("@timestamp", "2024-03-01T10:00:01,250+0100", "2024-03-01 10:00:01,250"),
        ("timestamp", 10**18, "1970-01-01 00:00:00,000"),
        ("timestamp", "yesterday", "1970-01-01 00:00:00,000"),
    ],
)
def test_the_time_of_a_record_is_that_of_its_line(
    name: str, value: str | int, written: str
) -> None:
    record = {name: value, "level": "ERROR", "logger": "x.Y", "message": "m"}

    assert _of(f"{json.dumps(record)}\n", 1) == f"{written} ERROR x.Y: m\n"


_TEZ = "attempt_1700000000000_0005_1_06_000921_0"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "AttemptID:attempt\\_1700000000000\\_0005\\_m\\_000003\\_0 \\[pid=9\\] syslog\\*\n",
            "AttemptID:attempt_1700000000000_0005_m_000003_0 [pid=9] syslog*\n",
        ),
        ("grep 'a\\_b' file\n", "grep 'a\\_b' file\n"),  # not of a page: nothing has such an id
        ("**java.lang.OutOfMemoryError: x**  \n", "java.lang.OutOfMemoryError: x\n"),
        ("`Caused by: java.io.IOException: x`\n", "Caused by: java.io.IOException: x\n"),
        ("**The heap** is *not* the cause\n", "**The heap** is *not* the cause\n"),
        (
            "# 24/03/01 10:00:01 INFO mapreduce.Job: x\n# mapreduce.map.memory.mb=8192\n",
            "24/03/01 10:00:01 INFO mapreduce.Job: x\n# mapreduce.map.memory.mb=8192\n",
        ),
        ("## Container killed by YARN\n", "## Container killed by YARN\n"),  # a heading
        (
            "24-03-01 01:15:40 CONSOLE# Container [pid=9]\n2024-03-01 01:15:40 CONSOLE#  a\n",
            "Container [pid=9]\n a\n",
        ),
        (
            "2024-03-01 01:15:40 INFO a.B: c# d\n2024-03-01 01:15:40,123 INFO  a.B: c\n",
            "2024-03-01 01:15:40 INFO a.B: c# d\n2024-03-01 01:15:40,123 INFO  a.B: c\n",
        ),
        (f"task: {_TEZ[:25]}\n    {_TEZ[25:]}:java.lang\n", f"task: {_TEZ}:java.lang\n"),
        (f"task: {_TEZ}\n    7_000 records\n", f"task: {_TEZ}\n    7_000 records\n"),
        (
            "container_1700000000000_0005_01_0000\n02 ended\n",
            "container_1700000000000_0005_01_000002 ended\n",
        ),
        # running text, with the breaks of its lines
        (
            (
                "a.IOError: x at \na.B.c(B.java:3) at\na.D.e(D.java:4) Caused by: a.F: y at\n"
                "a.D.g(D.java:5)"
            ),
            (
                "a.IOError: x\n\tat a.B.c(B.java:3)\n\tat a.D.e(D.java:4)\0\nCaused by: a.F: y\n"
                "\tat a.D.g(D.java:5)"
            ),
        ),
        ("we met at\nhome (again)\n", "we met at\nhome (again)\n"),
        (
            "error:java.lang.OutOfMemoryError: GC\noverhead limit exceeded\nand so on\n",
            "error:java.lang.OutOfMemoryError: GC overhead limit exceeded\n\nand so on\n",
        ),
        (
            "Container\u00a0[pid=7,containerID=x]\u00a0is running\u00a0beyond physical\n",
            "Container [pid=7,containerID=x] is running beyond physical\n",
        ),
        # within a stack, and nowhere else
        (
            "a.IOError: x\n\n\tat a.B.c(B.java:3)\n \n\nCaused by: a.D\n\n\tat a.D.e(D.java:4)",
            (
                "a.IOError: x\n\t\n\tat a.B.c(B.java:3)\n\t\n\t\nCaused by: a.D\n\n"
                "\tat a.D.e(D.java:4)"
            ),
        ),
        ("\tat a.B.c(B.java:3)\n\nat home (again)\n", "\tat a.B.c(B.java:3)\n\nat home (again)\n"),
        (
            "Java.lang.OutOfMemoryError:GC Overhead limit exceeded\n",
            "java.lang.OutOfMemoryError: GC overhead limit exceeded\n",
        ),
        (
            "java.lang.OutOfMemoryError GC overhead limit exceeded\n",
            "java.lang.OutOfMemoryError: GC overhead limit exceeded\n",
        ),
        (
            'a.B: c\n\tat a.b.<font color="red">C.d</font>(C.java:1)\n',
            "a.B: c\n\tat a.b.C.d(C.java:1)\n",
        ),
        ("\tat a.b.C.<init>(C.java:1)\n", "\tat a.b.C.<init>(C.java:1)\n"),
        ("java.lang.OutOfMemoryError in a job\n", "java.lang.OutOfMemoryError in a job\n"),
        ("java.lang.OutOfMemoryError: of a job\n", "java.lang.OutOfMemoryError: of a job\n"),
        (
            'class="MsoNormal">Exception in thread "x" a.B: y\n<p>java.io.IOError: z\n<p>so\n',
            'Exception in thread "x" a.B: y\njava.io.IOError: z\n<p>so\n',
        ),
    ],
)
def test_marks_of_pages_scripts_and_terminals_go(written: str, plain: str) -> None:
    assert Unwrapping().of(written.encode()).decode() == plain


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("it threw java.lang.OutOfMem", "it threw java.lang.OutOfMemoryError"),
        ("a\njava.lang.OutOfMemoryError: Ja\n\n", "a\njava.lang.OutOfMemoryError: Java heap space"),
        ("Error: Java he", "Error: Java heap space"),
        ("Error: Java heap space\nError: Jav", "Error: Java heap space\nError: Java heap space"),
        ("Error: Jav", "Error: Jav"),
        ("SomeError: Jav", "SomeError: Jav"),
        # which of two it was is not known; a part of another name; not at the end
        (
            "java.lang.OutOfMemoryError: unable to create",
            "java.lang.OutOfMemoryError: unable to create",
        ),
        ("java.lang.OutOfBoundsE", "java.lang.OutOfBoundsE"),
        ("java.lang.OutOfMem\nand so on", "java.lang.OutOfMem\nand so on"),
        ("java.lang.OutOfMemoryError: x", "java.lang.OutOfMemoryError: x"),
    ],
)
def test_the_last_word_of_a_text_is_whole_where_it_can_be_but_one(cut: str, whole: str) -> None:
    assert whole_to_the_end(cut.encode()).decode() == whole


@pytest.mark.parametrize(
    ("behind", "left"),
    [
        (b"</pre>", b""),
        (b"</code></pre>", b""),
        (b"</pre></td></tr><p class='a'>2017-03-14 INFO x", b"\0\n2017-03-14 INFO x"),
        (b" ~[a.jar:1]</pre>", b" ~[a.jar:1]</pre>"),  # another form of a frame is left as it is
    ],
)
def test_tags_behind_the_last_frame_of_a_stack(behind: bytes, left: bytes) -> None:
    frame = b"\tat a.b.Buffer.<init>(Buffer.java:56)"
    assert Unwrapping().of(frame + behind + b"\n") == frame + left + b"\n"


@pytest.mark.parametrize(("others", "is_of_a_log"), [(6, True), (7, False)])
def test_blank_lines_of_prose_are_counted(others: int, *, is_of_a_log: bool) -> None:
    frames = ["\tat a.b.C.d(C.java:1)", "\tat a.b.C.e(C.java:2)"]
    text = "\n\n".join([*frames, *(f"Said {at}." for at in range(others))]) + "\n"

    unwrapped = Unwrapping().of(text.encode())

    assert (b"\n\n" not in unwrapped) is is_of_a_log
