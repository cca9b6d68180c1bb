"""Agent injection: a few properties of an overlay configuration start the agent in each task.

Every property was tried on Hadoop 3.4.3; a comment says what happens without it.
"""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from mprof.runs.capture import Mode
from mprof.runs.draw import in_share

__all__ = [
    "AGENT_JAR",
    "ARCHIVE",
    "ARCHIVES",
    "PATCHED_CLASSES",
    "PLAN_FILE",
    "AgentInjection",
    "archive_facts",
    "checksum",
    "checksum_in",
    "inject_agent",
    "profile_params",
    "settings_in",
    "task_profile",
]

AGENT_JAR = "mprof-agent.jar"
PLAN_FILE = "mprof.plan"
PATCHED_CLASSES = "mprof-patched.zip"
"""The agent looks for it beside its jar."""

ARCHIVE = "mprof.zip"
ARCHIVES = "mapreduce.job.cache.archives"
LINK = "mprof"
"""The archive is unpacked into a folder of this name in the working folder of each task.

It is shipped as a cache *archive*: in the list of cache files it would come before the user's own,
and code that takes the first entry of ``getCacheFiles()`` as its table would read the agent jar.
"""

_CHECKSUM = re.compile(r'cksum [^"]*"\s*=\s*"(\d+ \d+)"')
_OPTION = re.compile(rf"-javaagent:.*?{re.escape(AGENT_JAR)}=(.*)", re.DOTALL)
_ECHO = re.compile(r"&& echo (.*?) \|\| echo ", re.DOTALL)
_REFUSES = (
    """s=; { read -r -d '' s <"$0" || :; } 2>/dev/null; """
    "[[ $s == *AOTMode=[o]n* || -e $JAVA_HOME/lib/modules && "
    "! -e $JAVA_HOME/lib/libinstrument.so && ! -e $JAVA_HOME/lib/libinstrument.dylib ]]"
)
"""Whether the JVM that is to be started takes no agent: asked of the launch script, in which
this stands itself (so it must not match itself), and of the libraries of a JDK since 9, or of a
run-time image of `jlink`. Nothing but the shell's own words: no process is started for it.
"""
_REFUSED = (
    "mprof: not attached, because this JVM takes no agent "
    "(-XX:AOTMode is on, or it has no module java.instrument)"
)
_PLAIN = re.compile(r"[\w@%+=:,./-]*")
"""What no shell changes."""

_FOR_FIRST_ATTEMPTS = r"$(case $BASH_EXECUTION_STRING in (*\ attempt_*_0\ [0-9]*) echo {} ;; esac)"
"""For the second shell, whose command ends in the attempt's id and the JVM's number
(``MapReduceChildJVM``); no variable of the environment holds that id.
"""

TAG_PREFIX = "mprof-"

WHOLE_DUMPS = "-XX:+IgnoreUnrecognizedVMOptions -XX:-EliminateAllocations"
"""A local variable that C2 has replaced by its fields (scalar replacement) is not among the roots
of a HotSpot heap dump, and neither is what those fields hold: for a reducer that kept 95 MB in a
local variable, a dump showed 14 MB as reachable (JDK 17.0.15).
"""


@dataclass(frozen=True, slots=True)
class AgentInjection:
    """The configuration changes that inject the agent.

    Attributes:
        tag: the job tag that identifies the jobs the driver starts.
        overlay: properties to set.
        append: list properties to add one value to.
    """

    tag: str
    overlay: dict[str, str]
    append: dict[str, str]


_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def checksum(content: bytes) -> str:
    """Checksum and length, as ``cksum`` prints them of its standard input.

    It is the CRC-32 of POSIX, of the content and its length: bit by bit in the other direction
    than that of ``zlib``, and not inverted at its beginning.

    >>> checksum(b"123456789")
    '930766865 9'
    """
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "little")
    mirrored = zlib.crc32((content + length).translate(_MIRRORED), 0xFFFFFFFF)
    return f"{int(f'{mirrored:032b}'[::-1], 2)} {len(content)}"


def profile_params(
    settings: Mapping[str, str],
    *,
    jar_checksum: str,
    jar: str = f"{LINK}/{AGENT_JAR}",
    for_dumps: bool = False,
    share: float | None = None,
) -> str:
    """The JVM options that start the agent; they expand to nothing where a JVM would not start.

    Args:
        settings: settings of the agent.
        jar_checksum: of its jar, see `checksum`.
        jar: its jar, in the working folder of the task or with an absolute path.
        for_dumps: heap dumps will be made, and must show every local variable of a compiled frame.
        share: the share of first attempts that get it, and no later attempt does; None for all
            attempts.

    The value goes through ``String.format`` and through two shells: that of the NodeManager's
    launch script, which puts in what is echoed, and the one that it starts, which reads that as a
    command (``ContainerLaunch``: ``exec /bin/bash -c "..."``). So percent signs are doubled, what
    a shell would change is quoted for the second and again for the first, and the first looks at
    the jar: a ``-javaagent`` whose jar is missing, half copied or damaged would keep the JVM from
    starting. So would any ``-javaagent`` beside ``-XX:AOTMode=on``, which has the JVM exit rather
    than do without its ahead-of-time cache, and in a run-time image without ``java.instrument``.
    """
    arguments = ",".join(f"{key}={value}" for key, value in settings.items())
    options = f"{WHOLE_DUMPS} " if for_dumps else ""
    path = jar if jar.startswith("/") else f"./{jar}"
    agent = _quoted(f"-javaagent:{path}={arguments}")
    if share is not None:
        agent = _FOR_FIRST_ATTEMPTS.format(agent)
    is_whole = f'[ "$(cksum 2>/dev/null <{_quoted(jar)})" = "{jar_checksum}" ]'
    missing = _quoted(f"mprof: not attached, because {jar} is missing or not whole")
    refused = f"{_REFUSES} && {{ echo {_quoted(_REFUSED)} >&2; exit; }}"
    params = f"{refused}; {is_whole} && echo {options}{_quoted(agent)} || echo {missing} >&2"
    if share is not None:
        params = f"{in_share(share)} && {{ {params}; }}"
    return f"$({params})".replace("%", "%%")


