"""The facts about a child program: from configuration, logs and stacks; what is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from builders.attempts import EventWriter

from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose_runs
from mprof.evidence import ChildProgram, NamedProgram
from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.report import render_html, render_text, to_json
from mprof.trace import read_trace

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "diagnosis.schema.json"
JOB = "1700000000000_0001"
STREAMING = "org.apache.hadoop.streaming."
PIPES = "org.apache.hadoop.mapred.pipes."
CONF = {
    "mapred.mapper.class": f"{STREAMING}PipeMapper",
    "stream.map.streamprocessor": "python3+count.py+--token+s3cret",
    "mapred.reducer.class": f"{STREAMING}PipeReducer",
    "stream.reduce.streamprocessor": "%2Fopt%2Fbin%2Fsum.pl",
}
PIPES_CONF = {
    "mapred.map.runner.class": f"{PIPES}PipesMapRunner",
    "mapreduce.pipes.executable": "hdfs://nn/bin/count-words#cw",
}
SYSLOG = """\
2026-11-22 18:25:27,796 WARN [Thread-17] org.apache.hadoop.streaming.PipeMapRed: {{}}
java.lang.OutOfMemoryError: Java heap space
\tat org.apache.hadoop.io.Text.ensureCapacity(Text.java:331)
\tat {above}(X.java:254)
\tat org.apache.hadoop.streaming.PipeMapRed${thread}.run(PipeMapRed.java:382)
2026-11-22 18:25:27,806 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : \
java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 1
\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:326)
"""
LINE = "org.apache.hadoop.util.LineReader.readLine"
FAILED = "PipeMapRed.waitOutputThreads(): subprocess failed with code {}"


def diagnosed(
    folder: Path,
    conf: dict[str, str] | None = CONF,
    *,
    side: str = "m",
    message: str | None = None,
    causes: tuple[str, ...] = (),
    phase: str | None = None,
    **logs: str,
) -> Diagnosed:
    """A task at its record 900 that had read 700 records of its child, with these logs."""
    writer = EventWriter(f"attempt_{JOB}_{side}_000003_0", heap_max=256 << 20)
    phase = phase or ("map" if side == "m" else "reduce")
    at = {"phase": phase, "records_in": 900, "records_out": 700}
    if message is not None:
        writer.add(
            "failure", class_="java.lang.RuntimeException", message=message, thread="main", at=at,
            stack=[f"{STREAMING}PipeMapRed.waitOutputThreads(PipeMapRed.java:326)"],
            causes=[{"class": each, "stack": []} for each in causes],
        )  # fmt: skip
    writer.add("end", outcome="failed", at=at)
    trace = read_trace(writer.write(folder, files=logs), state="FAILED")
    settings = None if conf is None else JobConf(conf)
    return diagnose_runs(
        [JobRun(f"job_{JOB}", "watch", traces=(trace,), conf=settings, state="FAILED")]
    )


def child_of(found: Diagnosed) -> ChildProgram:
    assert found.evidence.child is not None
    return found.evidence.child


def pipe_death(thread: str = "MROutputThread", above: str = LINE) -> str:
    return SYSLOG.format(thread=thread, above=above)


@pytest.mark.parametrize(
    ("conf", "side", "framework", "programs"),
    [
        (CONF, "m", "Hadoop Streaming", [("python3 count.py", "-mapper")]),
        (CONF, "r", "Hadoop Streaming", [("sum.pl", "-reducer")]),
        (
            {**CONF, "stream.combine.streamprocessor": "sum.py"}, "m", "Hadoop Streaming",
            [("python3 count.py", "-mapper"), ("sum.py", "-combiner")],
        ),
        (PIPES_CONF, "m", "Hadoop Pipes", [("count-words", "-program")]),
    ],
)  # fmt: skip
def test_the_program_is_named_without_its_arguments(
    tmp_path: Path, conf: dict[str, str], side: str, framework: str, programs: list[tuple[str, str]]
) -> None:
    child = child_of(diagnosed(tmp_path, conf, side=side, message="no"))

    assert child.framework == framework
    assert child.programs == tuple(NamedProgram(name, option) for name, option in programs)


@pytest.mark.parametrize(
    ("conf", "side"),
    [({}, "m"), (PIPES_CONF, "r"), ({**CONF, "mapred.mapper.class": "com.acme.Mapper"}, "m")],
)
def test_a_side_that_runs_java_code_has_no_child(
    tmp_path: Path, conf: dict[str, str], side: str
) -> None:
    assert diagnosed(tmp_path, conf, side=side, message="no").evidence.child is None


@pytest.mark.parametrize(
    ("thread", "above", "reads", "unit", "do"),
    [
        ("MROutputThread", LINE, "standard output", "line", "end its lines on standard output"),
        ("MROutputThread", f"{STREAMING}io.TypedBytesOutputReader.readKeyValue",
         "standard output", "record", "write smaller records"),
        ("MRErrorThread", LINE, "standard error", "line", "end its lines on standard error"),
    ],
)  # fmt: skip
def test_an_error_that_a_pipe_thread_kept_is_of_that_thread_whatever_the_task_says_of_it(
    tmp_path: Path, thread: str, above: str, reads: str, unit: str, do: str
) -> None:
    found = diagnosed(tmp_path, message=FAILED.format(1), syslog=pipe_death(thread, above))

    child, use = child_of(found), found.diagnosis.child
    assert found.evidence.death.kind == "heap"
    assert child.died_in is not None
    assert (child.died_in.reads, child.died_in.unit, child.thread) == (reads, unit, "Thread-17")
    assert child.exit_code is None  # the child met a broken pipe: a consequence
    assert use is not None
    assert (use.place, use.held_bytes) == ("pipe_thread", None)
    assert "is not known without a heap dump made at death" in use.sentence
    (advice,) = advise(found).diagnosis.advice
    assert (advice.kind, advice.property) == ("code", None)
    assert do in advice.text
    text = " ".join(render_text(advise(found)).split())
    assert f"the {reads} of python3 count.py (-mapper) (Thread-17)" in text
    assert "record 900 last, and had read 700 complete records" in text
    assert "s3cret" not in text


def test_the_json_object_and_the_page_say_it_too(tmp_path: Path) -> None:
    found = advise(diagnosed(tmp_path, message=FAILED.format(1), syslog=pipe_death()))

    told = to_json(found)
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert {name: told["child"][name] for name in ("framework", "programs", "place", "reads")} == {
        "framework": "Hadoop Streaming",
        "programs": [{"name": "python3 count.py", "option": "-mapper"}],
        "place": "pipe_thread",
        "reads": "standard output",
    }
    page = render_html(found)
    assert "<h2>The child program</h2>" in page
    assert "record 900 last" in page


def test_a_record_that_was_being_handed_on_is_no_endless_line(tmp_path: Path) -> None:
    above = "org.apache.hadoop.mapred.MapTask$OldOutputCollector.collect"
    found = diagnosed(tmp_path, message=FAILED.format(1), syslog=pipe_death(above=above))

    assert child_of(found).handing_on
    assert found.diagnosis.child is not None
    assert "was handing a record on to Hadoop" in found.diagnosis.child.details[0]
    assert "look at what it writes" not in advise(found).diagnosis.advice[0].text


def test_without_configuration_the_stack_says_which_framework_it_was(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, None, message=FAILED.format(1), syslog=pipe_death())

    assert (child_of(found).framework, child_of(found).programs) == ("Hadoop Streaming", ())
    assert found.diagnosis.child is not None
    assert "the standard output of the child program (Thread-17)" in found.diagnosis.child.sentence


@pytest.mark.parametrize(
    ("code", "stderr", "place", "said", "ended"),
    [
        (1, "Traceback:\nMemoryError\n", "child_process", "'MemoryError'", "exit code 1."),
        (134, "what():  std::bad_alloc\n", "child_process", "'std::bad_alloc'",
         "exit code 134 (SIGABRT)."),
        (137, "", None, "Whether for its memory is not known", "exit code 137 (SIGKILL)."),
        (3, "no such file\n", None, "Nothing says that it lacked memory", "exit code 3."),
    ],
)  # fmt: skip
def test_a_child_that_ended_by_itself_is_no_death_of_the_jvm(
    tmp_path: Path, code: int, stderr: str, place: str | None, said: str, ended: str
) -> None:
    found = advise(diagnosed(tmp_path, message=FAILED.format(code), stderr=stderr))

    use = found.diagnosis.child
    assert found.evidence.death.kind == "not-memory"
    assert child_of(found).exit_code == code
    assert use is not None
    assert use.place == place
    assert said in use.sentence
    text = " ".join(render_text(found).split())
    assert f"failed at record 900 in map(), because its child process ended with {ended}" in text
    assert "nothing points to memory" not in text
    assert f"subprocess failed with code {code}" in text
    assert [one.property for one in found.diagnosis.advice] == ([None] if place else [])


def test_a_pipes_child_that_went_away_left_no_exit_code(tmp_path: Path) -> None:
    lost = ("java.io.EOFException",)
    found = diagnosed(tmp_path, PIPES_CONF, message="pipe child exception", causes=lost)

    assert (child_of(found).ended_early, child_of(found).exit_code) == (True, None)
    assert found.diagnosis.child is not None
    assert "with an exit code that is not known" in (found.diagnosis.child.ended or "")


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        ("map", "failed at record 900 in map(), because"),
        ("cleanup", "failed at record 900 while it waited for the end of its child"),
    ],
)
def test_no_user_code_of_the_jvm_is_named_where_the_task_waits_for_its_child(
    tmp_path: Path, phase: str, said: str
) -> None:
    found = diagnosed(tmp_path, message=FAILED.format(1), phase=phase)

    assert said in " ".join(render_text(found).split())


def test_another_error_of_the_task_is_not_the_childs(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, message="no such table", stderr="MemoryError\n")

    assert child_of(found).ended_early is None
    assert found.diagnosis.child is not None
    assert (found.diagnosis.child.place, found.diagnosis.child.sentence) == (None, "")
    assert "nothing points to memory" in " ".join(render_text(found).split())


def test_an_exception_of_a_reading_thread_that_is_none_of_memory_is_not_called_so(
    tmp_path: Path,
) -> None:
    # PipeMapRed.MROutputThread catches every Throwable: a broken pipe, a bad record, an IOException
    folder = tmp_path / "attempt_1700000000000_0001_m_000000_0"
    folder.mkdir()
    (folder / "syslog").write_text(
        "2024-03-01 10:00:02,424 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running"
        " child : java.io.IOException: Type mismatch in value from map\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.collect(MapTask.java:1070)\n"
        "\tat org.apache.hadoop.streaming.PipeMapRed$MROutputThread.run(PipeMapRed.java:377)\n\n"
    )

    found = diagnose_runs([JobRun(None, "none", traces=(read_trace(folder),))])

    assert found.evidence.death.kind == "not-memory"
    assert found.diagnosis.child is None or found.diagnosis.child.place is None
    assert found.evidence.child is not None
    assert found.evidence.child.died_in is None
