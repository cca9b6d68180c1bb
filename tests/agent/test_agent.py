"""The agent in a JVM of its own: it attaches, it tells, and it never costs the program anything."""

from __future__ import annotations

import getpass
import os
import re
import signal
import stat
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from builders.agent_jvm import ATTEMPT, PROGRAMS, Jvm, Result

from mprof.runs.agent_injection import checksum, profile_params
from mprof.trace import events as kinds
from mprof.trace.event_log import parse_events
from mprof.trace.position import read_position
from mprof.version import __version__

pytestmark = pytest.mark.jvm


def log(folder: Path) -> tuple[kinds.Event, ...]:
    parsed = parse_events((folder / "events.jsonl").read_bytes())
    assert parsed.losses == ()
    return parsed.events


def of(folder: Path, kind: type) -> list:
    return [event for event in log(folder) if isinstance(event, kind)]


def dumps(folder: Path) -> int:
    return len(list(folder.glob("*.hprof")))


# ---- it attaches and tells ---------------------------------------------------------------------


def test_it_attaches_says_so_in_one_line_and_leaves_exit_code_and_output_alone(
    each_jvm: Jvm,
) -> None:
    result = each_jvm.run("Nothing", "3")

    assert (result.code, result.out) == (3, "done\n")
    lines = [line for line in result.err.splitlines() if line.startswith("mprof")]
    assert lines == [
        f"mprof: attached, version {__version__}, watch mode, files in {each_jvm.folder}",
    ]
    first, last = log(each_jvm.folder)[0], log(each_jvm.folder)[-1]
    assert isinstance(first, kinds.Attach)
    assert (first.attempt, first.task_type, first.index) == (ATTEMPT, "map", 3)
    assert first.heap_max is not None
    assert 32 << 20 < first.heap_max <= 64 << 20
    assert isinstance(last, kinds.End)
    assert last.outcome == "exit"


def test_the_jar_holds_java_8_classes_and_no_class_of_a_library_under_its_own_name(
    jar: Path,
) -> None:
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
        versions = {archive.read(name)[6:8] for name in names}
        manifest = archive.read("META-INF/MANIFEST.MF").decode()

    assert {name.split("/")[:2] == ["org", "mprof"] for name in names} == {True}
    assert max(int.from_bytes(version) for version in versions) <= 52
    assert "Premain-Class: org.mprof.agent.Premain" in manifest
    assert "Multi-Release" not in manifest
    assert jar.stat().st_size < 412_000  # 4 KB of them licences


@pytest.mark.parametrize("missing", ["Agent", "Settings", "Faults", "Attempt", "Events", "Plan"])
def test_a_jar_that_was_built_without_a_class_starts_the_jvm(
    jvm: Jvm, missing: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jar"
    with zipfile.ZipFile(jvm.jar) as whole, zipfile.ZipFile(broken, "w") as packed:
        for name in whole.namelist():
            if name != f"org/mprof/agent/{missing}.class":
                packed.writestr(name, whole.read(name))

    result = replace(jvm, jar=broken).run("Nothing")

    assert result.code == 0
    assert f"mprof: not attached: java.lang.NoClassDefFoundError: org/mprof/agent/{missing}" in (
        result.err
    )


def test_the_container_log_folder_is_used_where_no_folder_is_given(jvm: Jvm) -> None:
    logs = jvm.folder.parent / "logs"

    jvm.run("Nothing", settings="mode=watch", options=(f"-Dyarn.app.container.log.dir={logs}",))

    assert (logs / "events.jsonl").exists()
    assert read_position(logs / "position.bin").attempt == ATTEMPT


# ---- death --------------------------------------------------------------------------------------


def test_the_position_survives_sigkill_in_the_middle(jvm: Jvm) -> None:
    with jvm.running("Counting", until="counted") as child:
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL

    position = read_position(jvm.folder / "position.bin")
    assert position.phase == "map"
    assert position.records_in is not None
    assert position.records_in >= 1_000_000
    assert isinstance(log(jvm.folder)[0], kinds.Attach)


def test_sigterm_still_writes_the_end(jvm: Jvm) -> None:
    with jvm.running("Counting", until="counted") as child:
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=20)

    assert isinstance(log(jvm.folder)[-1], kinds.End)


