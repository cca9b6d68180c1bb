"""What a text gives as a remedy, in English or Chinese, is repeated and said to be unchecked."""

from __future__ import annotations

from pathlib import Path

import pytest
from intake.test_where_a_value_is_from import told_of

from mprof.intake.outcomes import outcome_of
from mprof.intake.sentences import without_examples
from mprof.intake.settings import is_remedy, stated_in
from mprof.intake.translated import in_english
from mprof.trace import Excerpt


def excerpt_of(text: str) -> Excerpt:
    return Excerpt(((1, tuple(text.split("\n"))),))


KILLED = (
    "ExecutorLostFailure (executor 4 exited caused by one of the running tasks) Reason: Container "
    "killed by YARN for exceeding memory limits. 6.0 GB of 6 GB physical memory used. Consider "
    "boosting spark.yarn.executor.memoryOverhead.\n"
)
REMEDY = "The text itself proposes spark.yarn.executor.memoryOverhead=2048"


@pytest.mark.parametrize(
    "below",
    [
        "\n## Solution\n\nspark.yarn.executor.memoryOverhead=2048\n",
        "\nIncrease spark.yarn.executor.memoryOverhead to 2048.\n",
        "\n# 解决办法\n\nspark.yarn.executor.memoryOverhead=2048\n",
        "\n# 问题解决\n\n配置如下\uff1a\n\nspark.yarn.executor.memoryOverhead=2048\n",
        "\n建议将 spark.yarn.executor.memoryOverhead 设置为 2048。\n",
    ],
)
def test_a_remedy_is_repeated(below: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, KILLED + below)

    assert REMEDY in report
    assert "has not checked that" in report


@pytest.mark.parametrize(
    "below",
    [
        "\nspark.yarn.executor.memoryOverhead=2048 did not solve it.\n",
        "\nDoes spark.yarn.executor.memoryOverhead=2048 solve it?\n",
        "\nI would like to set spark.yarn.executor.memoryOverhead to 2048.\n",
        "\nBefore the upgrade spark.yarn.executor.memoryOverhead was 2048.\n",
        "\nspark.yarn.executor.memoryOverhead=2048 should be raised.\n",
        "\n设置了 spark.yarn.executor.memoryOverhead=2048\uff0c还是报错。\n",
        "\n当前 spark.yarn.executor.memoryOverhead 为 2048。\n",
        # of the driver, and of its text files
        "\n## Solution\n\nspark.driver.memory=20g\n",
        "\n## Solution\n\nspark.executor.extraJavaOptions=-Dfile.encoding=utf-8\n",
        # in a chat, in mails, in a ticket: another may refute it below
        "\n[Tue 09:20] ann: set spark.executor.memoryOverhead=2048\n[Tue 09:21] bo: no effect\n",
        "\nFrom: Ann\n\nSet spark.executor.memoryOverhead=2048.\n\nFrom: Bo\n\nNever read.\n",
        "\n评论 #1\n\n建议 spark.executor.memoryOverhead=2048\n\n评论 #2\n\n没有用\n",
        # a row of what was tried
        "\nThings I tried so far:\n - set spark.executor.memoryOverhead=2048; it fails\n",
    ],
)
def test_what_is_no_remedy_of_it_is_not(below: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, KILLED + below)

    assert "proposes" not in report