def _quoted(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else shlex.quote(word)


def settings_in(params: str) -> dict[str, str] | None:
    """The agent's settings in JVM options that `profile_params` made; None in any others.

    >>> settings_in(profile_params({"mode": "watch", "run": "1"}, jar_checksum="1 2"))
    {'mode': 'watch', 'run': '1'}
    >>> settings_in("-agentlib:hprof=cpu=samples") is None
    True
    """
    words = (_OPTION.fullmatch(word) for word in _words(params.replace("%%", "%")))
    found = next(filter(None, words), None)
    if found is None:
        return None
    pairs = (pair.partition("=") for pair in found.group(1).split(",") if pair)
    return {key: value for key, _, value in pairs}


def _words(params: str) -> list[str]:
    """The options, as the JVM gets them."""
    echoed = _ECHO.search(params)
    try:
        return shlex.split(" ".join(shlex.split(echoed[1])) if echoed else params)
    except ValueError:  # quotes that somebody else has put there, and not closed
        return params.split()


def checksum_in(params: str) -> str:
    """The checksum of the jar in options that `profile_params` made; empty in any others.

    >>> checksum_in(profile_params({}, jar_checksum="1 2"))
    '1 2'
    """
    found = _CHECKSUM.search(params)
    return found.group(1) if found is not None else ""


def task_profile(params: str) -> dict[str, str]:
    """The properties that give these JVM options to every task of a job.

    Both ranges and both parameters: a range that is not set defaults to tasks 0-2, and parameters
    that are not set to the HPROF agent, which no JVM since 9 has: tasks would die.
    Those of each side refer to those of both, so that a user's own replace all of them.
    """
    reference = "${mapreduce.task.profile.params}"
    return {
        "mapreduce.task.profile": "true",
        "mapreduce.task.profile.maps": "0-",
        "mapreduce.task.profile.reduces": "0-",
        "mapreduce.task.profile.params": params,
        "mapreduce.task.profile.map.params": reference,
        "mapreduce.task.profile.reduce.params": reference,
    }


def inject_agent(
    run_id: str,
    staged_uri: str,
    *,
    jar_checksum: str,
    mode: Mode,
    settings: dict[str, str],
    with_plan: bool,
) -> AgentInjection:
    """The properties that inject the agent into every task of a job.

    Args:
        run_id: id of this run, part of the job tag.
        staged_uri: folder on the cluster's default file system that holds the archive with the
            agent jar and the plan.
        jar_checksum: of that jar, see `checksum`.
        mode: ``watch`` leaves scheduling as the user configured it; the other modes switch off
            speculation, uber mode and retries, which would run a profiled task twice or not at all.
        settings: further settings of the agent (docs/reference/agent-settings.md).
        with_plan: whether the archive holds a plan file.
    """
    tag = f"{TAG_PREFIX}{run_id}"
    plan = {"plan": f"{LINK}/{PLAN_FILE}"} if with_plan else {}
    arguments = {"mode": "watch", "run": run_id, **plan, **settings}
    params = profile_params(arguments, jar_checksum=jar_checksum, for_dumps=mode != "watch")
    # In full on each side: a user's own parameters must not take the place of the run's.
    overlay = {
        **task_profile(params),
        "mapreduce.task.profile.map.params": params,
        "mapreduce.task.profile.reduce.params": params,
    }
    if mode != "watch":
        overlay |= {
            "mapreduce.map.speculative": "false",
            "mapreduce.reduce.speculative": "false",
            "mapreduce.job.ubertask.enable": "false",
            "mapreduce.map.maxattempts": "1",
            "mapreduce.reduce.maxattempts": "1",
        }
    # Not tmparchives, which a user's -archives would overwrite; Hadoop only adds to the cache list.
    return AgentInjection(
        tag=tag,
        overlay=overlay,
        append={
            "mapreduce.job.tags": tag,
            ARCHIVES: f"{staged_uri}/{ARCHIVE}#{LINK}",
        },
    )


def archive_facts(*, modified_ms: int, size_bytes: int) -> dict[str, str]:
    """The list properties that go with the archive's entry in the list of archives.

    A client writes its own in their place as it submits a job (`ClientDistributedCacheManager`).
    But a driver may have taken the archives out of a local job, as Pig does with ``-x local``;
    `LocalJobRunner.Job` then reads them in the site files again, and without these properties
    `LocalResourceBuilder` fails, and the job with it.

    Args:
        modified_ms: modification time of the archive, as the file system has it.
        size_bytes: its size.
    """
    return {
        f"{ARCHIVES}.timestamps": str(modified_ms),
        f"{ARCHIVES}.filesizes": str(size_bytes),
        f"{ARCHIVES}.visibilities": "false",
    }