def test_the_first_out_of_memory_error_leaves_a_private_dump_and_a_failure(each_jvm: Jvm) -> None:
    result = each_jvm.run("Filling", "heap", settings=f"dir={each_jvm.folder},mode=profile")

    assert "died at" in result.out
    records = int(result.out.split("died at ")[1])
    (dump,) = of(each_jvm.folder, kinds.DumpEvent)
    file = each_jvm.folder / dump.file
    assert dump.reason == "oom"
    assert file.read_bytes()[:12] == b"JAVA PROFILE"
    assert dump.bytes == file.stat().st_size
    assert dump.bytes > records * 10_000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (failure,) = of(each_jvm.folder, kinds.Failure)
    assert failure.class_name == "java.lang.OutOfMemoryError"
    assert failure.place == "reduce"
    source = (PROGRAMS / "Filling.java").read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if "HELD.add(" in text)
    assert failure.stack[0] == f"Filling.grow(Filling.java:{line})"
    assert failure.at is not None
    assert failure.at.records_in == records
    groups = of(each_jvm.folder, kinds.Groups)[-1]
    assert groups.current is not None
    assert (groups.current.records, groups.current.bytes) == (records, records * 10_000)
    (end,) = of(each_jvm.folder, kinds.End)  # a collection's line may come after it
    assert end.outcome == "failed"


@pytest.fixture
def new_job() -> Iterator[str]:
    """The number of a job that no task has claimed a dump of, on this node."""
    job = f"{time.time_ns()}_0001"
    yield job
    _claim_of(job).unlink(missing_ok=True)


def _claim_of(job: str) -> Path:
    shared = Path("/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir())
    return shared / f"mprof-{getpass.getuser()}" / f"job_{job}"


def test_in_watch_mode_one_task_of_a_job_dumps_on_a_node_and_only_its_first_two_attempts(
    jvm: Jvm, new_job: str
) -> None:
    told = []
    for name in ("m_000000_2", "m_000001_1", "m_000002_0"):
        task = replace(jvm, attempt=f"attempt_{new_job}_{name}", folder=jvm.folder / name)
        task.run("Filling", "heap", cwd=jvm.classes)
        told.append((_dump_told(task.folder), dumps(task.folder)))

    assert told == [
        ((False, None, "later_attempt"), 0),
        ((True, None, None), 1),
        ((False, None, "made_by_another_task"), 0),
    ]


def test_a_task_that_dies_dumps_though_the_heap_of_another_was_nearly_full_before(
    jvm: Jvm, new_job: str
) -> None:
    # by this process, which goes on: it has not died yet, and may never
    _say(new_job, f"{os.getpid()} {jvm.folder / 'oom of the other.hprof'}")

    made = [dumps(each.folder) for each in _run_in_turn(jvm, new_job, "r_000008_0", "r_000007_1")]

    assert made == [1, 0]
    lines = _claim_of(new_job).read_text(encoding="ascii").splitlines()
    assert re.fullmatch(r"dumped \d+", lines[-1])


def test_a_dump_that_another_task_is_writing_is_left_to_it_until_that_one_is_gone(
    jvm: Jvm, new_job: str, tmp_path: Path
) -> None:
    being_written = tmp_path / "oom of the other.hprof"
    being_written.touch()
    _say(new_job, f"{os.getpid()} {being_written}")
    (beside,) = _run_in_turn(jvm, new_job, "m_000001_0")
    gone = subprocess.Popen(["true"])
    gone.wait()
    _say(new_job, f"{gone.pid} {being_written}")
    (after,) = _run_in_turn(jvm, new_job, "m_000002_0")

    assert (_dump_told(beside.folder), dumps(beside.folder)) == (
        (False, None, "made_by_another_task"), 0
    )  # fmt: skip
    assert dumps(after.folder) == 1


def test_of_tasks_that_die_in_the_same_moment_one_leaves_its_dump(jvm: Jvm, new_job: str) -> None:
    tasks = [_task(jvm, new_job, f"m_00000{i}_0") for i in range(3)]

    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda each: each.run("Filling", "heap", cwd=jvm.classes), tasks))

    assert sum(dumps(each.folder) for each in tasks) == 1
    told = [event.file for each in tasks for event in of(each.folder, kinds.DumpEvent)]
    assert len(told) == 1


