"""``switch``: what an administrator does to have the agent in every job of a cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mprof.errors import EvidenceError, UsageError
from mprof.hadoop import (
    Cluster,
    block_in,
    block_text,
    connect,
    replace_site_file,
    with_block,
    without_block,
)
from mprof.history import read_conf, read_history
from mprof.io.base_folders import state_folder
from mprof.io.files import read_file
from mprof.runs.agent_injection import checksum_in
from mprof.runs.switch import (
    Book,
    EndedJob,
    Expired,
    Installed,
    Places,
    ended_jobs_here,
    ended_jobs_on,
    expire,
    install,
    installed,
    open_book,
    switch_in,
    trial_of,
)
from mprof.units import MIB

if TYPE_CHECKING:
    from mprof.runs.switch import Harm

__all__ = [
    "Checked",
    "SwitchedOn",
    "expire_captures",
    "switch_check",
    "switch_install",
    "switch_off",
    "switch_on",
]

_MOST_BYTES = 64 * MIB  # of a site file


@dataclass(frozen=True, slots=True)
class SwitchedOn:
    """The outcome of ``mprof switch on``.

    Attributes:
        block: the properties, as text for a ``mapred-site.xml``.
        backup: the copy of the old site file; None where none was replaced, or nothing changed.
    """

    block: str
    backup: Path | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of ``mprof switch check``.

    Attributes:
        harm: what the agent is shown to do to tasks.
        backup: the copy of the site file that it was switched off in; None where it was not.
        losses: histories that could not be read, one sentence each; the next check tries again.
    """

    harm: Harm
    backup: Path | None
    losses: tuple[str, ...]


def switch_install(places: Places, *, embedded: bool, conf_dir: Path | None) -> Installed:
    """Put agent and capture area on the cluster's file system, see `install`."""
    with connect(conf_dir, embedded=embedded) as cluster:
        return install(cluster, places)


def switch_on(
    places: Places,
    *,
    share: float | None,
    site_file: Path | None,
    embedded: bool,
    conf_dir: Path | None,
) -> SwitchedOn:
    """The properties that switch watch mode on for all jobs.

    Args:
        places: where agent and captures are.
        share: the share of first attempts that get the agent; None for all attempts.
        site_file: the ``mapred-site.xml`` to put them into; None to change nothing.
        embedded: look on the embedded cluster whether agent and area are there.
        conf_dir: otherwise on the cluster of this client configuration.

    Raises:
        ClusterError: if something is missing there, or the file has values of its own.
        UsageError: if the file cannot be read or replaced.
    """
    with connect(conf_dir, embedded=embedded) as cluster:
        switch = replace(installed(cluster, places), share=share)
    block = block_text({**switch.properties, **switch.lists})
    if site_file is None:
        return SwitchedOn(block, None)
    content = with_block(site_file, switch.properties, switch.lists)
    if site_file.is_file() and read_file(site_file, limit_bytes=_MOST_BYTES) == content:
        return SwitchedOn(block, None)
    return SwitchedOn(block, replace_site_file(site_file, content))


def switch_off(site_file: Path) -> Path | None:
    """Take the block of `switch_on` out of a site file.

    Returns:
        A copy of the file as it was; None where it had no block.

    Raises:
        UsageError: if the file cannot be read or replaced.
    """
    content = without_block(site_file)
    return None if content is None else replace_site_file(site_file, content)


def switch_check(
    *,
    histories: Path | None,
    state: Path | None,
    since_s: float | None,
    site_file: Path | None,
    embedded: bool,
    conf_dir: Path | None,
) -> Checked:
    """See whether tasks with the agent end worse than those without it; switch it off if so.

    Args:
        histories: a folder with histories; None for those that the cluster has.
        state: the book, in which every job that has been read is noted; None for this user's own.
        since_s: of the cluster's histories, those from that day on; None for the last days.
        site_file: the ``mapred-site.xml`` to switch it off in; None to change nothing. Its agent
            is the one that is judged; without one it is that of the job submitted last.
        embedded: the histories of the embedded cluster.
        conf_dir: otherwise of the cluster of this client configuration.

    Raises:
        EvidenceError: if no job has the agent in a share of its tasks, or the folder is not there.
        UsageError: if book or site file cannot be read or written.
    """
    block = block_in(site_file) if site_file is not None else None
    with open_book(state or state_folder() / "switch.jsonl") as book:
        if histories is not None:
            losses = _read_into(book, ended_jobs_here(histories), None)
        else:
            with connect(conf_dir, embedded=embedded) as cluster:
                losses = _read_into(book, ended_jobs_on(cluster, since_s=since_s), cluster)
        trials = book.trials
    newest = max(trials, key=lambda each: each.submitted_ms, default=None)
    agent = checksum_in(block or "") or (newest.agent if newest is not None else "")
    from mprof.runs.switch.harm import harm_in  # with numpy: no other verb of the switch needs it

    harm = harm_in(trials, agent)
    if not harm.jobs:
        raise EvidenceError(
            "no job has this agent in a share of its first attempts: there is nothing to compare"
            + (f" ({len(losses)} histories could not be read: {losses[0]})" if losses else ""),
            next_step="switch it on with --share, and ask once jobs have ended",
        )
    backup = switch_off(site_file) if harm.is_shown and block and site_file else None
    return Checked(harm, backup, losses)


def _read_into(book: Book, ended: Iterable[EndedJob], cluster: Cluster | None) -> tuple[str, ...]:
    """Read the histories that are not in the book yet; what cannot be read is said."""
    losses = []
    for each in ended:
        if each.job_id in book.jobs:
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="mprof-switch-") as scratch:
                if cluster is None:
                    history, conf = Path(each.history), Path(each.conf)
                else:
                    history = cluster.fetch(each.history, Path(scratch))
                    conf = cluster.fetch(each.conf, Path(scratch))
                job = read_history(history)
                trial = trial_of(job, read_conf(conf))
        except EvidenceError as error:  # moved by the history server in this moment, mostly
            losses.append(error.what)
            continue
        if job.state is None:
            losses.append(f"the history of {each.job_id} has no end")
            continue
        book.add(each.job_id, trial)
    return tuple(losses)


def expire_captures(
    *,
    captures: str | None,
    older_than_seconds: float,
    pretend: bool,
    embedded: bool,
    conf_dir: Path | None,
) -> tuple[Expired, ...]:
    """Delete the captures of jobs that ended long ago, see `expire`.

    Args:
        captures: the capture area; None for the one of the site configuration.
        older_than_seconds: younger ones are left alone.
        pretend: delete nothing.
        embedded: on the embedded cluster.
        conf_dir: otherwise on the cluster of this client configuration.

    Raises:
        UsageError: if no area is named, and the site configuration has none.
    """
    with connect(conf_dir, embedded=embedded) as cluster:
        if captures is None:
            switch = switch_in(cluster.site_properties().values)
            captures = None if switch is None else switch.captures
        if captures is None:
            raise UsageError(
                "the site configuration names no capture area",
                next_step="name it with --captures",
            )
        return expire(cluster, captures, older_than_seconds=older_than_seconds, pretend=pretend)
