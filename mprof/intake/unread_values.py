"""Why Hadoop or Spark did not take a value that somebody gave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = [
    "BEHIND_ARGUMENTS", "FINAL", "IS_FINAL", "NO_SUCH_NAME", "OF_DRIVERS", "READS_NO_OPTIONS",
    "STANDING_BEFORE", "TOO_LATE", "is_behind_arguments", "is_not_read", "is_of_no_options",
    "reads_no_options",
]  # fmt: skip

BEHIND_ARGUMENTS: Final = (
    "it stands behind the program's own arguments, where Hadoop reads no options"
)

IS_FINAL: Final = "Hadoop logs that a file of the cluster sets it as final, and ignores this"

READS_NO_OPTIONS: Final = (
    "Hadoop warns that the driver does not parse its command-line options; one that implements "
    "Tool and runs through ToolRunner does"
)

STANDING_BEFORE: Final = ", where they stand before the program's own arguments"

TOO_LATE: Final = (
    "the program sets it, and the driver that runs the program has its heap by then; "
    "--driver-memory of spark-submit or PYSPARK_SUBMIT_ARGS sets it in time"
)

OF_DRIVERS: Final = re.compile(r"spark\.(?:yarn\.)?driver\.(?:memory\w*|extraJavaOptions)")

NO_SUCH_NAME: Final = "no property has that name, and nothing reads it; the nearest is "

_NOT_READ: Final = (BEHIND_ARGUMENTS, IS_FINAL, READS_NO_OPTIONS, TOO_LATE, NO_SUCH_NAME)


def is_of_no_options(why_not: str) -> bool:
    """Whether its driver reads no options at all."""
    return why_not.startswith(READS_NO_OPTIONS)


def is_not_read(why_not: str) -> bool:
    """Whether Hadoop itself did not take a value, which was then tried by nobody."""
    return why_not.startswith(_NOT_READ)


# org.apache.hadoop.mapreduce.JobResourceUploader, JobSubmitter, and JobClient of Hadoop 1
_NOT_PARSED: Final = re.compile(
    r"Hadoop command-line option parsing not performed|Use GenericOptionsParser for parsing the"
)

_OF_A_DRIVER: Final = re.compile(r"\b(?:hadoop|yarn)\s+jar\b")

_OF_A_SCRIPT: Final = re.compile(r"\W*(?:pig|hive|beeline|sqoop|oozie|mahout)\s")


def reads_no_options(lines: Sequence[str]) -> bool:
    """Whether the job's own driver left the options of its command unread, as Hadoop warns.

    Pig and Hive read theirs themselves, and the same is logged.
    """
    warned = any(_NOT_PARSED.search(line) for line in lines)
    of_driver = warned and any(_OF_A_DRIVER.search(line) for line in lines)
    return of_driver and not any(_OF_A_SCRIPT.match(line) for line in lines)


# org.apache.hadoop.conf.Configuration.loadProperty
FINAL: Final = re.compile(r"an attempt to override final parameter: ([\w.-]{1,200});")

_JAR: Final = re.compile(r"\b(?:hadoop|yarn)\s+jar\s+(\S+)\s+(.*)$")


def is_behind_arguments(line: str, name: str) -> bool:
    """Whether a -D of `hadoop jar` stands behind an argument of the program that it starts.

    ``GenericOptionsParser`` stops at the first word that is no option. The first word behind the
    jar may be the main class, or the name of an example.
    """
    command = _JAR.search(line)
    if command is None or "streaming" in command[1]:
        return False
    before = re.split(rf"-D\s?{re.escape(name)}=", command[2], maxsplit=1)[0].split()
    words = before[1:] if before and not before[0].startswith("-") else before
    of_an_option = False
    for word in words:
        if not of_an_option and not word.startswith("-"):
            return True
        of_an_option = word.startswith("-") and "=" not in word
    return False
