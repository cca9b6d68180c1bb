"""The processes of a killed container, from the words of a node manager."""

from __future__ import annotations

import math

import pytest

from mprof.trace.container import ContainerEnd, is_interpreter, parse_container_end, program_of
from mprof.units import GIB

CHILD = "org.apache.hadoop.mapred.YarnChild 127.0.0.1 4711 attempt_1_0001_m_000000_0 2"


def killed(used: str, *rows: tuple[int, int, str, int, str]) -> ContainerEnd:
    """Rows: pid, parent, name, pages, command line."""
    tree = "\n".join(
        f"\t|- {pid} {parent} 1 1 ({name}) 9 8 1000000 {pages} {command}"
        for pid, parent, name, pages, command in rows
    )
    end = parse_container_end(
        "Container [pid=1] is running 5B beyond the 'PHYSICAL' memory limit. Current usage: "
        f"{used} of 512 MB physical memory used; 3.9 GB of 1.0 GB virtual memory used.\n{tree}\n"
    )
    assert end is not None
    return end


SHELL = (10, 9, "bash", 800, f"/bin/bash -c /jdk/bin/java -Xmx1g {CHILD} 1>/logs/stdout")
JVM = (11, 10, "java", 100_000, f"/jdk/bin/java -Xmx1g {CHILD}")


def test_the_jvm_of_the_task_is_told_from_its_shell_and_from_a_jvm_that_it_has_started() -> None:
    other = (12, 11, "java", 2000, "java -cp tool.jar com.x.Tool")
    assert [one.is_task for one in killed("400 MB", SHELL, JVM, other).processes] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("/usr/bin/python3 /cache/mapper.py --password hunter2", "python3 mapper.py"),
        ("perl -w -e secret", "perl"),
        ("/opt/tool/bin/convert secret-token", "convert"),
        ("", "name"),
    ],
)
def test_a_process_is_named_by_program_and_script_and_no_argument_is_kept(
    command: str, program: str
) -> None:
    (process,) = killed("1 MB", (5, 4, "name", 256, command)).processes
    assert process.program == program
    assert "hunter2" not in repr(process)
    assert "secret" not in repr(process)


@pytest.mark.parametrize("kilobytes", [4, 16, 64])
def test_the_size_of_a_page_is_that_which_the_reported_use_has(kilobytes: int) -> None:
    end = killed(f"{100_800 * kilobytes / 1024:.1f} MB", SHELL, JVM)
    assert [one.resident_bytes for one in end.processes] == [
        800 * kilobytes * 1024,
        100_000 * kilobytes * 1024,
    ]


def test_a_process_that_has_just_been_started_has_no_pages_and_no_fewer() -> None:
    parent = (4, 3, "sh", 256, "sh run.sh")
    _, process = killed("1 MB", parent, (5, 4, "awk", -1, "awk {print}")).processes
    assert process.resident_bytes == 0


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("/usr/bin/python3 /nm/usercache/x/map.py --key s3cret", "python3 map.py"),
        ("python3 -u map.py", "python3"),
        ("TOKEN=abc.de OTHER=x python3.11 map.py", "python3.11 map.py"),
        ("curl https://user:word@host.example/x.py", "curl"),
        ("./map.py pass.word", "map.py"),
        ("TOKEN=abc", ""),
        ("", ""),
    ],
)
def test_of_a_command_the_program_and_its_script_are_kept_and_no_argument(
    command: str, program: str
) -> None:
    assert program_of(command) == program


def test_an_interpreter_alone_may_run_any_script() -> None:
    assert is_interpreter("python3.11")
    assert not is_interpreter("python3 map.py")
    assert not is_interpreter("pythonize")


