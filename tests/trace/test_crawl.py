"""A timeout in a full heap: the words of all Hadoops, and the stretch of crawling before it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from builders.attempts import EventWriter

from mprof.trace import crawl_of, parse_timeout, read_trace
from mprof.trace.crawl import Crawl
from mprof.trace.gc_log import Collection, parse_gc_log

ATTEMPT = "attempt_1700000000000_0001_m_000003_0"
MB = 1 << 20
HEAP = 200 * MB

HADOOP_1 = f"Task {ATTEMPT} failed to report status for 60 seconds. Killing!"
HADOOP_2 = f"AttemptID:{ATTEMPT} Timed out after 60 secs"
HADOOP_2_WITH_EXIT = (
    f"AttemptID:{ATTEMPT} Timed out after 60 secs\nContainer killed by the ApplicationMaster.\n"
    "Container killed on request. Exit code is 143\nContainer exited with a non-zero exit code 143"
)
HADOOP_34 = (
    f"AttemptID:{ATTEMPT} task timeout set: 60s, taskTimedOut: true; task stuck timeout set: 600s,"
    " taskStuck: false\n[2026-01-01 10:00:00.000]Container killed by the ApplicationMaster.\n"
    "[2026-01-01 10:00:00.010]Container killed on request. Exit code is 137\n"
)
HADOOP_34_STUCK = (
    f"AttemptID:{ATTEMPT} task timeout set: 600s, taskTimedOut: false; task stuck timeout set: 60s,"
    " taskStuck: true"
)
TIMEOUTS = [HADOOP_1, HADOOP_2, HADOOP_2_WITH_EXIT, HADOOP_34, HADOOP_34_STUCK]

UNTIL_THE_LIMIT = (
    f"AttemptID:{ATTEMPT} task timeout set: 60s, taskTimedOut: false; task stuck timeout set: 600s,"
    " taskStuck: false"
)


def gc_line(
    end_s: float, ms: float, left_mb: int, kind: str = "Pause Full (Ergonomics)", number: int = 0
) -> str:
    """One line of unified logging, written at the end of the pause."""
    return f"[{end_s:.3f}s][info][gc] GC({number}) {kind} 199M->{left_mb}M(200M) {ms:.3f}ms"


def gc_log(seconds: float, share: float, left_mb: int, *, begin_s: float = 30.0) -> str:
    """A collection a second, which takes this share of it."""
    lines = (
        gc_line(begin_s + i + 1, share * 1000, left_mb, number=i) for i in range(round(seconds))
    )
    return "\n".join(lines)


def died(tmp_path: Path, diagnostics: str, stdout: str = "", **files: str) -> tuple[str, str]:
    folder = tmp_path / ATTEMPT
    folder.mkdir(exist_ok=True)
    for name, text in {"stdout": stdout, "syslog": "", **files}.items():
        (folder / name).write_text(text)
    death = read_trace(folder, diagnostics=diagnostics, state="FAILED").death
    return death.kind, death.evidence


@pytest.mark.parametrize("diagnostics", TIMEOUTS)
def test_every_hadoop_says_after_how_many_seconds_it_killed_for_want_of_progress(
    diagnostics: str,
) -> None:
    told = parse_timeout(diagnostics)

    assert told is not None
    assert told.seconds == 60
    assert told.line == diagnostics.split("\n")[0]


@pytest.mark.parametrize(
    "words", [None, "", UNTIL_THE_LIMIT, "Error: Java heap space", "connect timed out"]
)
def test_other_words_are_no_timeout(words: str | None) -> None:
    assert parse_timeout(words) is None


@pytest.mark.parametrize("diagnostics", TIMEOUTS)
def test_a_timeout_in_a_full_heap_is_a_death_of_memory_that_names_its_evidence(
    diagnostics: str, tmp_path: Path
) -> None:
    kind, evidence = died(tmp_path, diagnostics, gc_log(60, 0.97, 196))

    assert kind == "gc-overhead"
    assert evidence == (
        "killed by mapreduce.task.timeout after 60 s without progress, while 60 full collections in"
        " the last 60 s took 97 % of the time and left 196 MB of 200 MB live (garbage collection"
        " log)"
    )


@pytest.mark.parametrize(
    ("stdout", "words"),
    [
        ("", "whether its heap was full is not known: no collections of it were read"),
        (gc_log(60, 0.97, 100), "its heap was not full: after the last collections 100 MB of 200"),
        (gc_log(60, 0.30, 196), "nothing shows that collections took 70 % of the time or more"),
        (gc_log(20, 0.97, 196), "its heap was full, but only for the last"),
        (
            gc_line(9.0, 5, 190, "Pause Young (Normal)"),
            "whether its heap was full is not known: minor collections left 190 MB of 200 MB",
        ),
        (
            gc_log(60, 0.97, 196) + "\n" + gc_line(91.0, 80, 20),
            "its heap was not full: after the last collections 20 MB of 200 MB",
        ),
    ],
)
def test_a_timeout_is_not_of_memory_where_nothing_shows_it_and_that_is_not_denied_unasked(
    stdout: str, words: str, tmp_path: Path
) -> None:
    kind, evidence = died(tmp_path, HADOOP_34, stdout)

    assert kind == "not-memory"
    assert evidence.startswith(HADOOP_34.split("\n")[0])
    assert words in evidence


def test_of_a_crawl_that_began_before_the_last_progress_the_end_is_told(tmp_path: Path) -> None:
    stdout = gc_log(60, 0.75, 190) + "\n" + gc_log(60, 0.97, 196, begin_s=90)

    kind, evidence = died(tmp_path, HADOOP_34, stdout)

    assert kind == "gc-overhead"
    assert "60 full collections in the last 60 s took 97 %" in evidence


def test_a_full_heap_alone_is_no_death(tmp_path: Path) -> None:
    folder = tmp_path / ATTEMPT
    folder.mkdir()
    (folder / "stdout").write_text(gc_log(60, 0.97, 196))

    assert read_trace(folder).death.kind == "none"
    assert read_trace(folder, diagnostics="", state="SUCCEEDED").death.kind == "none"


def test_an_error_that_was_thrown_outweighs_the_timeout(tmp_path: Path) -> None:
    kind, evidence = died(
        tmp_path, HADOOP_34, gc_log(60, 0.97, 196),
        syslog="2026-01-01 10:00:00,000 FATAL [main] org.apache.hadoop.mapred.YarnChild: "
        "Error running child : java.lang.OutOfMemoryError: Java heap space\n"
        "\tat acme.Grow.map(Grow.java:1)\n",
    )  # fmt: skip

    assert (kind, "Java heap space" in evidence) == ("heap", True)


def crawling(writer: EventWriter, *, windows: int, share: float, used_mb: int, t: int) -> None:
    """What the agent writes every five seconds, the first of them at t."""
    for i in range(windows):
        writer.add(
            "crawl", t=t + 5000 * i, ms=5000, collecting_ms=round(5000 * share), collections=7,
            used=used_mb * MB, at={"phase": "map", "records_in": 4711},
        )  # fmt: skip


def test_the_agents_events_show_it_without_a_log_of_the_jvm(tmp_path: Path) -> None:
    start = 1_700_000_000_000
    writer = EventWriter(ATTEMPT, t=start, heap_max=HEAP)
    writer.add(
        "memory", t=start + 9000, major=True, start=8000, end=8400, used_before=199 * MB,
        used_after=180 * MB, at={"phase": "map", "records_in": 4700},
    )  # fmt: skip
    crawling(writer, windows=10, share=0.96, used_mb=195, t=start + 15_000)
    folder = writer.write(tmp_path, position={"phase": 3, "records_in": 4711})

    trace = read_trace(folder, diagnostics=HADOOP_34, state="FAILED")

    assert trace.death.kind == "gc-overhead"
    assert "70 full collections in the last 50 s took 96 %" in trace.death.evidence
    assert "left 195 MB of 200 MB live (event log)" in trace.death.evidence
    assert trace.peak_before_failure == 195 * MB
    assert trace.place == "map"


@pytest.mark.parametrize(("later_s", "share"), [(4.9, "96 %"), (7.0, "84 %")])
def test_a_window_that_was_not_told_yet_when_the_jvm_ended_says_nothing(
    later_s: float, share: str, tmp_path: Path
) -> None:
    start = 1_700_000_000_000
    writer = EventWriter(ATTEMPT, t=start, heap_max=HEAP)
    crawling(writer, windows=10, share=0.96, used_mb=195, t=start + 15_000)
    writer.add("end", t=start + 60_000 + round(1000 * later_s), outcome="exit")

    death = read_trace(writer.write(tmp_path), diagnostics=HADOOP_34, state="FAILED").death

    assert death.kind == "gc-overhead"
    assert f"took {share} of the time" in death.evidence


def test_collections_that_were_left_out_of_the_log_count_like_the_one_told(tmp_path: Path) -> None:
    start = 1_700_000_000_000
    writer = EventWriter(ATTEMPT, t=start, heap_max=HEAP)
    for i in range(40):
        # one of 400 ms is told, one was skipped: 0.8 s of each second
        writer.add(
            "memory", t=start + 5000 + 1000 * i, major=True, start=4600 + 1000 * i,
            end=5000 + 1000 * i, used_before=180 * MB, used_after=165 * MB, skipped=1,
        )  # fmt: skip

    trace = read_trace(writer.write(tmp_path), diagnostics=HADOOP_2, state="FAILED")

    assert trace.death.kind == "gc-overhead"
    assert "left 165 MB of 200 MB live (event log)" in trace.death.evidence


@pytest.mark.parametrize(
    ("cause", "kind"), [("Allocation Stall", "gc-overhead"), ("Allocation Rate", "not-memory")]
)
def test_a_cycle_of_zgc_that_nobody_waited_for_is_no_time_without_progress(
    cause: str, kind: str, tmp_path: Path
) -> None:
    start = 1_700_000_000_000
    writer = EventWriter(ATTEMPT, t=start, heap_max=HEAP)
    for i in range(40):
        writer.add(
            "memory", t=start + 5000 + 1000 * i, major=True, collector="ZGC Cycles", cause=cause,
            start=4050 + 1000 * i, end=5000 + 1000 * i, used_after=165 * MB,
        )  # fmt: skip

    trace = read_trace(writer.write(tmp_path), diagnostics=HADOOP_2, state="FAILED")

    assert trace.death.kind == kind


def test_a_jvm_that_lived_on_without_collections_did_not_crawl_to_its_end(tmp_path: Path) -> None:
    start = 1_700_000_000_000
    writer = EventWriter(ATTEMPT, t=start, heap_max=HEAP)
    writer.add("end", t=start + 200_000, outcome="exit")
    files = {"stdout": gc_log(60, 0.97, 196), "syslog": ""}

    trace = read_trace(writer.write(tmp_path, files=files), diagnostics=HADOOP_34, state="FAILED")

    assert trace.death.kind == "not-memory"


def longest_by_brute_force(log: list[Collection], capacity: int) -> Crawl | None:
    """Every beginning tried, every millisecond counted."""
    end = round(1000 * log[-1].uptime_s)
    busy = set[int]()
    for one in log:
        busy |= set(range(round(1000 * (one.uptime_s - one.seconds)), round(1000 * one.uptime_s)))
    best = None
    for i in range(len(log)):
        begin = round(1000 * (log[i].uptime_s - log[i].seconds))
        majors = [one for one in log[i:] if one.major]
        if not majors or any(one.used_after < 0.8 * capacity for one in majors):
            continue
        share = sum(begin <= ms < end for ms in busy) / max(1, end - begin)
        if end - begin >= 1000 and share >= 0.7 and best is None:
            best = Crawl(
                (end - begin) / 1000, share, len(majors), majors[-1].used_after, capacity,
                "garbage collection log",
            )  # fmt: skip
    return best


@pytest.mark.parametrize("seed", range(60))
def test_the_longest_stretch_is_that_of_a_search_over_all_beginnings(seed: int) -> None:
    random_ = random.Random(seed)
    at, log = 1.0, []
    for _ in range(random_.randint(1, 25)):
        at += random_.choice([0.01, 0.05, 0.3])
        seconds = random_.choice([0.05, 0.2, 0.4])
        at = round(at + seconds, 3)
        major = random_.random() < 0.8
        left = round(HEAP * random_.choice([0.3, 0.79, 0.81, 0.95, 0.97, 0.98]))
        log.append(Collection(at, major, HEAP, left, HEAP, "Pause Full", seconds))
    expected = longest_by_brute_force(log, HEAP)

    found = crawl_of((), log, None)

    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.seconds == pytest.approx(expected.seconds, abs=0.002)
        assert found.share == pytest.approx(expected.share, abs=0.01)
        assert (found.collections, found.live_bytes) == (expected.collections, expected.live_bytes)


def test_pauses_are_timed_in_logs_of_all_kinds() -> None:
    full, degenerated, eight, stalled, next_stalled, generational, idle = parse_gc_log(
        "[12.345s][info][gc] GC(7) Pause Full (Ergonomics) 199M->196M(200M) 123.456ms\n"
        "[13,000s][info][gc] GC(8) Pause Degenerated GC (Mark) 199M->196M(200M) 50.5ms\n"
        "9.250: [Full GC (Ergonomics) [PSYoungGen: 1024K->0K(2048K)] [ParOldGen: 698368K->"
        "699390K(700416K)] 699392K->699390K(702464K), [Metaspace: 1K->1K(2K)], 1.2345 secs] "
        "[Times: user=1.0 sys=0.0, real=1.23 secs]\n"
        "[20.0s][info][gc] GC(1) Garbage Collection (Allocation Stall) 200M(100%)->196M(98%)\n"
        "[20.5s][info][gc] GC(2) Garbage Collection (Allocation Stall) 200M(100%)->196M(98%)\n"
        "[21.0s][info][gc] GC(3) Major Collection (Allocation Stall) 100M(50%)->98M(49%) 0.250s\n"
        "[22.0s][info][gc] GC(4) Minor Collection (Allocation Rate) 100M(50%)->98M(49%) 0.9s\n"
    )

    assert [full.seconds, degenerated.seconds, eight.seconds] == [0.123456, 0.0505, 1.2345]
    assert [each.major for each in (full, degenerated, eight, stalled, generational)] == [True] * 5
    assert (stalled.committed, stalled.used_after) == (200 * MB, 196 * MB)
    assert (stalled.seconds, next_stalled.seconds, generational.seconds) == (0.0, 0.5, 0.25)
    assert (idle.major, idle.seconds, idle.committed) == (False, 0.0, 200 * MB)


def test_allocation_stalls_of_zgc_are_time_without_progress(tmp_path: Path) -> None:
    line = "[{:.1f}s][info][gc] GC(1) Garbage Collection ({}) 200M(100%)->196M(98%)"
    stalls = "\n".join(line.format(30 + i / 2, "Allocation Stall") for i in range(120))
    rates = "\n".join(line.format(30 + i / 2, "Allocation Rate") for i in range(120))

    assert died(tmp_path, HADOOP_34, stalls)[0] == "gc-overhead"
    assert died(tmp_path, HADOOP_34, rates)[0] == "not-memory"


def test_of_a_log_whose_beginning_is_missing_all_that_is_shown_counts(tmp_path: Path) -> None:
    kind, evidence = died(tmp_path, HADOOP_2, gc_log(12, 0.97, 196, begin_s=1400.0))

    assert kind == "gc-overhead"
    assert "12 full collections in the last 12 s, all that is shown of them, took 97 %" in evidence


def test_a_log_of_some_seconds_says_nothing_of_the_time_before_it(tmp_path: Path) -> None:
    assert died(tmp_path, HADOOP_2, gc_log(5, 0.97, 196, begin_s=1400.0))[0] == "not-memory"


@pytest.mark.parametrize(
    "before",
    [gc_line(1399.0, 5, 190, "Pause Young (Normal)"), gc_line(1399.0, 5, 20)],
    ids=["a minor collection", "an empty heap"],
)
def test_where_the_crawl_begins_behind_another_collection_it_is_as_short_as_it_is(
    before: str, tmp_path: Path
) -> None:
    log = f"{before}\n{gc_log(12, 0.97, 196, begin_s=1400.0)}"

    assert died(tmp_path, HADOOP_2, log)[0] == "not-memory"


_MAIN = (
    '"main" #1 prio=5 os_prio=0 tid=0x00007f20c800f000 nid=0x1e4d runnable [0x00007f20d1a5c000]\n'
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat java.net.SocketInputStream.read(SocketInputStream.java:170)\n"
    "\t- locked <0x00000000c0a1> (a java.lang.Object)\n"
    "\tat com.example.Lookup.map(Lookup.java:31)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
    "\n"
    '"Thread-2" #9 daemon prio=5 os_prio=0 waiting on condition [0x0]\n'
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat sun.misc.Unsafe.park(Native Method)\n"
)


def test_the_thread_dump_before_a_timeout_says_where_the_task_stood(tmp_path: Path) -> None:
    folder = tmp_path / ATTEMPT
    folder.mkdir()
    (folder / "syslog").write_text("")
    dumps = _MAIN.replace("Lookup.java:31", "Lookup.java:30") + _MAIN
    (folder / "stdout").write_text(f"2026-01-01 10:00:00\nFull thread dump OpenJDK:\n{dumps}")

    death = read_trace(folder, diagnostics=HADOOP_2, state="FAILED").death
    of_another = read_trace(
        folder, diagnostics="Error: java.io.IOException: no", state="FAILED"
    ).death

    assert [one.method for one in death.stack] == ["read", "map", "run"]
    assert (death.stack[1].line, death.place) == (31, "map")
    assert of_another.stack == ()


@pytest.mark.parametrize(
    ("line", "major", "mb", "at_s"),
    [
        # JDK 7 and 8 with -verbose:gc, and G1, which prints in M
        ("2.311: [GC 65536K->8192K(251904K), 0.0091234 secs]", False, (64, 8, 246), 2.311),
        ("[GC (Allocation Failure)  65536K->8192K(251904K), 0.01 secs]", False, (64, 8, 246), None),
        ("9.1: [Full GC (System.gc())  1023M->21M(1024M), 2.1 secs]", True, (1023, 21, 1024), 9.1),
        (
            "attempt_1_0: 9.1: [GC pause (G1 Evacuation Pause) (young) 8M->2M(16M), 0.1 secs]",
            False,
            (8, 2, 16),
            9.1,
        ),
        (
            "2015-01-01T10:00:00.500+0000: [Full GC (Ergonomics)  8M->8M(8M), 0.1 secs]",
            True,
            (8, 8, 8),
            1_420_106_400.5,
        ),
        # unified logging
        ("GC(7) Pause Full (G1 Compaction Pause) 9M->8M(9M) 1.0ms", True, (9, 8, 9), None),
        (
            "[gc] GC(7) Pause Young (Normal) (G1 Evacuation Pause) 9M->8M(9M) 1.0ms",
            False,
            (9, 8, 9),
            None,
        ),
        (
            "[2015-01-01T10:00:00.500+0000][gc] GC(7) Pause Full (System.gc()) 9M->8M(9M) 1.0ms",
            True,
            (9, 8, 9),
            1_420_106_400.5,
        ),
        (
            "[info][12345ms][gc ] GC(7) Pause Full (Ergonomics) 9M->8M(9M) 1.0ms",
            True,
            (9, 8, 9),
            12.345,
        ),
        (
            "[2015-01-01T10:00:00.500+0000][1.5s][77][gc] GC(1) Pause Full (x) 2G->1G(4G) 1.0ms",
            True,
            (2048, 1024, 4096),
            1.5,
        ),
        (
            "[3.0s][gc] GC(1) Pause Mixed (G1 Evacuation Pause) 0B->0B(1M) 1.0ms",
            False,
            (0, 0, 1),
            3.0,
        ),
        # sizes of a part, and no sizes
        (
            "2.0: [GC (CMS Initial Mark) [1 CMS-initial-mark: 10K(20K)] 11K(30K), 0.01 secs]",
            None,
            (),
            None,
        ),
        ("2.0: [GC pause (G1 Evacuation Pause) (young), 0.0123 secs]", None, (), None),
        ("[2.0s][info][gc,heap] GC(1) Eden regions: 24->0(23)", None, (), None),
        ("[2.0s][info][gc,metaspace] GC(1) Metaspace: 24M->24M(1024M)", None, (), None),
    ],
)
def test_a_collection_is_read_whatever_stands_before_it_and_in_whatever_unit(
    line: str, major: bool | None, mb: tuple[int, ...], at_s: float | None
) -> None:
    found = parse_gc_log(line)

    assert [one.major for one in found] == ([] if major is None else [major])
    for one in found:
        assert (one.used_before, one.used_after, one.committed) == tuple(each * MB for each in mb)
        assert one.uptime_s == at_s


def test_of_collections_without_times_only_how_full_they_left_the_heap_is_told(
    tmp_path: Path,
) -> None:
    full = "[gc] GC(7) Pause Full (G1 Compaction Pause) 200M->196M(200M) 900.000ms\n"
    free = "[gc] GC(8) Pause Full (G1 Compaction Pause) 200M->16M(200M) 900.000ms\n"

    kind, evidence = died(tmp_path, HADOOP_2, full * 60)
    assert kind == "not-memory"
    assert "its heap was nearly full: 196 MB of 200 MB" in evidence
    assert (
        "its heap was not full: after the last collections 16 MB"
        in died(tmp_path, HADOOP_2, full + free)[1]
    )


@pytest.mark.parametrize(
    ("seconds", "number", "kind", "words"),
    [
        (12, 400, "gc-overhead", "12 full collections in the last 12 s, all that is shown of them"),
        (5, 400, "not-memory", "its heap was full for the last 5 s, and nothing shows the time"),
        (5, 0, "not-memory", "its heap was full, but only for the last 5 of 60 s"),
    ],
)
def test_the_number_of_the_first_collection_says_whether_the_beginning_of_the_log_is_missing(
    seconds: int, number: int, kind: str, words: str, tmp_path: Path
) -> None:
    log = "\n".join(gc_line(20.0 + i, 970, 196, number=number + i) for i in range(seconds))

    told = died(tmp_path, HADOOP_2, log)

    assert told[0] == kind
    assert words in told[1]