def test_a_page_of_settings_is_no_remedy(tmp_path: Path) -> None:
    names = (
        "executor.memory",
        "executor.memoryOverhead",
        "executor.cores",
        "memory.fraction",
        "memory.storageFraction",
        "sql.shuffle.partitions",
    )
    page = "".join(f"spark.{one}=1\n" for one in names)
    of_no_memory = "spark.ui.port=1\n"

    _, report = told_of(tmp_path, f"{KILLED}\n## Solution\n\n{page}{of_no_memory}")
    _, longer = told_of(tmp_path, f"{KILLED}\n## Solution\n\n{page}spark.memory.offHeap.size=1\n")

    assert "The text itself proposes spark.executor.memory=1" in report
    assert "spark.ui.port=1," not in report
    assert "proposes" not in longer


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("我们把 spark.executor.memory 从 4g 调大到 8g", ("8g", False, "4g")),
        ("将 spark.executor.memory 设置为 8g", ("8g", True, None)),
        ("当前 spark.executor.memory 为 8g", ("8g", False, None)),
        ("可以把 spark.executor.memory 调到 8g", ("8g", True, None)),
        ("默认 spark.executor.memory 为 8g", ("8g", False, None)),
        ("由原来的 4g 改为 8g 的 spark.executor.memory=8g", ("8g", False, None)),
        ("spark.executor.memory 设置为 8g 就可以了", ("8g", True, None)),
        # a verb whose object stands before it, but no setting
        ("他们把任务停了 spark.executor.memory=8g", ("8g", False, None)),
    ],
)
def test_what_a_sentence_in_chinese_says(line: str, read: tuple[str, bool, str | None]) -> None:
    *_, one = stated_in(in_english([(1, line)]))

    assert (one.value, is_remedy(one), one.was) == read


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("运行成功", "passed"), ("恢复正常", "passed"), ("问题解决了", "passed"),
        ("不再报错", "passed"), ("没有成功", "died"), ("无法正常运行", "died"),
        ("问题没有解决", "died"), ("还是报错", "died"),
        ("提交成功", ""), ("正常情况下应该够用", ""),
    ],
)  # fmt: skip
def test_what_became_of_a_run_in_chinese(said: str, outcome: str) -> None:
    line = f"我们把 spark.executor.memory 从 4g 调大到 8g\uff0c{said}。"

    *_, one = stated_in(in_english([(1, line)]))

    assert (one.value, one.outcome) == ("8g", outcome)


def test_a_line_of_which_half_is_known_is_read() -> None:
    known, unknown = "内存不足", "峰谷波动"

    assert [*in_english([(1, f"{known}{unknown} X=8g")])] == [(1, "out of memory something X=8g")]
    unread = f"{known}{unknown}剧 X=8g"
    assert [*in_english([(1, unread)])] == [(1, unread)]


