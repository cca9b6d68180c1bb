"""Notes about deaths: a line of a log among bullets, what they say to set, in which place."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.settings import stated_in
from mprof.intake.translated import in_english

_ROOM = "mapreduce.map.memory.mb"


def _against(text: str) -> list[str]:
    lines = [*in_english([*enumerate(text.split("\n"), 1)])]
    return [one.why_not for one in stated_in(lines)]


@pytest.mark.parametrize(
    ("above", "is_told"),
    [
        ("在 hive 脚本里设置\uff08只对当前会话有效\uff09\uff1a", True),
        ("在mapred-site.xml里加两个属性\uff1a", True),
        ("在 mapred-site.xml 中添加\uff1a", True),
        ("我在 mapred-site.xml 里加了\uff1a", False),
        ("在 mapred-site.xml 里的设置如下\uff1a", False),
        ("之前在 mapred-site.xml 里设置\uff1a", False),
    ],
)
def test_what_is_to_be_set_in_a_place_was_not_set_yet(above: str, *, is_told: bool) -> None:
    against = _against(f"{above}\n{_ROOM}=6144")

    assert (against == ['"set ..."'] or against == ['"add ..."']) is is_told


def test_a_note_in_chinese_proposes_what_it_says_to_set(tmp_path: Path) -> None:
    text = (
        "### 5. Hive 计算时内存溢出\n\n"
        "* `FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
        "java.lang.OutOfMemoryError GC overhead limit exceeded`\n\n"
        f"```\n在 hive 脚本里设置\uff08只对当前会话有效\uff09\uff1a\nset {_ROOM}=6144;\n```\n"
    )

    _, report = told_of(tmp_path, text)

    assert "spent nearly all its time collecting garbage" in report
    assert f"The text itself proposes {_ROOM}=6144" in report
    assert "12288" not in report


def test_the_address_before_settings_says_nothing_of_them() -> None:
    settings = f"jdbc:hive2://hs2.example.com:10000/default?{_ROOM}=3809;hive.exec.parallel=true"

    assert _against(settings) == [""]
    assert _against(f"The default is {_ROOM}=3809") == ['"default"']


def test_a_task_of_0_20_logs_as_its_server_does(tmp_path: Path) -> None:
    line = (
        "**FATAL org.apache.hadoop.mapred.TaskTracker: Error running child : "
        "java.lang.OutOfMemoryError: Java heap space**\n\nThe heap is too small.\n"
    )

    kinds, report = told_of(tmp_path, line)

    assert kinds == ["heap"]
    assert "The task ran out of heap space" in report
    assert "-Xmx in mapred.child.java.opts" in report
    assert "TaskTracker ran" not in report


def test_a_line_of_yarn_child_is_of_a_task_wherever_it_stands(tmp_path: Path) -> None:
    text = (
        "2. **Hive keeps crashing**\n\n    The following error appeared:\n\n        "
        "{}: Error running child : java.lang.OutOfMemoryError: Java heap space\n\n"
        f"    To overcome this I tried many things:\n\n          {_ROOM} = 3072\n"
    )

    _, report = told_of(tmp_path, text.format("org.apache.hadoop.mapred.YarnChild"))
    _, of_another = told_of(tmp_path, text.format("com.example.Launcher"))

    assert "The task ran out of heap space" in report
    assert f"The text itself proposes {_ROOM}=3072" in report
    assert "mprof cannot tell which process it was" in of_another


_SHUFFLE = (
    "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
    "fetcher#3\n\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)\n"
    "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(B.java:56)\n"
)
_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"


@pytest.mark.parametrize(
    "told",
    [
        "设置成值为0.1\uff0c就可以正常运行了\uff08设置成0.2\uff0c还是会抛同样的错\uff09",
        "I set it to 0.1 and it went through (set to 0.2, still the same error)",
    ],
)
def test_what_is_told_of_another_value_is_not_told_of_this_one(told: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_SHUFFLE}\n{_SHARE} is 0.7 by default.\n\n{told}\n")

    assert f"With {_SHARE}=0.1 it went through" in report
    assert f"Try: -D {_SHARE}=0.1 " in report
    assert f"{_SHARE}=0.2 it went through" not in report


def test_options_below_a_name_are_of_that_property() -> None:
    text = "`mapred.child.java.opts`\uff1a\n\ndefault -Xmx200m\n"

    (stated,) = stated_in([*enumerate(text.split("\n"), 1)])
    (of_none,) = stated_in([*enumerate(text.replace("opts`", "opts` or so`").split("\n"), 1)])

    assert stated.name == "mapred.child.java.opts"
    assert of_none.name == "-Xmx"


@pytest.mark.parametrize(
    ("above", "against"),
    [
        ("设置map内存大小\uff1a", '"should"'),
        ("设置如下\uff1a", ""),
        ("In the end, I opted to change the size of the container as follows:", '"opted to"'),
        ("What worked for me:", '"What worked for me"'),
        ("Our settings are:", ""),
    ],
)
def test_what_a_line_introduces_is_of_that_time(above: str, against: str) -> None:
    assert _against(f"{above}\n{_ROOM}=4096") == [against]


def test_a_remedy_has_the_name_that_the_text_calls_it_by(tmp_path: Path) -> None:
    text = (
        f"# OOM in mappers\n\n{_SHUFFLE}\n\n## Solution\n\nSET {{}}=64;\n\n"
        "Increase mapred.job.shuffle.merge.percent a little.\n"
    )

    _, old = told_of(tmp_path, text.format("mapred.reduce.tasks"))
    _, new = told_of(tmp_path, text.format("mapreduce.job.reduces"))

    assert "proposes mapred.reduce.tasks=64" in old
    assert "a larger mapred.job.shuffle.merge.percent, without a value" in old
    assert "proposes mapreduce.job.reduces=64" in new


def test_a_setting_that_avoids_the_error_was_not_set_when_it_came(tmp_path: Path) -> None:
    text = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.spark.broadcast.TorrentBroadcast$.blockifyObject(T.scala:259)\n"
        "\tat org.apache.spark.sql.execution.exchange.BroadcastExchangeExec.doPrepare(B.scala:1)\n"
        "\nSetting spark.sql.autoBroadcastJoinThreshold=-1 avoids it. --driver-memory is 4g.\n"
    )

    _, report = told_of(tmp_path, text)

    assert "proposes spark.sql.autoBroadcastJoinThreshold=-1; mprof has not checked that" in report
    assert "did not prevent it" not in report
    assert "spark.driver.memory=4g (line 5)" in report


def test_a_remedy_in_japanese_or_korean_is_seen_by_its_heading() -> None:
    assert _against(f"対処: {_ROOM}=2048 に設定する") == ['"solution"']
    assert _against(f"* 조치: `set {_ROOM}=2048;` 로 변경") == ['"solution"']
    assert _against(f"現在 {_ROOM}=2048 です") != ['"solution"']


def test_jvms_of_tests_and_of_tomcat_are_no_tasks(tmp_path: Path) -> None:
    error = "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    spark = "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:1)\n"
    thread = "[{}] INFO org.apache.spark.scheduler.DAGScheduler - Job 9 failed\n"
    web = "\tat org.apache.catalina.core.ContainerBase$ContainerBackgroundProcessor.run(C.java:1)\n"

    _, of_test = told_of(tmp_path, f"{thread.format('ScalaTest-main')}{error}{spark}")
    _, of_none = told_of(tmp_path, f"{thread.format('main')}{error}{spark}")
    _, of_tomcat = told_of(tmp_path, f"{error}{web}")

    assert "A program of Spark that a test run started (local mode)" in of_test
    assert "An executor of Spark" in of_none
    assert "A Tomcat server" in of_tomcat


def test_the_environment_of_a_client_is_proposed_for_it(tmp_path: Path) -> None:
    text = (
        'Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded\n'
        "\tat org.apache.hive.beeline.BufferedRows.<init>(BufferedRows.java:42)\n"
        "\tat org.apache.hive.beeline.BeeLine.print(BeeLine.java:1811)\n\n"
        "Solution:\n\nexport HIVE_OPTS=-Xmx1024M\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The text itself proposes HIVE_OPTS=-Xmx1024M" in report
    assert "--incremental=true" in report


def test_what_helped_is_seen_in_a_section_of_advice_too(tmp_path: Path) -> None:
    text = (
        f"{_SHUFFLE}\n## 解决方法\n\n因此\uff0c我将{_SHARE}设置成值为0.1\uff0c"
        "就可以正常运行了\uff08设置成0.2\uff0c还是会抛同样的错\uff09\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"With {_SHARE}=0.1 it went through" in report
    assert f"{_SHARE}=0.2 (line 8: the text says that it died with it as well)" in report


@pytest.mark.parametrize(
    "told",
    ["方案2\uff1a将map内存增大至8G\uff0c解决。", "map memory raised to 8G, which solved it."],
)
def test_the_memory_of_a_side_is_raised_in_words(told: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"Error: Java heap space\n\n{told}\n")

    assert f"The text itself proposes {_ROOM}=8192" in report


def test_what_an_enclosing_error_shows_of_the_stack_is_known(tmp_path: Path) -> None:
    text = (
        "org.apache.thrift.TException: Error in calling method FetchResults\n"
        "\tat org.apache.hive.beeline.BufferedRows.<init>(BufferedRows.java:42)\n"
        "\tat org.apache.hive.beeline.BeeLine.main(BeeLine.java:469)\n"
        "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.thrift.transport.TTransport.readAll(TTransport.java:86)\n"
        "\t... 2 more\n\nSolution: in component\\_env add export HIVE\\_OPTS=-Xmx1024M\n"
    )

    _, report = told_of(tmp_path, text)

    assert "--incremental=true" in report
    assert "HIVE_OPTS=-Xmx1024M" in report


@pytest.mark.parametrize("head", ["Fix", "Solution", "How to solve", "解决办法"])
def test_a_column_of_remedies_is_one(head: str) -> None:
    table = (
        f"| Error | Cause | {head} |\n|---|---|---|\n"
        f"| Java heap space | small heap | {_ROOM}=4096 |\n"
    )

    assert _against(table) == ['"Solution"']
    assert _against(table.replace(head, "Where")) == [""]


def test_a_column_of_remedies_may_be_the_second_of_two() -> None:
    table = f"| Error | Fix |\n|---|---|\n| Java heap space | {_ROOM}=4096 |\n"

    assert _against(table) == ['"Solution"']


@pytest.mark.parametrize(
    "told",
    [
        "I raised {0} from 1024 to 3072, but the error remains.",
        "Es ist nicht mit allen so. Ich habe {0} von 1024 auf 3072 erhöht, der Fehler bleibt.",
        "Il est avec les autres. J'ai augmenté {0} de 1024 à 3072, le problème persiste.",
    ],
)
def test_an_error_that_remains_came_again(told: str) -> None:
    lines = [*in_english([(1, told.format(_ROOM))])]

    assert {(one.value, one.outcome) for one in stated_in(lines)} >= {("3072", "died")}


def test_what_a_refusal_names_is_proposed_for_it(tmp_path: Path) -> None:
    refused = (
        "java.lang.IllegalArgumentException: Required executor memory (4096+384 MB) is above the "
        "max threshold (3072 MB) of this cluster! Please check the values of "
        "'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.\n"
    )

    _, report = told_of(
        tmp_path, f"{refused}\nI fixed it with yarn.nodemanager.resource.memory-mb=8192.\n"
    )

    assert "The text itself proposes yarn.nodemanager.resource.memory-mb=8192" in report
