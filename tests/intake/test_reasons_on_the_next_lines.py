"""Why something failed often stands below the line that says that it did."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found

from mprof.report import render_findings
from mprof.trace import why_not_started

APPLICATION = "application_1700000000000_0005"
MASTER = (
    f"Application {APPLICATION} failed 2 times due to AM Container for "
    "appattempt_1700000000000_0005_000002 exited with  exitCode: -1000"
)
CHANGED = "Resource hdfs://nn/lib/a.jar changed on src filesystem (expected 1, was 2"
GONE = "File does not exist: hdfs://nn/lib/a.jar"
DENIED = 'Permission denied: user=eva, access=EXECUTE, inode="/private":adam:adam:drwx------'
TRACKING = "For more detailed output, check the application tracking page: http://rm:8088/ ."


def _told(tmp_path: Path, text: str) -> str:
    file = tmp_path / "pasted"
    file.write_text(text + "\n")
    return " ".join(render_findings(found(file)).split())


@pytest.mark.parametrize("reason", [CHANGED, GONE, DENIED])
@pytest.mark.parametrize(
    "between",
    [
        " due to: ",  # up to 2.6
        f"\n{TRACKING}\nDiagnostics: ",
        "\nFailing this attempt.Diagnostics: [2024-03-01 10:00:01.123]",  # 3.x
        "\n",  # as people copy it
    ],
)
def test_the_reason_behind_minus_1000_is_read_wherever_it_stands(between: str, reason: str) -> None:
    said = f"{MASTER}{between}{reason}\n.Failing this attempt.. Failing the application."

    assert why_not_started(said) == reason


@pytest.mark.parametrize(
    "said",
    [
        MASTER,
        f"{MASTER}\n{TRACKING}\nFailing this attempt. Failing the application.",
        f"{MASTER}\nWhat does this code mean?",
        f"{MASTER.replace('-1000', '1')}\n{GONE}",  # a process ran, and these may be its words
        f"{GONE}\n{MASTER}",
    ],
)
def test_what_is_no_reason_is_not_taken_for_one(said: str) -> None:
    assert not why_not_started(said)


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        (CHANGED, "hdfs://nn/lib/a.jar was written again after the application was submitted"),
        (GONE, "The node did not find hdfs://nn/lib/a.jar, which the application asks for"),
        (DENIED, "HDFS did not let the user eva pass through the folder /private"),
        (
            "File file:/home/eva/a.jar does not exist",
            "The node looked for file:/home/eva/a.jar on its own disk",
        ),
        (
            f"File does not exist: hdfs://nn/user/eva/.sparkStaging/{APPLICATION}/conf.zip",
            "lies in the staging folder of the application, which is deleted when",
        ),
    ],
)
def test_a_master_that_was_not_started_is_told_with_its_reason(
    tmp_path: Path, reason: str, says: str
) -> None:
    told = _told(tmp_path, f"{MASTER}\nDiagnostics: {reason}")

    assert "was not started when it was tried for the last time" in told
    assert says in told


def test_only_of_its_first_attempt_it_is_known_that_no_task_ran(tmp_path: Path) -> None:
    first = MASTER.replace("000002", "000001").replace("2 times", "1 times")

    assert "was never started, so no task of the job ran" in _told(tmp_path, f"{first}\n{GONE}")
    assert "so no task" not in _told(tmp_path, f"{MASTER}\n{GONE}")


def test_without_a_reason_none_is_told(tmp_path: Path) -> None:
    told = _told(tmp_path, f"{MASTER}\n{TRACKING}")

    assert "for the reason that stands behind the code. No process" in told
    assert "was written again" not in told


def test_the_container_of_a_task_as_well(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        "24/03/01 10:11:16 INFO mapreduce.Job: Task Id : attempt_1700000000000_0005_m_000000_0, "
        "Status : FAILED\nContainer container_1700000000000_0005_01_000002 exited with  exitCode: "
        f"-1000\n{DENIED}",
    )

    assert "HDFS did not let the user eva pass through the folder /private" in told


def test_an_input_file_that_is_gone_is_no_file_of_a_container(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        "24/03/01 10:11:16 INFO mapreduce.Job: Task Id : attempt_1700000000000_0005_m_000000_0, "
        "Status : FAILED\nError: java.io.FileNotFoundException: File does not exist: /in/part-3\n"
        "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:164)",
    )

    assert "The node did not find" not in told


REFUSED = "File /out/part-0 could only be written to 0 of the 1 minReplication nodes. There are "


@pytest.mark.parametrize(
    ("counts", "says", "not_said"),
    [
        ("3 datanode(s) running and 3 node(s)", "the NameNode and not the DataNodes", "chose none"),
        (
            "1 datanode(s) running and 1 node(s)",
            "The one that was running had been excluded",
            "All",
        ),
        ("4 datanode(s) running and no node(s)", "the client had excluded none", "hostname"),
        ("4 datanode(s) running and 2 node(s)", "the client had excluded 2 of them", "hostname"),
        ("0 datanode(s) running and no node(s)", "no DataNode was running", "hostname"),
        ("0 datanode(s) running and 0 node(s)", "Incompatible clusterIDs", "hostname"),
    ],
)
def test_who_excluded_the_datanodes_tells_where_to_look(
    tmp_path: Path, counts: str, says: str, not_said: str
) -> None:
    file = tmp_path / "pasted"
    file.write_text(f"put: {REFUSED}{counts} are excluded in this operation.\n")
    (said,) = found(file).answers

    assert says in said
    assert not_said not in said.partition("It is said in:")[0]


PIG = "org.apache.pig.backend.hadoop.executionengine.physicalLayer.relationalOperators.POFRJoin"


def _ran_out(words: str, *frames: str) -> str:
    return (
        "2024-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        f"child : java.lang.OutOfMemoryError: {words}\n"
        + "".join(f"\tat {one}\n" for one in frames)
        + "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:164)\n"
    )


@pytest.mark.parametrize("words", ["Java heap space", "GC overhead limit exceeded"])
def test_the_relation_of_a_replicated_join_comes_before_what_is_true_of_any_heap(
    tmp_path: Path, words: str
) -> None:
    told = _told(
        tmp_path,
        _ran_out(
            words,
            "java.util.HashMap.resize(HashMap.java:704)",
            "java.util.HashMap.put(HashMap.java:612)",
            f"{PIG}.setUpHashMap(POFRJoin.java:382)",
        ),
    )

    assert "JOIN ... USING 'replicated'" in told.partition("WHAT THE MESSAGE SAYS")[0]
    assert "HashMap was being enlarged" not in told


def test_a_collection_of_the_users_function_in_pig_is_told_as_one(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        _ran_out(
            "Java heap space",
            "java.util.HashMap.resize(HashMap.java:704)",
            "java.util.HashMap.put(HashMap.java:612)",
            "com.example.Distinct.exec(Distinct.java:31)",
            f"{PIG}.getNextTuple(POFRJoin.java:382)",
        ),
    )

    assert "HashMap was being enlarged for com.example.Distinct.exec" in told
    assert "'replicated'" not in told


def test_where_no_table_is_loaded_the_collector_is_told_first(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        _ran_out("GC overhead limit exceeded", f"{PIG}.getNextTuple(POFRJoin.java:243)"),
    )

    assert "The collector gave up because the heap was full" in told
    assert "'replicated'" not in told
