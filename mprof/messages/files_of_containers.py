"""A container that was never started, because its node could not fetch a file that it needs."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]


def _file_of_container(found: re.Match[str], _text: str) -> SaidOfEnd:
    path = found["changed"] or found["missing"] or found["local"]
    of_no_memory = "No process was started, so no memory had run out."
    if found["changed"] is not None:
        where = (
            " A path of file: is looked up on each node, whose copy has a time of its own: on HDFS "
            "there is one file."
            if path.startswith("file:")
            else ""
        )
        return SaidOfEnd(
            f"{path} was written again after the application was submitted: YARN notes the time "
            "of each file that a container needs, and a node refuses one of another time. "
            f"{of_no_memory}{where} Submit the application again, and write a new version to a "
            "new path, so that none is replaced that a running application uses.",
            f"hdfs dfs -ls {path} shows when it was written; its owner, or a deployment or a copy "
            "that runs at that time, replaced it.",
        )
    if path.startswith("file:"):
        return SaidOfEnd(
            f"The node looked for {path} on its own disk: the client took the local file system "
            f"for that of the cluster, and so uploaded nothing. {of_no_memory} fs.defaultFS "
            "(core-site.xml) was not read where the application was submitted, or the path itself "
            "is of one machine alone.",
            "echo $HADOOP_CONF_DIR, and hdfs getconf -confKey fs.defaultFS, on the machine that "
            "submits; a file that only that machine has is put on HDFS first.",
        )
    staged = _STAGED.search(path)
    if staged is None:
        return SaidOfEnd(
            f"The node did not find {path}, which the application asks for: it was deleted, moved "
            f"or never written. {of_no_memory}",
            f"hdfs dfs -ls {path}, as the user of the application.",
        )
    application = staged[1].replace("job_", "application_")
    return SaidOfEnd(
        f"The node did not find {path}: it lies in the staging folder of the application, which "
        "is deleted when the application ends. As a rule an attempt before had ended it already "
        "(of Spark, code that sets a local master, or that ends before it has a SparkContext), and "
        f"what failed there is the reason. {of_no_memory}",
        f"yarn logs -applicationId {application}: the end of the log of the first attempt's "
        "application master.",
    )


_STAGED: Final = re.compile(r"/\.(?:sparkStaging|staging)/((?:application|job)_\d{12,13}_\d{3,9})/")
_BY_LOCALIZER: Final = "org.apache.hadoop.yarn.util.FSDownload"

ENDS: Final = (
    KnownEnd(
        id="file_of_container_refused",
        title="A file that a container needs is missing or was changed",
        words=(
            r"Resource (?P<changed>\S{1,500}) changed on src filesystem|"
            r"File does not exist: (?P<missing>(?!file:)\S{1,500}[^\s.,;])|"
            r"File (?P<local>file:/\S{1,500}) does not exist"
        ),
        engine=r"\bFSDownload\b|exit(?:ed with +exitCode|Status| status|Code): ?-1000\b|"
        r"changed on src filesystem",
        says=_file_of_container,
        first="A node could not fetch a file that the container needs, and started no process.",
        means=(
            "Before a container starts, its node copies the files of the application to a local "
            "disk (localization). Each is named with its time of change at the submission. One "
            "that is gone, or has another time, ends the container with -1000."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "The file, and when it is replaced. A staging folder goes with its application: an "
            "attempt that finds it gone has another one before it that ended. A path of `file:` is "
            "of each node's own disk: `fs.defaultFS` was not read where it was submitted."
        ),
        more="`hdfs dfs -ls PATH`; the log of the first attempt (`yarn logs -applicationId ID`).",
        next_step="hdfs dfs -ls PATH, as the user of the application.",
        sources=(
            Source(
                "2.2 to 3.5",
                f"{_BY_LOCALIZER}.copy",
                "Resource PATH changed on src filesystem",
            ),
            Source("2.2 to 3.5", f"{_BY_LOCALIZER}.copy", "File does not exist: "),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.fs.RawLocalFileSystem",
                "File file:PATH does not exist",
            ),
        ),
    ),
)
