"""What a text shows of a task's end: collections, errors by its reporter, and who asked it to."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1740000000000_0012"
_SILENT = f"AttemptID:attempt_{_ID}_m_000005_0 Timed out after 300 secs\n"
_FULL = "".join(
    f"[{at}.000s][info][gc] GC({at}) Pause Full (G1 Compaction Pause) 511M->509M(512M) 900.0ms\n"
    for at in range(400, 406)
)
_ROOMY = (
    "[3.100s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 90M->20M(512M) 4.0ms\n"
    "[250.0s][info][gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 90M->21M(512M) 4.0ms\n"
)


def test_collections_are_of_the_only_attempt_that_failed(tmp_path: Path) -> None:
    _, full = told_of(tmp_path, f"{_SILENT}\nits stdout:\n{_FULL}")
    _, roomy = told_of(tmp_path, f"{_SILENT}\n{_ROOMY}")

    assert "its heap was full for the last" in full or "The heap was full" in full
    assert "tells of a collection" not in full
    assert "its heap was not full" in roomy


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{_SILENT}\nm_000006_0, which went well:\n{_FULL}", "another one"),
        (f"{_SILENT}{_SILENT.replace('m_000005', 'm_000007')}\nstdout:\n{_FULL}", "two failed"),
    ],
)
def test_collections_of_who_knows_whom_are_nobodys(text: str, why: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, text)

    assert "heap was full for" not in report, why
    assert "The heap was full" not in report, why


def test_what_was_before_a_log_began_is_not_denied(tmp_path: Path) -> None:
    _, cut = told_of(tmp_path, f"{_SILENT}\n{_FULL}")
    _, whole = told_of(tmp_path, f"{_SILENT}\n{_ROOMY}{_FULL}")

    assert "nothing shows the time before" in cut
    assert "but only for the last" in whole


_NULL = (
    "Error: java.lang.NullPointerException\n"
    "\tat com.example.Names.map(Names.java:9)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
)


def test_an_error_of_a_task_is_its_end_whatever_it_is(tmp_path: Path) -> None:
    answered = (
        f"Why?\n{_NULL}\n1 Answer\n\nMy driver once had\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded\n'
    )

    kinds, report = told_of(tmp_path, answered)
    _, caught = told_of(tmp_path, _NULL.replace("Error: ", "WARN x.Y: "))

    assert kinds == ["not-memory"]
    assert "threw java.lang.NullPointerException" in report
    assert "Whether anything ended because of it cannot be told" in caught


def test_who_asked_a_task_to_end_is_told_from_the_same_line(tmp_path: Path) -> None:
    killed = (
        f"Task Id : attempt_{_ID}_r_000001_0, Status : KILLED\n"
        "{}Container killed by the ApplicationMaster.\n"
        "Container killed on request. Exit code is 143\n"
    )
    why = "Reducer preempted to make room for pending map attempts "

    _, told = told_of(tmp_path, killed.format(why))
    _, untold = told_of(tmp_path, killed.format(""))

    assert "to make room for map tasks" in told
    assert "to make room" not in untold


def test_sizes_of_the_other_side_do_not_reach_a_task(tmp_path: Path) -> None:
    full = f"Task Id : attempt_{_ID}_r_000001_0, Status : FAILED\nError: Java heap space\n"
    own = "mapreduce.reduce.java.opts=-Xmx900m\n"

    _, other = told_of(tmp_path, f"mapreduce.map.java.opts=-Xmx3g\n{full}")
    _, both = told_of(tmp_path, f"mapreduce.map.java.opts=-Xmx3g\n{own}{full}")

    assert "is of map tasks: a reduce task died, which it does not reach" in other
    assert "a reduce task died" not in both


def test_a_heap_of_tez_above_the_limit_is_what_was_too_much(tmp_path: Path) -> None:
    killed = (
        f"Vertex failed, vertexName=Map 1, diagnostics=[Task failed, Container [pid=8,containerID="
        f"container_{_ID}_01_000003] is running beyond physical memory limits. Current usage: 2.0 "
        "GB of 2 GB physical memory used; 5.0 GB of 4.2 GB virtual memory used. Killing container."
    )
    text = f"set hive.tez.container.size=2048;\nset hive.tez.java.opts=-Xmx{{}};\n{killed}\n"

    _, above = told_of(tmp_path, text.format("5g"))
    _, below = told_of(tmp_path, text.format("1g"))

    assert "-Xmx5120m is 250 % of its 2.0 GB: nothing is left" in above
    assert "SET hive.tez.java.opts=-Xmx1638m" in above
    assert "nothing is left" not in below


def test_a_value_that_is_set_already_is_not_advised(tmp_path: Path) -> None:
    ended = (
        "Execution failed with exit status: 3\nFAILED: Execution Error, return code 3 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
    )

    _, off = told_of(tmp_path, f"set hive.auto.convert.join=false;\n{ended}")
    _, on = told_of(tmp_path, f"set hive.auto.convert.join=true;\n{ended}")

    assert "only a hint in the query asks for such a join" in off
    assert "(was false)" not in off
    assert "WHAT TO CHANGE" not in off
    assert "SET hive.auto.convert.join=false; (was true)" in on


def test_a_frame_of_an_application_master_is_of_no_map_task(tmp_path: Path) -> None:
    error = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.TaskAttemptListenerImpl.ping(Unknown Source)\n"
        "\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:2013)\n"
    )

    _, report = told_of(tmp_path, f'Exception in thread "IPC Server handler 1" {error}')

    assert "yarn.app.mapreduce.am.command-opts" in report
    assert "mapreduce.map.java.opts" not in report


def test_a_table_of_hives_own_is_no_collection_of_the_jobs_code(tmp_path: Path) -> None:
    full = (
        "Error: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.util.HashMap.resize(HashMap.java:703)\n"
        "\tat {}(X.java:820)\n"
        "\tat org.apache.hadoop.mapred.MapTask.runOldMapper(MapTask.java:450)\n"
    )
    own = "set hive.map.aggr.hash.percentmemory=0.8;\n"

    _, of_hive = told_of(
        tmp_path,
        own + full.format("org.apache.hadoop.hive.ql.exec.GroupByOperator.processHashAggr"),
    )
    _, of_job = told_of(tmp_path, own + full.format("com.example.Seen.map"))

    assert "hive.map.aggr.hash.percentmemory=0.4" in of_hive
    assert "look first at what is added" not in of_hive
    assert "percentmemory=0.4" not in of_job
    assert "look first at what is added" in of_job


@pytest.mark.parametrize(
    ("code", "said"),
    [(139, "128 and 11, as a signal leaves it: SIGSEGV"), (130, "128 and 2"), (77, "own")],
)
def test_an_exit_code_above_128_is_that_of_a_signal(code: int, said: str, tmp_path: Path) -> None:
    text = (
        f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\n"
        f"Container exited with a non-zero exit code {code}\n"
    )

    _, report = told_of(tmp_path, text)

    assert said in report
    assert ("SIGSEGV" in report) == (code == 139)


def test_of_several_that_the_kernel_killed_none_is_chosen(tmp_path: Path) -> None:
    one = "Killed process {} (java) total-vm:9kB, anon-rss:{}kB, file-rss:0kB\n"
    end = (
        f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\n"
        "Container exited with a non-zero exit code 137\n"
    )

    _, two = told_of(tmp_path, end + one.format(41, 2 << 20) + one.format(42, 1 << 20))
    _, alone = told_of(tmp_path, end + one.format(42, 1 << 20))

    assert "killed 2 processes" in two
    assert "which of them this was, if any, it does not say" in two
    assert "The kernel killed java, process 42" in alone


def test_a_control_group_is_not_the_machine_and_its_process_is_told_by_its_id(
    tmp_path: Path,
) -> None:
    one = "Killed process {} ({}) total-vm:9kB, anon-rss:{}kB, file-rss:0kB\n"
    group = "Memory cgroup out of memory: Kill process 43 (java) score 9 or sacrifice child\n"
    end = (
        f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\n"
        "Container exited with a non-zero exit code 137\n"
    )
    both = one.format(41, "java", 2 << 20) + one.format(43, "java", 1 << 20)
    lost = (
        "ERROR YarnScheduler: Lost executor 5 on n5: Container marked as failed: "
        f"container_{_ID}_01_000006 on host: n5. Exit status: 137. Diagnostics: Exit code is 137\n"
    )

    _, of_group = told_of(tmp_path, end + group + one.format(43, "java", 1 << 20))
    _, named = told_of(tmp_path, f"{end}{both}Memory usage of ProcessTree 43 for container-id x\n")
    _, child = told_of(tmp_path, lost + one.format(77, "python3", 1 << 20))
    _, of_task = told_of(tmp_path, end + one.format(77, "python3", 1 << 20))

    assert "its control group had reached its limit" in of_group
    assert "yarn.nodemanager.resource.memory-mb" not in of_group
    assert "The kernel killed java, process 43, because memory was short" in named
    assert "The kernel killed python3, process 77" in child
    assert "The kernel killed python3" not in of_task


@pytest.mark.parametrize(
    "left_out",
    [
        "\tat ...",
        "at 8 more",
        "[snip]",
        "\t<snipped>",
        "at \u2026",
        "\t[4 frames]",
        "[snip, FileSystem.create x3]",
        "   (some lines cut)",
        "-- snip --",
    ],
)
def test_frames_that_somebody_left_out_end_no_stack(left_out: str, tmp_path: Path) -> None:
    text = (
        f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\n"
        "Error: java.lang.RuntimeException: row 7\n"
        "\tat com.example.Rows.map(Rows.java:9)\n"
        f"{left_out}\n"
        "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
        "Caused by: java.lang.IllegalStateException: no rate\n"
        f"{left_out}\n"
        'Caused by: java.lang.NumberFormatException: For input string: "n/a"\n'
        "\tat com.example.Rates.parse(Rates.java:31)\n"
    )

    _, report = told_of(tmp_path, text)

    assert 'java.lang.NumberFormatException: For input string: "n/a"' in report
    assert "Mapper.run(Mapper.java:146)" in report


def test_a_size_that_yarn_refused_may_be_that_of_a_task(tmp_path: Path) -> None:
    refused = (
        'Exception in thread "main" java.io.IOException: org.apache.hadoop.yarn.exceptions.'
        "InvalidResourceRequestException: Invalid resource request, requested memory < 0, or "
        "requested memory > max configured, requestedMemory=6000, maxMemory=4096\n"
        "\tat org.apache.hadoop.mapred.YARNRunner.submitJob(YARNRunner.java:306)\n"
        "mapreduce.reduce.memory.mb=6000\n"
    )

    _, report = told_of(tmp_path, refused)

    assert "6,000 MB" in report
    assert "reach it" not in report


def test_what_takes_in_the_results_of_tasks_is_the_driver_of_spark(tmp_path: Path) -> None:
    text = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3236)\n"
        "\tat org.apache.spark.scheduler.TaskResultGetter$$anon$3.run(TaskResultGetter.scala:63)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "A driver or application master of Spark ran out of heap space" in report
    assert "spark.executor" not in report


def test_hive_sorts_by_partition_where_its_sink_keeps_a_writer_for_each(tmp_path: Path) -> None:
    frames = (
        "Error: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.nio.ByteBuffer.allocate(ByteBuffer.java:335)\n"
        "\tat org.apache.orc.impl.WriterImpl.addRowBatch(WriterImpl.java:7)\n"
        "{}"
        "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:9)\n"
    )
    sink = "\tat org.apache.hadoop.hive.ql.exec.FileSinkOperator.process(FileSinkOperator.java:7)\n"
    sorts = "SET hive.optimize.sort.dynamic.partition=true"

    _, of_hive = told_of(tmp_path, frames.format(sink))
    _, sorted_already = told_of(tmp_path, f"{sorts};\n{frames.format(sink)}")
    _, of_job = told_of(tmp_path, frames.format("\tat com.example.M.map(M.java:3)\n"))

    assert f"Try: {sorts}" in of_hive
    assert "SET orc.stripe.size" not in of_hive  # of many files it makes none fewer
    assert "one file is open at a time" in sorted_already
    assert "share a part of its heap for that" in of_hive
    assert sorts not in sorted_already.partition("GAPS")[0]
    assert "-D orc.stripe.size=33554432" in of_job


def test_of_a_line_that_does_not_fit_the_settings_of_its_end_are_named(tmp_path: Path) -> None:
    text = (
        f"Task Id : attempt_{_ID}_m_000001_0, Status : FAILED\n"
        "Error: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.io.Text.setCapacity(Text.java:266)\n"
        "\tat org.apache.hadoop.util.LineReader.readDefaultLine(LineReader.java:243)\n"
        "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "smaller splits make no line shorter" in report
    assert "textinputformat.record.delimiter sets another end of a record" in report
    assert "leaves longer lines out, with their data" in report