def test_the_heap_of_the_task_is_read_in_the_process_tree_and_nothing_else_of_its_command() -> None:
    shell = "bash -c /bin/java -Xmx64m YarnChild"
    java = "/bin/java -Xmx512m -Dpassword=secret -Xmx1024m org.apache.hadoop.mapred.YarnChild 1"
    end = parse_container_end(
        "Container [pid=1,containerID=container_1_0001_01_000002] is running beyond physical"
        " memory limits. Current usage: 1.0 GB of 1 GB physical memory used; 2.7 GB of 2.1 GB"
        " virtual memory used. Killing container.\n"
        f"\t|- 1 0 1 1 (bash) 0 0 1024 20 {shell}\n"
        f"\t|- 2 1 1 1 (java) 910 80 2899102924 262100 {java}\n"
    )

    assert end is not None
    assert end.task_heap_bytes == 1024 * 1024 * 1024
    assert end.processes[0].heap_max_bytes is None
    assert "secret" not in repr(end)


def test_the_limit_of_a_whole_node_of_hadoop_1_is_one_of_virtual_memory() -> None:
    # TaskMemoryManagerThread.killTasksWithLeastProgress, Hadoop 1.2
    end = parse_container_end(
        "Killing one of the least progress tasks - attempt_201301010000_0001_m_000000_0, as the"
        " cumulative memory usage of all the tasks on the TaskTracker w1 exceeds virtual memory"
        " limit 4294967296."
    )

    assert end is not None
    assert end.limit == "virtual"


@pytest.mark.parametrize(
    ("physical", "virtual", "limit"),
    [
        ("1.1 GB of 1 GB", "1.9 GB of 2.1 GB", "physical"),
        ("0.4 GB of 1 GB", "2.3 GB of 2.1 GB", "virtual"),
        ("0.4 GB of 1 GB", "1 GB of 2.1 GB", None),
    ],
)
def test_where_the_words_before_the_sizes_are_cut_off_the_sizes_tell_the_limit(
    physical: str, virtual: str, limit: str | None
) -> None:
    end = parse_container_end(
        f"usage: {physical} physical memory used; {virtual} virtual memory used. Killing container."
        "\nContainer exited with a non-zero exit code 143"
    )
    assert end is not None
    assert (limit, 143) == (end.limit, end.exit_code)


def test_of_a_list_that_is_cut_off_no_process_counts_and_the_heap_of_a_task_stays() -> None:
    java = "java -Xmx256m org.apache.hadoop.mapred.YarnChild 10.0.0.1 4 attempt_1_1_m_000001_0 5"
    task = killed("10 GB", (5, 4, "java", 65536, java))
    other = killed("10 GB", (5, 4, "java", 65536, "java -Xmx256m com.acme.Helper"))

    assert task.processes == ()
    assert task.task_heap_bytes == 256 << 20
    assert other.processes == ()
    assert other.task_heap_bytes is None  # it may be any of those that are gone


_BEYOND = (
    "Container [pid=1,containerID=container_1700000000000_0001_01_000002] is running {bytes}B "
    "beyond the 'PHYSICAL' memory limit. Current usage: {used} of 3 GB physical memory used; "
    "4.9 GB of 6.3 GB virtual memory used. Killing container.\n"
)


@pytest.mark.parametrize(
    ("beyond", "used", "exact", "rounding"),
    [
        (79761408, "3.1 GB", 3 * GIB + 79761408, 0),
        (41299968, "3.0 GB", 3 * GIB + 41299968, 0),
        (79761408, "5.1 GB", round(5.1 * GIB), math.ceil(GIB / 20)),  # which contradict each other
    ],
)
def test_the_bytes_beyond_a_limit_say_what_was_used(
    beyond: int, used: str, exact: int, rounding: int
) -> None:
    end = parse_container_end(_BEYOND.format(bytes=beyond, used=used))

    assert end is not None
    assert (end.physical_used_bytes, end.rounding_bytes) == (exact, rounding)


