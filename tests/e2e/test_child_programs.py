"""Tasks whose work is done by a child process: which of the two ran out of memory is named.

One job of Hadoop Streaming and one of Hadoop Pipes, whose map tasks die in different ways.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from e2e.conftest import Command

import mprof as mprof_api
from mprof.advice import advise
from mprof.diagnosis import Diagnosed, diagnose
from mprof.evidence.assemble import assemble
from mprof.report import render_text

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

DIAGNOSED = 5
PROGRAMS = Path(__file__).parent / "programs"
# Of the Hadoop of the embedded cluster, 3.4.3, Maven Central has no hadoop-streaming.
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.mprof</groupId><artifactId>streaming</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.hadoop</groupId>
      <artifactId>hadoop-streaming</artifactId>
      <version>3.4.2</version>
      <exclusions>
        <exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId>
    <artifactId>maven-dependency-plugin</artifactId>
    <version>3.8.1</version>
  </plugin></plugins></build>
</project>
"""
MIB = 1 << 20
HEAP_MIB = 64
SETTINGS = {
    "mapreduce.job.reduces": "0",
    "mapreduce.map.maxattempts": "1",
    "mapreduce.map.speculative": "false",
    "mapreduce.map.failures.maxpercent": "99",  # so that the job waits for the last to die
    "mapreduce.map.memory.mb": "1024",
    "mapreduce.map.java.opts": f"-Xmx{HEAP_MIB}m",
    "mapreduce.input.fileinputformat.split.minsize": "1000000000",
}


@pytest.fixture(scope="module")
def streaming_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streaming")
    (folder / "pom.xml").write_text(POM)
    listing = folder / "class-path"
    command = ["mvn", "-q", "-B", "dependency:build-classpath", f"-Dmdep.outputFile={listing}"]
    for attempt in ([*command, "-o"], command):
        done = subprocess.run(attempt, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return Path(listing.read_text().strip())
    pytest.fail(done.stdout)


def lines(folder: Path, names: list[str], records: int, *, bytes_: int = 0) -> Path:
    """Files of these names; what follows after their records is never read."""
    folder.mkdir()
    text = "".join(f"s{number:05d} {'abcdefgh ' * 8}\n" for number in range(records))
    for name in names:
        (folder / name).write_text(text)
        with (folder / name).open("r+b") as file:
            file.truncate(max(bytes_, len(text)))
    return folder


def options(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]


def by_way(capture: Path) -> dict[str, Diagnosed]:
    """The diagnosis of each map task, by the way in which it died: the name of its input file."""
    (run,) = mprof_api.diagnose(capture).runs
    found = {}
    for trace in run.traces:
        if trace.task_type == "map":
            evidence = assemble([run], trace.attempt_id)
            split = (trace.logs.split_line or "").rsplit("/", 1)[-1]
            found[split.partition("-")[0]] = advise(diagnose(evidence))
    return found


def test_of_a_streaming_job_the_child_the_pipe_thread_or_the_jvm_is_named(
    mprof: Command, streaming_jar: Path, tmp_path: Path
) -> None:
    ways = ["line-300", "grow-1300", "refused-0"]
    inputs = lines(tmp_path / "in", ways, 20_000, bytes_=60 * MIB)
    # the smallest split comes last: only one OutOfMemoryError of a job is dumped
    (inputs / "record-0").write_text("a b\n" * 500 + "x" * 50 * MIB + "\n")
    capture = tmp_path / "capture"

    job = mprof(
        "run", "--embedded", "-o", str(capture), "--json", "--",
        "hadoop", "jar", str(streaming_jar), *options(SETTINGS),
        "-files", str(PROGRAMS / "child.py"), "-input", str(inputs), "-output",
        str(tmp_path / "out"), "-mapper", "child.py secret=x",
    )  # fmt: skip

    assert job.exit_code == DIAGNOSED, job.stderr
    assert "secret" not in job.stdout
    found = by_way(capture)
    uses = {way: one.diagnosis.child for way, one in found.items()}
    places = {way: use.place for way, use in uses.items() if use is not None}
    assert places == {
        "line": "pipe_thread",
        "grow": "child_process",
        "refused": "child_process",
        "record": "jvm_heap",
    }

    line = found["line"]
    assert line.evidence.death.kind == "heap"
    pipe = uses["line"].pipe
    assert (pipe.reads, pipe.unit) == ("standard output", "line")
    assert line.evidence.child.records_taken == 10_000
    if line.evidence.death_snapshot is not None:  # it died before the other heap was full
        assert HEAP_MIB * MIB // 4 < uses["line"].held_bytes < HEAP_MIB * MIB
        assert line.evidence.stack[-1].class_name.endswith("PipeMapRed$MROutputThread")
    (advice,) = line.diagnosis.advice
    assert (advice.kind, advice.property) == ("code", None)
    assert "end its lines" in advice.text

    grow = found["grow"]
    assert grow.diagnosis.container.place == "child_processes"
    assert "child.py" in grow.diagnosis.container.sentence
    assert "-mapper" in uses["grow"].sentence
    (advice,) = grow.diagnosis.advice
    assert (advice.property, advice.old) == ("mapreduce.map.memory.mb", "1024")
    assert int(advice.new) > 1300

    refused = found["refused"]
    assert refused.evidence.death.kind == "not-memory"
    assert refused.evidence.child.exit_code == 1
    assert "'MemoryError'" in uses["refused"].sentence
    assert "because its child process ended with exit code 1." in flat(render_text(refused))

    assert found["record"].evidence.child.records_handed == 500


def test_of_a_pipes_job_the_child_or_the_pipe_thread_is_named(
    mprof: Command, tmp_path: Path
) -> None:
    inputs = lines(tmp_path / "in", ["value-300", "grow-1300"], 2_000)
    program = tmp_path / "pipes_child.py"
    work = tmp_path / "work"
    work.mkdir()
    text = (PROGRAMS / "pipes_child.py").read_text()
    program.write_text(text.replace("@TOKEN@", str(work / "jobTokenPassword")))
    program.chmod(0o755)
    settings = {
        **SETTINGS,
        "mapreduce.job.working.dir": str(work),
        "mapreduce.pipes.isjavarecordreader": "true",
        "mapreduce.pipes.isjavarecordwriter": "true",
    }
    capture = tmp_path / "capture"

    job = mprof(
        "run", "--embedded", "-o", str(capture), "--json", "--",
        "hadoop", "org.apache.hadoop.mapred.pipes.Submitter", *options(settings),
        "-input", str(inputs), "-output", str(tmp_path / "out"), "-program", program.as_uri(),
    )  # fmt: skip

    assert job.exit_code == DIAGNOSED, job.stderr
    found = by_way(capture)
    value, grow = found["value"], found["grow"]
    assert value.evidence.death.kind == "heap"
    assert value.diagnosis.child.place == "pipe_thread"
    assert value.diagnosis.child.pipe.reads == "socket"
    assert value.evidence.child.thread == "pipe-uplink-handler"
    assert value.diagnosis.child.held_bytes == 0  # its size comes first: it is asked for at once
    assert grow.diagnosis.child.place == "child_process"
    assert "given as -program" in grow.diagnosis.child.sentence


def flat(text: str) -> str:
    return " ".join(text.split())
