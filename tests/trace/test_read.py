"""An attempt's folder as a whole: what is there is read, what is not is stated."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders.attempts import EventWriter
from builders.whole_logs import parse_logs

from mprof.code_site import CodeSite
from mprof.errors import EvidenceError
from mprof.trace import events, read_trace, reason_in_words
from mprof.trace.gc_log import parse_gc_log
from mprof.trace.throwable import parse_frame, parse_throwable

ATTEMPT = "attempt_1700000000000_0001_r_000012_1"


def test_the_position_file_beats_the_newest_event(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT).add("phase", phase="reduce", edge="begin", at={"group": 1})

    with_file = read_trace(writer.write(tmp_path / "a", position={"phase": 9, "group": 16}))
    without = read_trace(writer.write(tmp_path / "b"))

    assert with_file.position is not None
    assert without.position is not None
    assert (with_file.position.group, with_file.position_is_last) == (16, True)
    assert (without.position.group, without.position_is_last) == (1, False)


MAPPER = "attempt_1700000000000_0001_m_000000_0"
CLEANUP = 10


@pytest.mark.parametrize(
    ("failed_at", "phase", "stood_at", "measured"),
    [
        (12, "map", 12, [10]),  # its other threads read the split to its end
        (40, "cleanup", 40, [10, 20]),  # its only thread cleans up after the error
    ],
)
def test_an_attempt_that_read_on_after_its_failure_stands_where_it_failed(
    tmp_path: Path, failed_at: int, phase: str, stood_at: int, measured: list[int]
) -> None:
    writer = EventWriter(MAPPER)
    writer.add("memory", major=True, used_after=1000, at={"phase": "map", "records_in": 10})
    writer.add(
        "failure", place="map", class_="java.lang.OutOfMemoryError", message="Java heap space",
        thread="Thread-3", stack=["com.x.M.map(M.java:3)"],
        at={"phase": "map", "records_in": failed_at},
    )  # fmt: skip
    writer.add("memory", major=True, used_after=900, at={"phase": "map", "records_in": 20})

    trace = read_trace(writer.write(tmp_path, position={"phase": CLEANUP, "records_in": 40}))

    assert trace.position is not None
    assert (trace.position.phase, trace.position.records_in) == (phase, stood_at)
    points = [each.at.records_in for each in trace.of(events.MemoryEvent) if each.at]
    assert points == measured


def test_identity_comes_from_the_agent_or_else_from_the_folders_name(tmp_path: Path) -> None:
    (tmp_path / ATTEMPT).mkdir()

    trace = read_trace(tmp_path / ATTEMPT)

    assert (trace.attempt_id, trace.task_type, trace.index, trace.number) == (
        ATTEMPT,
        "reduce",
        12,
        1,
    )
    assert trace.death.kind == "none"
    assert any("did not attach" in loss for loss in trace.losses)
    assert any("no syslog" in loss for loss in trace.losses)


def test_losses_that_the_agent_counted_are_carried_over(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT).add("loss", what="events", count=7)

    trace = read_trace(writer.write(tmp_path, files={"syslog": ""}))

    assert trace.losses == ("agent: 7 events did not fit in its event log",)
    assert trace.last(events.Loss) is trace.of(events.Loss)[0]


@pytest.mark.parametrize(
    ("dumped_at", "kind"), [(4711, "heap"), (99, "not-memory"), (None, "not-memory")]
)
def test_an_error_thrown_in_place_of_one_of_memory_is_a_death_of_heap(
    tmp_path: Path, dumped_at: int | None, kind: str
) -> None:
    # caught at record 99 and lived on: what ends it at 4711 is another matter; another thread had
    # died of something else long before
    writer = EventWriter(ATTEMPT)
    writer.add(
        "failure",
        class_="java.lang.IllegalArgumentException",
        message="of a helper",
        place="other",
        at={"phase": "map", "records_in": 7},
    )
    if dumped_at is not None:
        at = {"phase": "map", "records_in": dumped_at}
        writer.add("dump", file="oom.hprof", reason="oom", at=at)
    writer.add(
        "failure",
        class_="java.lang.IllegalStateException",
        message="could not keep it",
        at={"phase": "map", "records_in": 4711},
    )

    death = read_trace(writer.write(tmp_path, files={"syslog": ""})).death

    assert death.kind == kind
    assert ("oom.hprof" in death.evidence) is (kind == "heap")
    assert "could not keep it" in death.evidence


def test_probes_that_were_not_made_are_said_once(tmp_path: Path) -> None:
    full = {"code": "disk_full", "percent": 80}
    writer = EventWriter(ATTEMPT)
    for ordinal in (1, 20, 39):
        writer.add("probe_skipped", point="before_record", ordinal=ordinal, why=full)
    writer.add("probe_skipped", point="oom", why=full)

    trace = read_trace(writer.write(tmp_path, files={"syslog": ""}))

    assert trace.losses == (
        "agent: a probe was not made: the disk would be more than 80 % full",
        "agent: the heap dump at the death was not made: the disk would be more than 80 % full",
    )


def test_faults_that_were_only_counted_are_a_loss(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT).add("fault", where="hook", what="a.B.c", class_="x.Y")

    folder = writer.write(tmp_path, position={"errors": 3}, files={"syslog": ""})

    assert read_trace(folder).losses[1:] == (
        "agent: 2 faults left no event, as is the case in a full heap",
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_bytes_in_every_file_never_crash_the_reader(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for name in ("events.jsonl", "position.bin", "syslog", "stderr", "stdout", "gc.log"):
        (tmp_path / name).write_bytes(rng.randbytes(rng.randrange(5000)))

    trace = read_trace(tmp_path, diagnostics=rng.randbytes(100).decode("latin-1"))

    assert trace.events == ()
    assert trace.losses


def test_a_missing_folder_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a folder of an attempt"):
        read_trace(tmp_path / "none", diagnostics=None)


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        (
            "\tat java.base/java.util.HashMap.resize(HashMap.java:700)",
            CodeSite("java.util.HashMap", "resize", "HashMap.java", 700),
        ),
        ("app//a.B$1.<init>(B.java:5)", CodeSite("a.B$1", "<init>", "B.java", 5)),
        ("at a.B.lambda$map$0(Unknown Source)", CodeSite("a.B", "lambda$map$0")),
        (
            "  at java.lang.Object.wait(Native Method) ~[?:1.8.0]",
            CodeSite("java.lang.Object", "wait"),
        ),
        ("at scala.Main$.main(Main.scala:3)", CodeSite("scala.Main$", "main", "Main.scala", 3)),
    ],
)
def test_frames_of_all_ages_are_understood(text: str, frame: CodeSite) -> None:
    assert parse_frame(text) == frame


@pytest.mark.parametrize("text", ["", "at", "... 4 more", "Caused by: a.B: c", "hello (world)"])
def test_what_is_no_frame_is_none(text: str) -> None:
    assert parse_frame(text) is None


def test_a_chain_of_causes_keeps_messages_of_several_lines_and_skips_suppressed_ones() -> None:
    error = parse_throwable(
        "2024-05-01 10:00:00,000 WARN [main] a.b.C: Exception running child : a.OuterException:\n"
        "first\nsecond\n"
        "\tat a.B.c(B.java:1)\n"
        "\tSuppressed: a.Quiet: shh\n"
        "\t\tat a.Q.q(Q.java:9)\n"
        "Caused by: a.InnerException: why\nbecause\n"
        "\tat a.D.e(D.java:2)\n"
        "\t... 3 more\n"
        "Caused by: a.RootError\n"
        "\t... 9 more\n"
    )

    assert error is not None
    assert error.class_name == "a.OuterException"
    assert error.message == "\nfirst\nsecond"
    assert [frame.method for frame in error.stack] == ["c"]
    assert [(each.class_name, each.message) for each in error.causes] == [
        ("a.InnerException", "why\nbecause"),
        ("a.RootError", None),
    ]


def test_collections_are_read_from_logs_of_both_kinds() -> None:
    unified = "[12.345s][info][gc] GC(7) Pause Full (Allocation Failure) 455M->450M(512M) 123.456ms"
    tagged = (
        "[0.5s][info][gc,heap] x\n[0.512s][info][gc] GC(0) Pause Young (Normal) 24M->3M(256M) 2ms"
    )
    eight = (
        "2024-05-01T10:00:00.123+0000: 9.250: [Full GC (Ergonomics) [PSYoungGen: 1024K->0K(2048K)]"
        " [ParOldGen: 698368K->699390K(700416K)] 699392K->699390K(702464K), [Metaspace: 1K->1K(2K)]"
        ", 1.2 secs]"
    )

    (full,) = parse_gc_log(unified)
    (young,) = parse_gc_log(tagged)
    (old,) = parse_gc_log(eight)

    assert (full.major, full.used_after, full.uptime_s) == (True, 450 << 20, 12.345)
    assert (young.major, young.used_after) == (False, 3 << 20)
    assert (old.major, old.used_before, old.used_after) == (True, 699_392 << 10, 699_390 << 10)
    assert parse_gc_log("nothing here") == ()


def test_of_several_events_of_a_type_the_last_is_the_newest(tmp_path: Path) -> None:
    writer = EventWriter(ATTEMPT)
    writer.add("groups", scope="reduce", count=1).add("groups", scope="reduce", count=2)

    trace = read_trace(writer.write(tmp_path))

    newest = trace.last(events.Groups)
    assert newest is not None
    assert newest.count == 2
    assert [each.count for each in trace.of(events.Groups)] == [1, 2]
    assert trace.last(events.Histogram) is None


def test_an_error_in_a_log_keeps_what_was_said_before_it_and_by_whom() -> None:
    logs = parse_logs(
        [
            (
                "syslog",
                (
                    "2024-05-01 10:00:01,000 WARN [IPC 5] org.x.Y: Exception running child : "
                    "java.io.IOException: no\n\tat a.B.c(B.java:1)\n"
                ),
            ),
            ("stderr", 'Exception in thread "main" a.b.Broken: x\n\tat a.B.c(B.java:1)\n'),
        ]
    )

    first, second = logs.errors
    assert (first.file, first.line, first.thread, first.level) == (
        "syslog",
        1,
        "IPC 5",
        "WARN",
    )
    assert first.how == "Exception running child : "
    assert (second.thread, second.error.class_name) == ("main", "a.b.Broken")


def test_a_heap_that_ran_full_in_a_probe_is_said_and_a_probe_that_is_there_is_no_loss(
    tmp_path: Path,
) -> None:
    oom = "java.lang.OutOfMemoryError"
    hook = "org.apache.hadoop.mapred.Task.done"
    full = {"code": "disk_full", "percent": 90}
    there = {"code": "file_exists", "file": "p.hprof"}
    writer = EventWriter(ATTEMPT)
    writer.add("probe_skipped", point="before_record", ordinal=77, why={"code": "out_of_memory"})
    writer.add("probe_skipped", point="in_combine", ordinal=1, why=there)
    writer.add("probe_skipped", point="before_record", ordinal=9, why=full)
    writer.add("fault", where="probe", what="in_group", ordinal=1, class_=oom, message="Java heap")
    writer.add("fault", where="ticker", class_=oom, message="Java heap space")
    writer.add("fault", where="hook", what=hook, row=f"{hook} ENTER -> a.Hooks.b", class_=oom)

    losses = read_trace(writer.write(tmp_path, files={"syslog": ""})).losses

    told = "agent: the heap filled up during mprof's own probe ({}), which may have caused the "
    told += "death a little early; earlier measurements are valid"
    assert list(losses) == [
        told.format("before_record 77"),
        "agent: a probe was not made: the disk would be more than 90 % full",
        told.format("in_group 1"),
        "agent: not enough heap was left for its work at ticker",
        "agent: not enough heap was left for its work at Task.done",
    ]


def test_the_words_in_an_error_of_the_agent_decide_nothing(tmp_path: Path) -> None:
    # each message holds what another reason was once known by
    there = "there is a file without a name"
    oom = "cannot write /d/java.lang.OutOfMemoryError.hprof"
    writer = EventWriter(ATTEMPT)
    for text in (there, oom):
        why = {"code": "error", "class": "java.io.IOException", "message": text}
        writer.add("probe_skipped", point="before_record", ordinal=1, why=why)
    writer.add("fault", where="patching", what="a b c", class_="a.E", message="probe in_group 1")

    losses = read_trace(writer.write(tmp_path, files={"syslog": ""})).losses

    assert list(losses) == [
        f"agent: a probe was not made: java.io.IOException: {there}",
        f"agent: a probe was not made: java.io.IOException: {oom}",
        "agent: a fault in patching a b c: a.E probe in_group 1",
    ]


@pytest.mark.parametrize(
    ("event", "members", "words"),
    [
        ("loss", {"what": "events", "count": 12}, "12 events did not fit in its event log"),
        (
            "patch_missed",
            {"row": "a.B.c ENTER", "why": {"code": "no_field", "name": "real"}},
            "nothing is counted at a.B.c ENTER (there is no field real)",
        ),
        (
            "probe_skipped",
            {"point": "oom", "why": {"code": "of a later agent"}},
            "the heap dump at the death was not made: of a later agent",
        ),
        (
            "fault",
            {"where": "hook", "what": "a.B.c", "row": "a.B.c ENTER -> d.E.f", "class_": "x.Y"},
            "a fault in a.B.c ENTER -> d.E.f: x.Y",
        ),
    ],
)
def test_the_codes_of_the_agent_become_words(
    event: str, members: dict[str, Any], words: str, tmp_path: Path
) -> None:
    folder = EventWriter(ATTEMPT).add(event, **members).write(tmp_path, files={"syslog": ""})

    assert read_trace(folder).losses == (f"agent: {words}",)


REPOSITORY = Path(__file__).resolve().parents[2]
REASONS = {
    "count": 7, "percent": 80, "seconds": 10, "file": "p.hprof", "name": "real",
    "scheme": "hdfs", "detail": "a static method", "class": "a.E", "message": "gone",
}  # fmt: skip


def _codes_on_the_page() -> dict[str, list[str]]:
    """The codes of ``event-log.md``, each with the names of its parameters."""
    page = REPOSITORY / "docs" / "reference" / "event-log.md"
    table = page.read_text(encoding="utf-8").partition("| reason |")[2].partition("\n\n")[0]
    rows = (line.split("|")[1:3] for line in table.splitlines()[2:])
    return {code.strip(" `"): re.findall(r"`(\w+)`", names) for code, names in rows}


def test_every_code_of_the_reference_page_has_words_with_its_parameters() -> None:
    for code, names in _codes_on_the_page().items():
        given = {name: REASONS[name] for name in names}

        words = reason_in_words(msgspec.convert({"code": code, **given}, events.Reason))

        assert words != code
        assert all(str(value) in words for value in given.values())


def test_the_codes_of_the_reference_page_are_those_that_the_agent_sends() -> None:
    sources = (REPOSITORY / "jvm-agent" / "core" / "src" / "main").rglob("*.java")
    sent = {
        (code, *([name] if name else []))
        for source in sources
        for code, name in re.findall(
            r'(?:Reason\.|= )of\(\s*"(\w+)"(?:,\s*"(\w+)")?', source.read_text(encoding="utf-8")
        )
    }

    on_page = {(code, *names) for code, names in _codes_on_the_page().items()}
    assert sent == on_page - {("error", "class", "message")}
