"""How the agent gets into a job: a few properties of an overlay configuration, nothing else.

Every property was tried on Hadoop 3.4.3; what happens without it stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.runs.capture import Mode

__all__ = ["AGENT_JAR", "ARCHIVE", "PLAN_FILE", "AgentInjection", "inject_agent", "profile_params"]

AGENT_JAR = "mprof-agent.jar"
PLAN_FILE = "mprof.plan"
ARCHIVE = "mprof.zip"
LINK = "mprof"
"""The archive is unpacked into a folder of this name in the working folder of each task.

It travels as a cache *archive*: in the list of cache files it would come before the user's own, and
code that takes the first entry of ``getCacheFiles()`` as its table would read the agent instead.
"""

TAG_PREFIX = "mprof-"

WHOLE_DUMPS = "-XX:+IgnoreUnrecognizedVMOptions -XX:-EliminateAllocations"
"""A local that C2 replaced by its fields is no root of a HotSpot heap dump, nor is what its fields
hold: of a reducer that kept 95 MB in a local, a dump showed 14 MB as reachable (JDK 17.0.15).
"""


@dataclass(frozen=True, slots=True)
class AgentInjection:
    """What the overlay changes.

    Attributes:
        tag: the job tag by which the driver's jobs are found again.
        overlay: properties to set.
        append: list properties to add one value to.
    """

    tag: str
    overlay: dict[str, str]
    append: dict[str, str]


def profile_params(settings: dict[str, str], *, for_dumps: bool = False) -> str:
    """The JVM options that start the agent, guarded so that a missing jar leaves the task alone.

    Args:
        settings: of the agent.
        for_dumps: heap dumps will be made, and have to show every local of a compiled frame.

    The value passes ``String.format`` and a shell in the NodeManager's launch script: percent
    signs are doubled, and a ``-javaagent`` whose jar is missing would kill the JVM, hence the test.
    """
    arguments = ",".join(f"{key}={value}" for key, value in settings.items()).replace("%", "%%")
    options = f"{WHOLE_DUMPS} " if for_dumps else ""
    jar = f"{LINK}/{AGENT_JAR}"
    return f"$([ -r {jar} ] && echo {options}-javaagent:./{jar}={arguments})"


def inject_agent(
    run_id: str, staged_uri: str, *, mode: Mode, settings: dict[str, str], with_plan: bool
) -> AgentInjection:
    """The properties that carry the agent into every task of a job.

    Args:
        run_id: id of this run, part of the job tag.
        staged_uri: folder on the cluster's default file system with the archive, which holds the
            agent jar and the plan.
        mode: ``watch`` leaves scheduling as the user has it; the others switch off speculation,
            uber mode and further attempts, which would run a profiled task twice or not at all.
        settings: further settings of the agent (docs/reference/agent-settings.md).
        with_plan: whether a plan file lies beside the jar.
    """
    tag = f"{TAG_PREFIX}{run_id}"
    plan = {"plan": f"{LINK}/{PLAN_FILE}"} if with_plan else {}
    arguments = {"mode": "watch", "run": run_id, **plan, **settings}
    params = profile_params(arguments, for_dumps=mode != "watch")
    overlay = {
        "mapreduce.task.profile": "true",
        # Both ranges and both parameters: an unset one falls back to tasks 0-2 with the HPROF
        # agent, which no JVM since 9 has, and those tasks die.
        "mapreduce.task.profile.maps": "0-",
        "mapreduce.task.profile.reduces": "0-",
        "mapreduce.task.profile.params": params,
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
    # tmparchives would be overwritten by a user's -archives; the cache list is only ever added to.
    return AgentInjection(
        tag=tag,
        overlay=overlay,
        append={
            "mapreduce.job.tags": tag,
            "mapreduce.job.cache.archives": f"{staged_uri}/{ARCHIVE}#{LINK}",
        },
    )