def _task(jvm: Jvm, job: str, name: str) -> Jvm:
    return replace(jvm, attempt=f"attempt_{job}_{name}", folder=jvm.folder / name)


def _run_in_turn(jvm: Jvm, job: str, *names: str) -> list[Jvm]:
    tasks = [_task(jvm, job, name) for name in names]
    for task in tasks:
        task.run("Filling", "heap", cwd=jvm.classes)
    return tasks


def _say(job: str, line: str) -> None:
    """What another task of the job has written into the file that they share."""
    claim = _claim_of(job)
    claim.parent.mkdir(mode=0o700, exist_ok=True)
    claim.write_text(f"{line}\n", encoding="ascii")


PARALLEL = ("-XX:-UseSerialGC", "-XX:+UseParallelGC", "-XX:-UseGCOverheadLimit")


@pytest.mark.slow
def test_a_task_that_crawls_tells_so_and_leaves_a_dump(jvm: Jvm, new_job: str) -> None:
    attempt = f"attempt_{new_job}_m_000003_0"
    task = replace(jvm, heap="128m", attempt=attempt)
    # Other work takes from the collections' share of the time, and the dump wants three windows in
    # a row with four fifths.
    result = task.run("Crawling", "6", "150", str(jvm.folder), options=PARALLEL, timeout=240)

    assert result.out == "lived true\n"
    crawls = of(jvm.folder, kinds.CrawlEvent)
    assert len(crawls) >= 3
    for each in crawls[1:4]:  # in the first one it filled its heap
        assert each.ms is not None
        assert each.collecting_ms is not None
        assert each.used is not None
        assert 5000 <= each.ms < 10_000
        assert 0.5 * each.ms <= each.collecting_ms <= each.ms
        assert each.used > 100 << 20
        assert each.collections
        assert each.at is not None
        assert each.at.records_in == 4711
    (dump,) = of(jvm.folder, kinds.DumpEvent)
    assert (dump.reason, dump.file) == ("crawl", f"crawl-{attempt}.hprof")
    assert dumps(jvm.folder) == 1
    assert (jvm.folder / dump.file).stat().st_mode & 0o777 == 0o600


def test_a_task_that_only_allocates_much_does_not_crawl(jvm: Jvm) -> None:
    replace(jvm, heap="128m").run("Crawling", "60", "12", options=PARALLEL)

    assert of(jvm.folder, kinds.CrawlEvent) == []
    assert dumps(jvm.folder) == 0


def test_a_task_that_lives_with_a_full_heap_lives_though_each_error_of_memory_would_end_it(
    jvm: Jvm,
) -> None:
    ends = ("-XX:+ExitOnOutOfMemoryError",)
    result = jvm.run("Tight", options=ends)

    assert (result.code, result.out) == (0, "lived true\n")
    live = max(one.used_after for one in of(jvm.folder, kinds.MemoryEvent))
    assert live > 0.85 * (64 << 20)
    assert dumps(jvm.folder) == 0


@pytest.mark.parametrize("kind", ["direct", "application"])
def test_errors_that_the_jvm_does_not_dump_are_dumped_by_the_agent(jvm: Jvm, kind: str) -> None:
    settings = f"dir={jvm.folder},mode=profile"

    jvm.run("Filling", kind, settings=settings, options=("-XX:MaxDirectMemorySize=8m",))

    (dump,) = of(jvm.folder, kinds.DumpEvent)
    assert dump.reason == "oom"
    assert (jvm.folder / dump.file).read_bytes()[:12] == b"JAVA PROFILE"


