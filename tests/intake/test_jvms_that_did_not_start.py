"""A JVM that refused to start: its words say why, wherever they stand beside the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1710000000000_0033"
_FAILED = f"Task Id : attempt_{_ID}_r_000002_0, Status : FAILED\n"
_LAUNCH = (
    "Exception from container-launch.\n"
    f"Container id: container_{_ID}_01_000009\nExit code: 1\n"
    "Stack trace: ExitCodeException exitCode=1:\n"
    "\tat org.apache.hadoop.util.Shell.runCommand(Shell.java:545)\n\n"
    "Container exited with a non-zero exit code 1\n"
)
_LAST = "Error: Could not create the Java Virtual Machine.\n"
REFUSED = {
    "a unit that is none": ("Invalid initial heap size: -Xms2gb\n", "does not take -Xms2gb"),
    "an option it does not know": (
        "Unrecognized VM option 'PrintGCDateStamps'\n",
        "knows no option PrintGCDateStamps",
    ),
    "an option of the launcher": ("Unrecognized option: -Xlogg:gc\n", "knows no option -Xlogg:gc"),
    "two collectors": ("Multiple garbage collectors selected\n", "more than one collector"),
    "too much at first": (
        (
            "Error occurred during initialization of VM\n"
            "Incompatible initial and maximum heap sizes specified\n"
        ),
        "(-Xms) is larger than the maximum (-Xmx)",
    ),
    "another Java": (
        (
            'Exception in thread "main" java.lang.UnsupportedClassVersionError: a/B has been '
            "compiled by a more recent version of the Java Runtime (class file version 61.0), this "
            "version of the Java Runtime only recognizes class file versions up to 55.0\n"
        ),
        "The class a.B is compiled for Java 17, and the JVM that was to run it is of Java 11",
    ),
    "an option without its dash": (
        "Error: Could not find or load main class Xms300m\n",
        "java took Xms300m for the name of the class",
    ),
    "too small": ("Too small maximum heap\n", "the heap that its options ask for is too small"),
    "no room": (
        (
            "Error occurred during initialization of VM\n"
            "Could not reserve enough space for 5242880KB object heap\n"
        ),
        "5.0 GB, could not be reserved",
    ),
}


@pytest.mark.parametrize("words", REFUSED)
@pytest.mark.parametrize("form", ["below the launch", "above the console", "alone"])
def test_the_words_of_a_jvm_say_why_an_attempt_did_not_start(
    words: str, form: str, tmp_path: Path
) -> None:
    said, told = REFUSED[words]
    text = {
        "below the launch": f"{_FAILED}{_LAUNCH}\nstdout on that node:\n\n{said}{_LAST}",
        "above the console": f"stderr of one:\n\n{said}{_LAST}\nconsole:\n{_FAILED}{_LAUNCH}",
        "alone": f"{_FAILED}{said}{_LAST}",
    }[form]

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["native" if words == "no room" else "not-memory"]
    assert told in report
    assert "attempt_1710000000000_0033_r_000002_0" in report
    assert "The exit code alone" not in report
    assert ("nothing points to memory" in report) <= (words != "no room")


@pytest.mark.parametrize(
    "end",
    [
        f"{_FAILED}Error: java.lang.OutOfMemoryError: Java heap space\n",
        f"{_FAILED}Container exited with a non-zero exit code 137\n",
        (
            f"{_FAILED}Error: java.lang.IllegalStateException: no such column\n"
            "\tat com.example.Columns.of(Columns.java:12)\n"
        ),
    ],
)
def test_an_attempt_that_ended_otherwise_did_start(end: str, tmp_path: Path) -> None:
    text = f"On my laptop java says\n\nUnrecognized VM option 'UseZZZGC'\n{_LAST}\n{end}"

    _, report = told_of(tmp_path, text)

    assert "The message was: Unrecognized" not in report
    assert "failed. The JVM did not start" not in report


def test_a_jvm_of_32_bits_in_the_text_is_named(tmp_path: Path) -> None:
    refused = REFUSED["no room"][0]
    narrow = "OpenJDK Server VM (build 25.181-b13, mixed mode)"

    _, report = told_of(tmp_path, f"{_FAILED}{_LAUNCH}\n{refused}\n$ java -version\n{narrow}\n")
    wide = narrow.replace("OpenJDK", "OpenJDK 64-Bit")
    _, of_wide = told_of(tmp_path, f"{_FAILED}{_LAUNCH}\n{refused}\n$ java -version\n{wide}\n")

    assert f"no 64-bit one ({narrow})" in report
    assert "suggested by the message" in report
    assert "no 64-bit one" not in of_wide


_MASTER = (
    f"Application application_{_ID} failed 2 times due to AM Container for "
    f"appattempt_{_ID}_000002 exited with  exitCode: {{code}}\n"
)


def test_the_words_of_its_jvm_say_why_an_application_master_did_not_start(tmp_path: Path) -> None:
    text = f"{_MASTER.format(code=1)}Its stderr:\nUnrecognized VM option 'MaxPermSise=64m'\n"

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["application-master"]
    assert "knows no option MaxPermSise=64m" in report


def test_what_ended_an_application_master_stands_in_its_own_log(tmp_path: Path) -> None:
    text = (
        f"{_MASTER.format(code=255)}its log:\n"
        "2024-03-09 10:00:01,000 FATAL [eventHandlingThread] "
        "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler: Thread "
        "Thread[eventHandlingThread,5,main] threw an Error.  Shutting down now...\n"
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:2013)\n"
    )

    kinds, report = told_of(tmp_path, text)
    _, without = told_of(tmp_path, text.replace("threw an Error", "is slow"))

    assert kinds == ["application-master"]
    assert "It ran out of memory" in report
    assert "ran out of memory" not in without


@pytest.mark.parametrize("at", ["due to ", "AM ", "Container ", "failed ", "exited ", "with  "])
def test_a_mail_breaks_what_is_said_of_an_application_master(at: str, tmp_path: Path) -> None:
    whole = (
        f"{_MASTER.format(code=-103)}Diagnostics: Container [pid=6,containerID=container_{_ID}_02_"
        "000001] is running beyond virtual memory limits. Current usage: 99.0 MB of 1 GB physical "
        "memory used; 2.4 GB of 2.1 GB virtual memory used. Killing container.\n"
    )
    head, behind = whole.split(at, 1)

    kinds, report = told_of(tmp_path, f"{head}{at.rstrip()}\n{behind}")

    assert kinds == ["application-master"]
    assert "A task of job" not in report
