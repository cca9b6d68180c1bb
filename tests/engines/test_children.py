"""Which thread reads from a child process, and what its exit code stands for."""

from __future__ import annotations

import pytest
from builders.whole_logs import parse_logs

from mprof.engines import OUT_OF_MEMORY_WORDS, pipe_on_stack

STREAMING = "org.apache.hadoop.streaming.PipeMapRed"
UPLINK = "org.apache.hadoop.mapred.pipes.BinaryProtocol$UplinkReaderThread"


@pytest.mark.parametrize(
    ("entry", "reads"),
    [
        (f"{STREAMING}$MROutputThread", "standard output"),
        (f"{STREAMING}$MRErrorThread", "standard error"),
        (UPLINK, "socket"),
    ],
)
def test_a_reading_thread_is_told_by_its_class_whatever_its_method_is_called(
    entry: str, reads: str
) -> None:
    pipe = pipe_on_stack(["org.apache.hadoop.io.Text", entry, "java.lang.Thread"])

    assert pipe is not None
    assert pipe.reads == reads


@pytest.mark.parametrize(
    "name", [f"{STREAMING}", "org.apache.hadoop.streaming.PipeMapper", f"com.acme.{STREAMING}"]
)
def test_the_tasks_own_thread_reads_from_no_child(name: str) -> None:
    assert pipe_on_stack([name, "org.apache.hadoop.mapred.MapTask"]) is None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("MemoryError", "MemoryError"),
        ("MemoryError: cannot", "MemoryError"),
        ("numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1 GiB", "MemoryError"),
        ("terminate called after throwing an instance of 'std::bad_alloc'", "std::bad_alloc"),
        ("OSError: [Errno 12] Cannot allocate memory", "Cannot allocate memory"),
        ("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
         "JavaScript heap out of memory"),
        ("Out of memory!", "Out of memory!"),
        ("fatal error: runtime: out of memory", "runtime: out of memory"),
        ("sort: memory exhausted", "memory exhausted"),
    ],
)  # fmt: skip
def test_programs_say_in_known_words_that_they_got_no_memory(line: str, word: str) -> None:
    logs = parse_logs([("stderr", f"starting\n{line}\ndone\n")])

    assert logs.no_memory == (word,)
    assert word in {each for each, _ in OUT_OF_MEMORY_WORDS}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("stderr", "java.lang.OutOfMemoryError: Java heap space"),
        ("stderr", "handled 3 times: except MemoryError"),
        ("stderr", "os::commit_memory failed; error='Cannot allocate memory' (errno=12)"),
        ("syslog", "MemoryError"),
        ("stdout", "MemoryError"),
    ],
)
def test_the_jvms_words_and_other_files_are_not_the_childs(file: str, line: str) -> None:
    assert parse_logs([(file, f"{line}\n")]).no_memory == ()
