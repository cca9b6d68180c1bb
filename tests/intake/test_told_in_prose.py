"""Ends that somebody tells in sentences alone: of which kind, of whose task, and what is denied."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.in_prose import told_end

TOLD = {
    "a list and its subject": (
        "Subject: java heap space in the last step\n\nAll our reducers end with Java heap space.\n",
        "heap", "reduce",
    ),
    "a page of YARN": (
        'Every map attempt is killed. The container is beyond its limit, "1.7 GB of 1.5 GB"\n',
        "container-physical", "map",
    ),
    "both kinds in one sentence": (
        "The maps are fine and the reducers are not: GC overhead limit exceeded.\n",
        "gc-overhead", None,
    ),
    "virtual memory": (
        "yarn kills the container, 3.3 GB of 3.1 GB virtual memory, of each mapper\n",
        "container-virtual", "map",
    ),
    "Chinese": (
        "executor 被杀掉了，container 超出内存限制，用了 11.3 GB，上限是 11 GB，怎么办\n",  # noqa: RUF001
        "container-physical", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_the_kind_and_the_side_of_an_end_in_prose(text: str, tmp_path: Path) -> None:
    words, kind, side = TOLD[text]
    told = told_end(words.split("\n"))

    kinds, report = told_of(tmp_path, words)

    assert told is not None
    assert told.side == side
    assert kinds == [kind]
    assert "The text says:" in report
    assert "If a process ended so:" in report


NOT_TOLD = (
    "It is not the usual Java heap space error.",
    "日志里也没有任何 OutOfMemoryError。",
    "Es gibt keine OutOfMemoryError in den Logs.",
    "Não vi OutOfMemoryError nos logs.",
    "Termina sin OutOfMemoryError en los logs.",
    "Le journal est sans OutOfMemoryError.",
    "The container used 0.8 GB of 1 GB when it was killed by us.",
    "2.5 GB of 2 GB is what the file takes beside its copy.",
    "We moved 3 GB of 2 GB files, and yarn ran well.",
)


@pytest.mark.parametrize("sentence", NOT_TOLD)
def test_what_is_denied_or_of_something_else_is_no_end(sentence: str) -> None:
    assert told_end([sentence]) is None


def test_the_heap_is_that_of_the_side_that_died(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "mapreduce.map.java.opts=-Xmx900m, mapreduce.reduce.java.opts=-Xmx2600m\n\n"
        'The last reducer says "Java heap space" again and again. The other 23 reducers are done '
        "in minutes.\n",
    )

    assert "The heap was full (-Xmx2600m" in report
    assert "one reducer is left" in report
    assert "-Xmx900m" not in report.partition("GAPS")[0]


ONE_OF_MANY = {
    "the other 23 are fine": True,
    "39 of 40 reducers are done, one dies": True,
    "all other reducers finish": True,
    "wait until the other 23 reducers are done": False,
    "the other 3 mappers are fine": False,
    "all reducers are done": False,
}


@pytest.mark.parametrize("words", ONE_OF_MANY)
def test_that_one_reducer_is_left(words: str, tmp_path: Path) -> None:
    of = "mappers" if "mappers" in words else "reducers"
    _, report = told_of(tmp_path, f"Java heap space in one of my {of}. But {words}.\n")

    assert ("one reducer is left" in report) is ONE_OF_MANY[words]


_SCRIPT = "j = JOIN zips BY zip, hits BY zip USING 'replicated';\n"


def test_the_order_of_a_replicated_join(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"All mappers die, GC overhead limit exceeded.\n\n{_SCRIPT}")

    assert "loads every relation but the first, hits, whole into its heap" in report
    assert "where that is not zips, change the order" in report


def test_a_join_that_is_not_replicated_says_nothing(tmp_path: Path) -> None:
    script = _SCRIPT.replace(" USING 'replicated'", "")

    _, report = told_of(tmp_path, f"All mappers die, GC overhead limit exceeded.\n\n{script}")

    assert "replicated" not in report


@pytest.mark.parametrize(("rows", "is_said"), [(3000, True), (100, False)])
def test_rows_of_a_scan(rows: int, *, is_said: bool, tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"Our HBase job (TableMapper, setCaching({rows})) dies in the map tasks: heap space.\n",
    )

    assert (f"sets {rows:,} rows at once" in report) is is_said
    assert "on its stack" not in report


def test_a_queue_that_refuses_an_application(tmp_path: Path) -> None:
    kinds, report = told_of(
        tmp_path,
        "WARN Error starting action [load]. Message [JA009: Failed to submit "
        "application_1519000000000_0004 to YARN : "
        "org.apache.hadoop.security.AccessControlException: User ida cannot submit applications to "
        "queue root.night]\n",
    )

    assert kinds == ["not-memory"]
    assert "yarn.scheduler.capacity.root.night.acl_submit_applications" in report


def test_what_is_known_to_cure_such_code_stands_before_first_aid(tmp_path: Path) -> None:
    text = (
        "Our map tasks fail with Java heap space. The scan of HBase has setCaching(2000).\n"
        "mapreduce.map.java.opts=-Xmx1024m\n"
    )

    _, report = told_of(tmp_path, text)
    changes = report.partition("WHAT TO CHANGE")[2]

    cure = changes.index("fetch fewer rows at once")
    assert changes.index("If many rows of HBase in one fetch took the memory") < cure
    assert cure < changes.index("First aid")


def test_an_error_of_spark_that_is_only_named_has_its_meaning(tmp_path: Path) -> None:
    text = (
        "Our PySpark job reads 500 GB. Four hours in, it failed with an `OutOfMemoryError`.\n\n"
        'Later we used\n\n    .config("spark.executor.memory", "8g")\n'
    )

    _, report = told_of(tmp_path, text)

    assert "The message of the OutOfMemoryError, which says what was short, does not" in report
    assert "The heap of a process of Spark is set by spark.executor.memory" in report
    assert "in the log of that process." in report
    assert "yarn logs" not in report
    assert "was -Xmx" not in report


def test_a_driver_of_spark_that_a_text_names_is_one(tmp_path: Path) -> None:
    error = "java.lang.OutOfMemoryError: Java heap space\n"

    _, of_driver = told_of(
        tmp_path, f"A job of Spark. The driver is running out of memory.\n{error}"
    )
    _, of_none = told_of(tmp_path, f"A job of ours. The driver is running out of memory.\n{error}")

    assert "A driver or application master of Spark ran out of heap space" in of_driver
    assert "Spark ran out" not in of_none


@pytest.mark.parametrize(
    "broken", ["for\nexceeding", "for\n-- exceeding", "for exceeding memory\n>"]
)
def test_words_of_a_kill_are_read_across_lines(broken: str, tmp_path: Path) -> None:
    words = "Container killed by YARN for exceeding memory limits"
    cut = words.replace("for exceeding memory" if broken.endswith(">") else "for exceeding", broken)

    _, report = told_of(tmp_path, f'How do I resolve "{cut}" in our cluster?\n')

    assert "an executor of Spark" in report


def test_what_is_only_said_is_no_half_sentence(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, "What does exceeding memory limits mean, and which are they?\n")

    assert not report.endswith("If a process ended so:")


@pytest.mark.parametrize(
    ("sizes", "told"),
    [("14.9 GB of 14.5 GB", "14.9 GB of 14.5 GB"), ("8.1 GB of 8 GB", "8.1 GB of 8 GB")],
)
def test_sizes_of_a_kill_are_told_as_yarn_printed_them(
    sizes: str, told: str, tmp_path: Path
) -> None:
    killed = (
        "Reason: Container killed by YARN for exceeding memory limits. {} physical memory used."
    )

    _, report = told_of(tmp_path, f"ExecutorLostFailure (executor 7) {killed.format(sizes)}\n")

    assert f"It took {told}." in report


def test_nothing_is_proven_by_a_sentence(tmp_path: Path) -> None:
    text = "My executors of Spark had GC overhead limit exceeded with spark.executor.memory=2g.\n"

    _, report = told_of(tmp_path, text)

    assert "of Spark" in report
    assert "proven by the message" not in report.replace("suggested by the message, not proven", "")


def test_a_remedy_of_an_engine_is_repeated_where_no_process_is_known(tmp_path: Path) -> None:
    text = "## Symptom\n\n{}\n\n## Solution\n\nspark.executor.memory=20G\n"

    _, of_any = told_of(tmp_path, text.format("`java.lang.OutOfMemoryError` is thrown"))
    _, of_task = told_of(
        tmp_path, text.format("attempt_1700000000000_0001_m_000001_0: Error: Java heap space")
    )

    assert "The text itself proposes spark.executor.memory=20G" in of_any
    assert "The text itself proposes" not in of_task