@pytest.mark.parametrize(
    "line",
    [
        # mostly of words that are not known, in Japanese, a heading, of a log
        "鉴于该团队预估的峰谷波动剧烈 spark.executor.memory=8g",
        "メモリを spark.executor.memory=8g に設定する",
        "## 设置 spark.executor.memory=8g",
        "2026-01-02 10:00:00 INFO 设置 spark.executor.memory=8g",
        "spark.executor.memory=8g",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert [*in_english([(7, line)])] == [(7, line)]


def test_what_went_through_in_chinese_leads(tmp_path: Path) -> None:
    text = f"{KILLED}\n第二次重跑\uff1aspark.yarn.executor.memoryOverhead=4096\uff0c06:38 成功。\n"

    _, report = told_of(tmp_path, text)

    assert "With spark.yarn.executor.memoryOverhead=4096 it went through" in report


def test_who_answers_ok_has_not_said_that_it_went_through(tmp_path: Path) -> None:
    chat = (
        "[Tue 09:04] marit: it died\n"
        f"{KILLED}"
        "[Tue 09:20] marit: ok trying --executor-memory 12g\n"
        "[Tue 11:48] marit: nope.\n"
    )

    _, report = told_of(tmp_path, chat)

    assert "went through" not in report


GUIDE = "This page collects messages.\n\n{}\n\n    Error: Java heap space\n\nThe next words.\n"


@pytest.mark.parametrize(
    ("introduced", "is_end"),
    [
        ("It has no room. Example:", False),
        ("示例\uff1a", False),
        ("The log of it:", True),
        ("Some of the maps die, for example:", True),
    ],
)
def test_what_a_page_shows_as_an_example_has_not_ended(introduced: str, is_end: bool) -> None:
    excerpt = excerpt_of(GUIDE.format(introduced))

    assert any("Java heap" in one for one in without_examples(excerpt).all_lines()) == is_end


def test_headings_of_a_page_that_lists_ends_are_none() -> None:
    both = "## 1. Java heap space\n\nA.\n\n## 2. GC overhead limit exceeded\n\nB.\n"

    assert [*filter(None, without_examples(excerpt_of(both)).all_lines())] == ["A.", "B."]
    assert "Java heap space" in "".join(
        without_examples(excerpt_of(both.replace("## 2", "2"))).all_lines()
    )


def test_what_a_jvm_prints_behind_number_signs_is_no_heading() -> None:
    printed = (
        '#\n# java.lang.OutOfMemoryError: Java heap space\n# -XX:OnOutOfMemoryError="kill %p"\n'
    )
    excerpt = excerpt_of(f"{printed}\n{printed}")

    assert without_examples(excerpt) is excerpt


ADVICE = (
    "[Tue 09:04] marit: it died again, --executor-memory 8g\n"
    f"{KILLED}"
    "[Wed 08:55] devrim: --executor-memory 6g --conf spark.executor.memoryOverhead=4g\n"
    "[Wed 08:56] devrim: and it is always task 61?\n"
    "[Wed 09:02] marit: did not check\n"
)


@pytest.mark.parametrize(
    ("said", "is_confirmed"),
    [
        ("both runs green, zero lost executors. thanks all", True),
        ("works now after filtering the null bucket", False),
        ("still the same", False),
    ],
)
def test_what_a_chat_confirms_leads_and_is_not_what_it_died_with(
    said: str, is_confirmed: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{ADVICE}[Thu 08:31] marit: {said}\n")

    leads = "With spark.executor.memory=6g and spark.executor.memoryOverhead=4g it went through"
    assert (leads in report) == is_confirmed
    assert not (is_confirmed and "has them: spark.executor.memory=6g" in report)


def test_the_asker_of_a_mail_confirms_what_the_answer_gives(tmp_path: Path) -> None:
    mails = (
        "From: Ruben\n\nAll maps die:\n\n"
        "Error: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:162)\n\n"
        "From: Moon\n\nYou need both:\n\n  SET mapreduce.map.memory.mb 4096;\n"
        "  SET mapreduce.map.java.opts '-Xmx3072m';\n\n"
        "From: Ruben\n\n> You need both\n\n"
        "Done, job_1409241077310_5644 finished: 212 maps, 0 failed, 18 min.\n"
    )

    _, report = told_of(tmp_path, mails)

    assert "it went through" in report
    assert "mapreduce.map.java.opts=-Xmx3072m" in report


def test_a_launcher_of_oozie_is_known_by_its_name_beside_the_job(tmp_path: Path) -> None:
    text = (
        'job_1483438510022_6109 is the launcher ("oozie:launcher:T=hive:W=wf-load:A=load"):\n\n'
        "Container [pid=27011,containerID=container_e30_1483438510022_6109_01_000002] is running "
        "beyond physical memory limits. Current usage: 1.5 GB of 1.5 GB physical memory used; "
        "3.0 GB of 3.1 GB virtual memory used. Killing container.\n"
        "Dump of the process-tree for container_e30_1483438510022_6109_01_000002 :\n"
        "\t|- 27025 27011 27011 27011 (java) 9120 644 3105931264 393911 /usr/bin/java -Xmx1228m "
        "org.apache.hadoop.mapred.YarnChild 10.44.2.18 40119 "
        "attempt_1483438510022_6109_m_000000_0 2\n"
    )

    _, report = told_of(tmp_path, text)

    assert "oozie.launcher.mapreduce.map.memory.mb=" in report
    assert "-D mapreduce.map.memory.mb" not in report


@pytest.mark.parametrize("end", ["then GC overhead limit exceeded", "then Java heap space"])
def test_what_died_of_the_words_of_the_jvm_was_tried_in_vain(end: str) -> None:
    assert outcome_of("I tried it with 8192", f" -> runs 50 minutes, {end}.") == "died"


@pytest.mark.parametrize("end", ["no killed attempts", "zero lost executors", "0 failed tasks"])
def test_no_killed_attempts_is_an_outcome(end: str) -> None:
    assert outcome_of("Ran last night with 3072", f": {end}.") == "passed"


def test_a_remedy_far_below_the_log_is_still_one(tmp_path: Path) -> None:
    log = "2025-12-16 19:15:55,464 INFO [main] org.example.Graph: loaded a part of it\n" * 300
    text = (
        f"## The log\n{log}"
        "2025-12-16 19:16:18,414 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        "child : java.lang.OutOfMemoryError: Java heap space\n\tat org.example.Graph.run(G.java)\n"
        "\tat org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:787)\n"
        f"{log}\n## Solution\n\n\n\n```bash\n# run it again\nhadoop jar graph.jar Graph \\\n"
        "-Dmapreduce.map.java.opts=-Xmx3600m \\\n-w 3\n```\n"
        f"{log}"
    )

    _, report = told_of(tmp_path, text)

    assert "it was -Xmx3600m" not in report
    assert "mapreduce.map.java.opts=-Xmx3600m (line" not in report.partition("values as")[2]


def test_a_heading_that_quotes_a_message_is_read_without_backslashes(tmp_path: Path) -> None:
    text = (
        "#### Q1: Total size of serialized results of 40 tasks \\(1041.3 MB\\) is bigger than "
        "spark.driver.maxResultSize \\(1024.0 MB\\)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The results that 40 tasks sent to the driver came to 1041.3 MB" in report