def test_a_path_that_the_user_set_is_respected(jvm: Jvm) -> None:
    mine = jvm.folder.parent / "mine.hprof"

    jvm.run(
        "Filling",
        "heap",
        settings=f"dir={jvm.folder},mode=profile",
        options=("-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={mine}"),
    )

    assert mine.exists()
    assert list(jvm.folder.glob("*.hprof")) == []
    assert _dump_told(jvm.folder) == (True, str(mine), None)


def test_a_path_alone_asks_for_no_dump_and_the_agents_goes_to_its_own_folder(jvm: Jvm) -> None:
    path = (f"-XX:HeapDumpPath={jvm.folder.parent / 'mine.hprof'}",)

    jvm.run("Filling", "heap", settings=f"dir={jvm.folder},mode=profile", options=path)

    assert dumps(jvm.folder) == 1
    assert dumps(jvm.folder.parent) == 0
    assert _dump_told(jvm.folder) == (True, None, None)


def test_who_turns_dumps_off_gets_none(jvm: Jvm) -> None:
    off = ("-XX:-HeapDumpOnOutOfMemoryError",)

    jvm.run("Filling", "heap", settings=f"dir={jvm.folder},mode=profile", options=off)

    assert dumps(jvm.folder) == 0
    assert _dump_told(jvm.folder) == (False, None, "refused_by_option")


@pytest.mark.parametrize(
    ("timeout_ms", "code"), [(None, "task_timeout"), (600_000, "task_timeout"), (0, None)]
)
def test_no_dump_is_made_for_which_a_task_would_be_silent_for_too_long(
    jvm: Jvm, timeout_ms: int | None, code: str | None
) -> None:
    jvm = replace(jvm, heap="64g")  # reserved only; 90 GB of dump, 900 s
    if timeout_ms is not None:
        (jvm.folder.parent / "job.xml").write_text(
            "<configuration><property><name>mapreduce.task.timeout</name>"
            f"<value>{timeout_ms}</value></property></configuration>"
        )

    told = f"dir={jvm.folder},mode=profile,disk.percent=100"
    jvm.run("Nothing", settings=told, options=("-Xms16m",))

    assert _dump_told(jvm.folder)[2] in ({code} if code else {None, "disk_full"})


def test_a_task_whose_heap_is_nearly_full_leaves_the_dump_to_another_that_made_one(
    jvm: Jvm, new_job: str
) -> None:
    jvm = replace(jvm, attempt=f"attempt_{new_job}_m_000003_0", heap="128m")
    shared = "/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir()
    claim = Path(shared) / f"mprof-{getpass.getuser()}" / f"job_{new_job}"

    result = jvm.run("Beside", str(claim))

    assert result.out == "announced before false\ndumps false true\ndumps true\ndumps false\n"


def _dump_told(folder: Path) -> tuple[bool, str | None, str | None]:
    """Whether the dump is armed, the path of the user's, the code of why it is not armed."""
    told = of(folder, kinds.Attach)[0].oom_dump
    assert told is not None
    return told.armed, told.path, told.why.code if told.why is not None else None


@pytest.mark.parametrize(
    ("setting", "code"), [("oom.dump=never", "switched_off"), ("disk.percent=0", "disk_full")]
)
def test_no_dump_is_made_where_it_is_not_wanted_or_the_disk_is_full(
    jvm: Jvm, setting: str, code: str
) -> None:
    jvm.run("Filling", "heap", settings=f"dir={jvm.folder},{setting}")

    assert list(jvm.folder.glob("*.hprof")) == []
    assert _dump_told(jvm.folder) == (False, None, code)


def test_a_filling_heap_is_told_by_collections_and_a_few_histograms(jvm: Jvm) -> None:
    jvm = replace(jvm, heap="96m")

    often = "histograms=2,histogram.share=100"
    settings = f"dir={jvm.folder},oom.dump=never,{often}"
    jvm.run("Filling", "resting", str(jvm.folder / "events.jsonl"), settings=settings)

    memory = of(jvm.folder, kinds.MemoryEvent)
    assert memory
    assert {event.major for event in memory} == {True, False}
    assert all(event.at is not None and event.at.records_in is not None for event in memory)
    # Live bytes grow with the records that are held, ten thousand bytes each.
    majors = [event for event in memory if event.major]
    assert majors[0].used_after > 10_000 * (majors[0].at.records_in - 200)
    histograms = of(jvm.folder, kinds.Histogram)
    assert 1 <= len(histograms) <= 2
    assert histograms[0].reason == "filling"
    assert histograms[0].classes[0][0] == "byte[]"


