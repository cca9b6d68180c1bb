"""The site properties that start the agent in the tasks of every job, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mprof.errors import UsageError
from mprof.runs.agent_injection import (
    AGENT_JAR,
    ARCHIVES,
    checksum_in,
    profile_params,
    settings_in,
    task_profile,
)
from mprof.runs.draw import share_in
from mprof.version import __version__

__all__ = [
    "ARCHIVES",
    "PARAMS",
    "SITE_ARCHIVE",
    "Places",
    "Switch",
    "checked_places",
    "checked_share",
    "switch_in",
]

SITE_ARCHIVE = "mprof-agent.zip"
LINK = "mprof-agent"
"""Not the link of ``mprof run``, whose archive would be left out as a conflict with this one
(``LocalResourceBuilder``) on a cluster that is switched on.
"""

PARAMS = "mapreduce.task.profile.params"

EVENTS_BYTES = 4 << 20
"""Most bytes of an attempt's event log. Measured: 8 to 12 kB for a task of a small word count.
A reducer writes some 400 B for each segment that it fetches: enough for about 10,000 map tasks.
"""

_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) ?%")
_HARMFUL = re.compile(r"[,\s'\"%$;`\\]")


@dataclass(frozen=True, slots=True)
class Switch:
    """Where the agent comes from, and where captures go.

    Attributes:
        archive: URI of the archive with the agent, for one on the cluster's file system.
        jar: absolute path of the agent's jar, for one on every node.
        jar_checksum: of the jar, see `checksum`: a task with another one runs without the agent.
        captures: URI of the capture area; None where an administrator has left it out.
        facts: list properties that go with the archive, as `archive_facts` tells.
        share: the share of first attempts that get the agent; None where all attempts do.
    """

    archive: str | None
    jar: str | None
    jar_checksum: str
    captures: str | None
    facts: Mapping[str, str] = field(default_factory=dict, compare=False)
    share: float | None = None

    @property
    def properties(self) -> dict[str, str]:
        """The properties to set, apart from `lists`."""
        area = {"capture.area": self.captures} if self.captures is not None else {}
        settings = {"mode": "watch", **area, "events.bytes": str(EVENTS_BYTES)}
        jar = self.jar or f"{LINK}/{AGENT_JAR}"
        params = profile_params(settings, jar_checksum=self.jar_checksum, jar=jar, share=self.share)
        return task_profile(params)

    @property
    def lists(self) -> dict[str, str]:
        """The list properties, and what is to be added to them."""
        if self.archive is None:
            return {}
        return {ARCHIVES: f"{self.archive}#{LINK}", **self.facts}


def switch_in(values: Mapping[str, str]) -> Switch | None:
    """The switch in the properties of a site or of a job; None where they start no agent."""
    params = values.get(PARAMS) or ""
    settings = settings_in(params)
    if settings is None:
        return None
    archives = (each.strip() for each in (values.get(ARCHIVES) or "").split(","))
    found = [each.rpartition("#")[0] for each in archives if each.endswith(f"#{LINK}")]
    jar = re.search(rf"-javaagent:(/\S*{re.escape(AGENT_JAR)})=", params)
    return Switch(
        archive=found[0] if found else None,
        jar=jar.group(1) if jar else None,
        jar_checksum=checksum_in(params),
        captures=settings.get("capture.area"),
        share=share_in(params.replace("%%", "%")),
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Where an administrator wants agent and captures to be.

    Attributes:
        agent: folder on the cluster's file system for archives, one folder for each version in it;
            None where every node has the jar on its disk.
        jar: absolute path of that jar.
        captures: the capture area.
    """

    agent: str | None
    jar: str | None
    captures: str


def checked_places(*, agent: str, jar: str | None, captures: str) -> Places:
    """The places that the options of ``mprof switch`` name; ``jar`` goes before ``agent``.

    Raises:
        UsageError: if one of them cannot stand in the agent's settings.
    """
    if jar is not None and not (jar.startswith("/") and jar.endswith(f"/{AGENT_JAR}")):
        raise UsageError(
            f"--jar-on-nodes {jar!r} is not the absolute path of a file {AGENT_JAR}",
            next_step=f"name it such as /opt/mprof/{__version__}/{AGENT_JAR}",
        )
    return Places(
        agent=_plain(agent, option="--agent") if jar is None else None,
        jar=None if jar is None else _plain(jar, option="--jar-on-nodes"),
        captures=_plain(captures, option="--captures"),
    )


def checked_share(text: str | None) -> float | None:
    """The share that ``mprof switch on --share`` names, as a part of 1; None where it names none.

    Raises:
        UsageError: if it is none between 0.01 % and 100 %.
    """
    if text is None:
        return None
    found = _PER_CENT.fullmatch(text)
    share = round(float(found[1]) / 100, 4) if found is not None else 0.0
    if not 0 < share <= 1:
        raise UsageError(
            f"--share {text!r} is not a share of tasks",
            next_step="write it as 5% or 0.5%; at least 0.01%, and in steps of 0.01%",
        )
    return share


def _plain(path: str, *, option: str) -> str:
    """Without a slash at its end, and with nothing that the shell or the agent would change."""
    if not path.strip("/") or _HARMFUL.search(path):
        raise UsageError(
            f"{option} {path!r} cannot stand in the options of a JVM",
            next_step="name a path without spaces, commas, quotes, %, $, ; and backslashes",
        )
    return path.rstrip("/")
