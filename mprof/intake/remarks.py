"""What is known of the words of texts that tell no end, and what several texts show together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mprof.intake.reported import Reports
from mprof.intake.told_ends import MOST_SAID
from mprof.messages import BY_OOM_HANDLER, remarks_on, remarks_on_settings
from mprof.trace import Excerpt, read_log

__all__ = ["Remarks", "asked_to_end", "killed_beside", "waiting"]

_MOST_REMARKS: Final = 20
# org.apache.hadoop.yarn.server.nodemanager.DirectoryCollection, 2.6 and later
_BAD_FOLDER: Final = re.compile(
    r"Directory (/\S{1,300}) error, (.{1,200}?), removing from list of valid directories"
)
_TOO_FULL: Final = re.compile(r"used space above threshold")
_MOST_FOLDERS: Final = 10
# yarn-default.xml: ${hadoop.tmp.dir}/nm-local-dir; core-default.xml: /tmp/hadoop-${user.name}
_USUAL_FOLDER: Final = re.compile(r"/tmp\b.*/nm-local-dir/?$")  # noqa: S108
_OF_USUAL_FOLDERS: Final = (
    ". A folder called nm-local-dir is the default, below hadoop.tmp.dir: "
    "yarn.nodemanager.local-dirs of that node (yarn-site.xml, then start the NodeManager again) "
    "names folders on larger disks instead, where it has some"
)
_SIGKILL: Final = re.compile(r"(?i)(?:exit (?:code|status)|with(?: error)? code)(?: is|:)? 137\b")
_SIGTERM: Final = re.compile(r"(?i)exit code(?: is)?:? 143\b")


@dataclass(slots=True)
class Remarks:
    """What is known of words and settings, and folders that a NodeManager took out of use.

    Attributes:
        texts: by their first sentence.
        folders: why each was taken out of use.
    """

    texts: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    def note_folders(self, excerpt: Excerpt) -> None:
        """Folders that a NodeManager took out of use, and why."""
        for line in excerpt.all_lines():
            bad = _BAD_FOLDER.search(line) if "removing from list" in line else None
            if bad is not None and len(self.folders) < _MOST_FOLDERS:
                self.folders.setdefault(bad[1], bad[2])

    def on_words(self, excerpt: Excerpt) -> bool:
        """Keep what is known of a text's words; whether anything is."""
        if len(self.texts) >= _MOST_REMARKS:
            return True
        text = "\n".join(excerpt.all_lines())
        if len(text) > 2 * MOST_SAID:
            text = f"{text[:MOST_SAID]}\n{text[-MOST_SAID:]}"
        errors = [one.error for one in read_log("text", excerpt).errors]
        said = {one.partition(". ")[0]: one for one in remarks_on(text, errors)}
        self.texts.update(said)
        return bool(said)

    def on_settings(self, told: Mapping[str, str]) -> bool:
        """Keep what settings say that stand in a text alone; whether they say anything."""
        said = {one: one for one in remarks_on_settings(told)}
        self.texts.update(said)
        return bool(said)

    def out_of_use(self) -> Iterator[str]:
        """The folders that a NodeManager says to have taken out of use, and why."""
        if self.folders:
            named = (f"{folder} ({why})" for folder, why in self.folders.items())
            usual = any(_USUAL_FOLDER.search(folder) for folder in self.folders)
            yield (
                f"a NodeManager's log took out of use, as it says: {', '.join(named)}"
                f"{_OF_USUAL_FOLDERS if usual else ''}{self._of_full_disks()}"
            )

    def _of_full_disks(self) -> str:
        """What follows for the containers of a node whose disks are full."""
        if not any(_TOO_FULL.search(why) for why in self.folders.values()):
            return ""
        return (
            ". A node that has no folder left is unhealthy, and its containers are given up as on "
            "a lost node. Next step: on that node free space there (du -sh "
            f"{next(iter(self.folders)).rstrip('/')}/usercache/*), or raise "
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"
        )


def waiting(reports: Reports, ended: Collection[str]) -> Iterator[str]:
    """The jobs that were submitted and of which nothing tells an end, in one sentence.

    Args:
        reports: of all texts.
        ended: jobs of which a history is at hand.
    """
    jobs = [one for one, state in reports.jobs.items() if state == "RUNNING" and one not in ended]
    if jobs:
        named = ", ".join(jobs[:_MOST_WAITING])
        more = f" and {len(jobs) - _MOST_WAITING:,} more" if len(jobs) > _MOST_WAITING else ""
        were, they = ("were", "they") if len(jobs) > 1 else ("was", "it")
        yield (
            f"{named}{more} {were} submitted, and nothing that was read says that {they} ended. "
            "One that makes no progress may wait for a container that no node can give. Next step: "
            f"yarn application -status {jobs[0].replace('job_', 'application_')} says in which "
            "state it is, and the page of the ResourceManager how much memory its nodes have."
        )


_MOST_WAITING: Final = 5


def asked_to_end(reports: Reports) -> Iterator[str]:
    """What exit code 143 is of attempts that their application master asked to end.

    After a success (``ContainerLauncherImpl``), or of a state that nothing tells.
    """
    asked = [
        id_
        for id_ in reports.texts
        if id_.startswith("attempt_") and _SIGTERM.search(reports.said_of(id_))
    ]
    done = [id_ for id_ in asked if reports.states.get(id_) == "SUCCEEDED"]
    if done:
        yield (
            f"{_first_of(done)} had succeeded when its container ended with exit code 143: the "
            "application master asks the container of an attempt that is done to end "
            "(SIGTERM). That is no failure and no sign of a lack of memory; a kill for memory "
            "is named as one (running beyond physical memory limits)."
        )
    untold = [
        id_ for id_ in asked if id_ not in reports.states and _BY_MASTER in reports.said_of(id_)
    ]
    if untold:
        yield (
            f"{_first_of(untold)} ended with exit code 143 because its application master asked "
            "for it (SIGTERM), as it does with an attempt that is done, that another attempt of "
            "its task has outrun, or that made no progress in time, and with all of a job that "
            "has failed or was killed. That is no sign of a lack of memory; a kill for memory is "
            "named as one. Next step: in the same log the lines of "
            f"{untold[0]} before that one (TaskAttempt Transitioned from, Timed out after) say "
            "which it was."
        )


_BY_MASTER: Final = "killed by the ApplicationMaster"


def _first_of(ids: Sequence[str]) -> str:
    return f"{ids[0]} and {len(ids) - 1:,} more" if len(ids) > 1 else ids[0]


def killed_beside(reports: Reports) -> Iterator[str]:
    """What exit code 137 is likely to be beside kills of a NodeManager's OOM handler."""
    said = {id_: reports.said_of(id_) for id_ in reports.texts}
    named = [id_ for id_, text in said.items() if BY_OOM_HANDLER in text]
    others = any(id_ not in named and _SIGKILL.search(text) for id_, text in said.items())
    if named and others:
        yield (
            f"a NodeManager's own lines say that it killed {named[0]}"
            f"{f' and {len(named) - 1:,} more' if len(named) > 1 else ''} with SIGKILL, "
            "because all containers of its node together had no memory left. Exit code 137 of "
            "others on that node is likely the same"
        )