def test_histograms_of_watch_mode_stay_within_their_share_of_the_time(jvm: Jvm) -> None:
    jvm = replace(jvm, heap="96m")

    def filling(share: int, *how: str) -> tuple[float, list[kinds.Histogram]]:
        one = replace(jvm, folder=jvm.folder / f"share-{share}")
        one.folder.mkdir(parents=True)
        given = f"dir={one.folder},oom.dump=never,histogram.share={share}"
        one.run("Filling", *how, settings=given)
        return log(one.folder)[0].t, of(one.folder, kinds.Histogram)

    began, made = filling(20, "resting", str(jvm.folder / "share-20/events.jsonl"))
    assert made
    spent = 0.0
    for event in made:
        assert spent <= 0.2 * (event.t - began) / 1000
        spent += event.seconds
    # To get ready is expected to take 0.1 s, which is one per cent of ten seconds.
    began, made = filling(1, "slow")
    assert [event for event in made if event.t - began < 10_000] == []


def test_probes_follow_the_plan(jvm: Jvm) -> None:
    plan = jvm.folder.parent / "my.plan"
    plan.write_text(
        "version=1\ndefault=watch\nm_000003.mode=profile\nm_000003.before_record=1,20,40\n"
    )

    jvm.run("Probing", settings=f"dir={jvm.folder},plan={plan}")

    dumps = of(jvm.folder, kinds.DumpEvent)
    assert [(dump.point, dump.ordinal) for dump in dumps] == [
        ("before_record", 1),
        ("before_record", 20),
        ("before_record", 40),
    ]
    assert all((jvm.folder / dump.file).exists() for dump in dumps)
    assert log(jvm.folder)[-1].outcome == "done"