def test_the_pages_of_the_processes_say_what_was_used() -> None:
    rows = (
        "\t|- 2 1 1 1 (java) 1 1 5243047936 805203 /usr/bin/java -Xmx2764m "
        "org.apache.hadoop.mapred.YarnChild 10.0.0.1 1 attempt_1700000000000_0001_r_000006_0 2\n"
        "\t|- 1 0 1 1 (bash) 0 1 9797632 702 /bin/bash -c /usr/bin/java -Xmx2764m\n"
    )
    text = _BEYOND.format(bytes=1, used="3.1 GB").replace(" 1B beyond the", " beyond the")

    end = parse_container_end(
        f"{text}Dump of the process-tree for container_1700000000000_0001_01_000002 :\n{rows}"
    )

    assert end is not None
    assert (end.physical_used_bytes, end.rounding_bytes) == ((805203 + 702) * 4096, 0)


_OF_ONE = (
    "Container [pid=10,containerID=container_1700000000000_0001_01_000002] is running beyond "
    "physical memory limits. Current usage: {used} of 2 GB physical memory used; 3.1 GB of 4.2 GB "
    "virtual memory used. Killing container.\n"
    "Dump of the process-tree for container_1700000000000_0001_01_000002 :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
)


def _of_list(*rows: str, used: str = "2.0 GB") -> ContainerEnd:
    end = parse_container_end(_OF_ONE.format(used=used) + "".join(f"\t|- {one}\n" for one in rows))
    assert end is not None
    return end


_BASH = "10 9 10 10 (bash) 1 1 9000000 300"
_COMMAND = "/bin/bash -c /jdk/bin/java -Xmx300m -Dx=1 -Xmx1500m"


@pytest.mark.parametrize(
    ("row", "heap_mb"),
    [
        # of MapReduce, of Spark, and of what has a class path: all options of the JVM are there
        (f"{_BASH} {_COMMAND} -Djava.io.tmpdir=/t -Dmore=", 1500),
        (f"{_BASH} {_COMMAND} -classpath /a:/b com.x.Launc", 1500),
        (
            f"10 9 10 10 (bash) 1 1 9000000 300 {_COMMAND} org.apache.hadoop.mapred.YarnChild 1",
            1500,
        ),
        # another -Xmx may stand behind where it is cut
        (f"{_BASH} {_COMMAND} -Dmore=", None),
        # a shell that starts no JVM itself
        (
            "10 9 10 10 (bash) 1 1 9000000 300 /bin/bash -c ./run.sh -Xmx1500m -classpath /a b.C",
            None,
        ),
        ("10 9 10 10 (perl) 1 1 9000 300 perl x.pl /jdk/bin/java -Xmx1500m -classpath /a", None),
    ],
)
def test_where_the_row_of_the_jvm_is_cut_away_the_command_of_the_container_has_its_heap(
    row: str, heap_mb: int | None
) -> None:
    end = _of_list(row)

    assert end.processes == ()
    assert end.is_cut
    assert end.task_heap_bytes == (heap_mb << 20 if heap_mb else None)


def test_a_shell_that_another_process_has_started_is_not_the_containers_command() -> None:
    above = "10 9 10 10 (python) 1 1 9000000 300 python run.py"
    below = f"11 10 10 10 (bash) 1 1 9000000 300 {_COMMAND} -classpath /a b.C"

    assert _of_list(above, below).task_heap_bytes is None


def test_a_list_without_the_first_process_of_the_container_leaves_room_for_others() -> None:
    jvm = f"11 10 10 10 (java) 1 1 3000000000 520000 /jdk/bin/java -Xmx1500m {CHILD}"
    shell = f"10 9 10 10 (bash) 1 1 9000000 300 {_COMMAND} {CHILD}"
    rounding = math.ceil(GIB / 20)

    assert _of_list(jvm).unlisted_bytes == 2 * GIB + rounding - 520_000 * 4096
    assert _of_list(jvm, shell).unlisted_bytes == 0
    assert not _of_list(jvm, shell).is_cut
    # with both, a sum that is too small says that another is missing
    listed = 520_300 * 4096
    assert _of_list(jvm, shell, used="2.5 GB").unlisted_bytes == (
        round(2.5 * GIB) + rounding - listed
    )