# ---- it fails open ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "options", "environment"),
    [
        ("dir={dir},mode=off", (), {}),
        ("dir={dir}", ("-Dmprof.off=true",), {}),
        ("dir={dir}", (), {"MPROF_OFF": "1"}),
    ],
)
def test_the_kill_switches_leave_no_trace(
    jvm: Jvm, settings: str, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    result = jvm.run(
        "Nothing", settings=settings.format(dir=jvm.folder), options=options, **environment
    )

    assert (result.code, result.out, result.err) == (0, "done\n", "")
    assert not jvm.folder.exists()


def test_the_plan_can_switch_it_off_for_a_task(jvm: Jvm) -> None:
    plan = jvm.folder.parent / "my.plan"
    plan.write_text("version=1\nm_000003.mode=off\n")

    jvm.run("Nothing", settings=f"dir={jvm.folder},plan={plan}")

    assert not jvm.folder.exists()


def test_bad_settings_cost_one_line_each(jvm: Jvm) -> None:
    result = jvm.run("Nothing", settings=f"dir={jvm.folder},colour=red,,mode=,=,copy.seconds=soon")

    assert (result.code, result.out) == (0, "done\n")
    assert "mprof: setting not understood, ignored: colour=red" in result.err
    assert isinstance(log(jvm.folder)[0], kinds.Attach)


def test_a_folder_that_cannot_be_written_is_replaced_by_the_working_folder(jvm: Jvm) -> None:
    file = jvm.folder.parent / "a-file"
    file.write_text("")
    work = jvm.folder.parent / "work"
    work.mkdir()

    result = jvm.run("Nothing", settings=f"dir={file}/below", cwd=work)

    assert (result.code, result.out) == (0, "done\n")
    assert f"mprof: cannot write to {file}/below" in result.err
    assert (work / "events.jsonl").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system nobody can write")
def test_with_no_folder_to_write_to_the_program_runs_without_it(jvm: Jvm) -> None:
    result = jvm.run("Nothing", settings="dir=/proc/none", cwd=Path("/proc"))

    assert (result.code, result.out) == (0, "done\n")
    assert "mprof: not attached: no folder to write to" in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_costs_the_log_and_one_line(jvm: Jvm) -> None:
    jvm.folder.mkdir()
    (jvm.folder / "events.jsonl").symlink_to("/dev/full")

    result = jvm.run("Filling", "application")

    assert result.code == 0
    assert "died at 1000" in result.out
    assert result.err.count("the event log cannot be written any more") == 1
    position = read_position(jvm.folder / "position.bin")
    assert position.records_in == 1000


def test_the_log_never_grows_beyond_its_bound(jvm: Jvm) -> None:
    jvm.run("Filling", "slow", settings=f"dir={jvm.folder},oom.dump=never,events.bytes=4096")

    data = (jvm.folder / "events.jsonl").read_bytes()
    assert len(data) <= 4096
    assert isinstance(parse_events(data).events[-1], kinds.End)


def test_a_capture_folder_that_cannot_be_written_is_reported_once(jvm: Jvm) -> None:
    file = jvm.folder.parent / "a-file"
    file.write_text("")

    result = jvm.run(
        "Filling", "slow", settings=f"dir={jvm.folder},capture={file},copy.seconds=1,oom.dump=never"
    )

    assert result.code == 0
    assert result.err.count("cannot copy to") == 1
    assert [event.ok for event in of(jvm.folder, kinds.Copy)] == [False]


def test_events_position_and_dumps_reach_the_capture_folder(jvm: Jvm) -> None:
    capture = jvm.folder.parent / "capture"

    jvm.run("Filling", "heap", settings=f"dir={jvm.folder},capture={capture.as_uri()},mode=profile")

    copied = capture / ATTEMPT
    dump = f"oom-{ATTEMPT}.hprof"
    assert sorted(path.name for path in copied.iterdir()) == ["events.jsonl", dump, "position.bin"]
    assert (copied / dump).read_bytes().startswith(b"JAVA PROFILE")
    assert (copied / "events.jsonl").read_bytes() == (jvm.folder / "events.jsonl").read_bytes()
    # Log aggregation would store the heap once more, where others may read it.
    assert sorted(path.name for path in jvm.folder.iterdir()) == ["events.jsonl", "position.bin"]


@dataclass(frozen=True)
class Watched:
    """A task of a cluster that is switched on.

    Attributes:
        jvm: starts it.
        area: the capture area, which does not exist yet.
        job: the folder of its job there.
    """

    jvm: Jvm
    area: Path
    job: Path

    def run(self, *program: str) -> Result:
        told = f"dir={self.jvm.folder},capture.area={self.area.as_uri()}"
        return self.jvm.run(*program, settings=told)


@pytest.fixture
def watched(jvm: Jvm, new_job: str) -> Watched:
    area = jvm.folder.parent / "area"
    own = replace(jvm, attempt=f"attempt_{new_job}_m_000003_0")
    return Watched(own, area, area / f"job_{new_job}")


def test_a_task_that_ran_out_of_memory_leaves_its_evidence_in_the_capture_area(
    watched: Watched,
) -> None:
    watched.area.mkdir()

    result = watched.run("Filling", "heap")

    assert result.code == 0
    attempt = watched.jvm.attempt
    assert stat.S_IMODE(watched.job.stat().st_mode) == 0o700
    assert sorted(path.name for path in watched.job.iterdir()) == [".attempt-4", ".dump-2", attempt]
    copied = watched.job / attempt
    dump = f"oom-{attempt}.hprof"
    assert sorted(path.name for path in copied.iterdir()) == ["events.jsonl", dump, "position.bin"]
    assert (copied / dump).read_bytes().startswith(b"JAVA PROFILE")
    # Log aggregation would copy the dump once more.
    logs = watched.jvm.folder
    assert sorted(path.name for path in logs.iterdir()) == ["events.jsonl", "position.bin"]
    assert (copied / "events.jsonl").read_bytes() == (logs / "events.jsonl").read_bytes()


def test_a_task_that_had_enough_memory_leaves_nothing_in_the_capture_area(
    watched: Watched,
) -> None:
    watched.area.mkdir()

    result = watched.run("Nothing")

    assert result.code == 0
    assert "attached" in result.err
    assert [] == list(watched.area.iterdir())


@pytest.mark.parametrize("what", ["gone", "another's", "a file", "full of attempts"])
def test_an_area_that_takes_nothing_costs_one_line_and_no_evidence(
    watched: Watched, what: str
) -> None:
    if what != "gone":
        watched.area.mkdir()
    if what == "another's":
        watched.job.mkdir()
        watched.job.chmod(0o777)
    elif what == "a file":
        watched.job.touch()
    elif what == "full of attempts":
        watched.job.mkdir(mode=0o700)
        for number in range(1, 17):
            (watched.job / f".attempt-{number}").touch()
    before = sorted(watched.area.rglob("*"))

    result = watched.run("Filling", "heap")

    assert result.code == 0
    assert "died at" in result.out
    assert result.err.count("cannot copy to") == 1
    assert sorted(watched.area.rglob("*")) == before
    logs = watched.jvm.folder
    assert [event.ok for event in of(logs, kinds.Copy)] == [False]
    # Of a job that has failed often enough nobody wants one more dump, and logs are aggregated.
    dump = logs / f"oom-{watched.jvm.attempt}.hprof"
    assert dump.is_file() == (what != "full of attempts")


@pytest.mark.skipif(os.name != "posix", reason="needs a guard of the shell")
@pytest.mark.parametrize("what", ["missing", "empty", "half", "damaged", "whole"])
def test_no_jar_of_the_agent_keeps_a_task_from_starting(
    jvm: Jvm, jar: Path, tmp_path: Path, what: str
) -> None:
    whole = jar.read_bytes()
    middle = len(whole) // 2
    content = {
        "missing": None,
        "empty": b"",
        "half": whole[:middle],
        "damaged": whole[:-2000] + bytes(1000) + whole[-1000:],
        "whole": whole,
    }[what]
    used = tmp_path / "mprof-agent.jar"
    if content is not None:
        used.write_bytes(content)
    given = f"-javaagent:{used}=mode=watch,dir={tmp_path}/logs"
    command = f"{jvm.java} %s -cp {jvm.classes} Nothing"

    def start(options: str) -> subprocess.CompletedProcess[str]:
        script = f'exec /bin/bash -c "{command % options}"'
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    settings = {"mode": "watch", "dir": f"{tmp_path}/logs"}
    done = start(profile_params(settings, jar=str(used), jar_checksum=checksum(whole)))

    assert (done.returncode, done.stdout) == (0, "done\n")
    assert ("mprof: attached" in done.stderr) == (what == "whole")
    assert ("is missing or not whole" in done.stderr) == (what != "whole")
    assert (start(given).returncode == 0) == (what == "whole")  # without a guard


@pytest.mark.skipif(os.name != "posix", reason="needs a guard of the shell")
def test_a_second_copy_of_the_agent_does_not_keep_a_task_from_starting(
    jvm: Jvm, jar: Path, tmp_path: Path
) -> None:
    second = tmp_path / "mprof-agent.jar"
    second.write_bytes(jar.read_bytes())

    result = jvm.run("Nothing", options=(f"-javaagent:{second}=mode=watch,dir={tmp_path}/second",))

    assert (result.code, result.out) == (0, "done\n")


# ---- a task that cannot end by itself ------------------------------------------------------------


def test_an_attempt_that_hangs_after_an_error_has_left_it_ends_itself(jvm: Jvm) -> None:
    began = time.monotonic()

    result = jvm.run("Hanging", "error", "0", settings=f"dir={jvm.folder},mode=profile")

    assert (result.code, result.out) == (1, "")
    assert 9 < time.monotonic() - began < 30
    assert of(jvm.folder, kinds.End)  # its last events were written before


def test_one_that_clears_up_after_an_exception_is_left_alone(jvm: Jvm) -> None:
    settings = f"dir={jvm.folder},mode=profile"

    result = jvm.run("Hanging", "exception", "14", settings=settings)

    assert (result.code, result.out) == (0, "ended by itself\n")
