"""One cluster, embedded or real: a few operations on plain values."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mprof.errors import ClusterError, MprofError, UsageError
from mprof.hadoop.collect import ContainerLogs, attempt_folders, fetch_history
from mprof.hadoop.driver import configured_folder, redirected, run_driver
from mprof.hadoop.embedded import EmbeddedCluster, gateway_of, joined
from mprof.hadoop.files import ClusterFiles
from mprof.hadoop.gateway import Gateway, GatewayGoneError, NotFoundError
from mprof.hadoop.java import gateway_jar
from mprof.hadoop.overlay import effective_properties, write_overlay
from mprof.hadoop.parsing import application, job_status
from mprof.hadoop.process import gateway_process
from mprof.hadoop.room import ContainerRoom, add_to_overlay, room_properties
from mprof.hadoop.values import (
    HistoryFiles,
    JobStatus,
    SiteProperties,
    Submission,
    TaggedApplication,
)
from mprof.io.printable import printable

__all__ = ["Cluster", "connect"]

TAGS = "mapreduce.job.tags"

_POLL_SECONDS = 1.0
_EMBEDDED_POLL_SECONDS = 0.3
# During a failover the ResourceManager may be unreachable for minutes; the job is not lost.
_UNREACHABLE_SECONDS = 300.0
# From the end of an application master until the history server has its job.
_HISTORY_SECONDS = 30.0
# The ResourceManager's clock and this machine's, at most.
_CLOCKS_DIFFER_SECONDS = 600.0

OnProgress = Callable[[str, str, float, float], None]


@contextlib.contextmanager
def connect(
    conf_dir: Path | None = None,
    *,
    embedded: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Cluster]:
    """Connect to a cluster.

    Args:
        conf_dir: the client configuration of a real cluster; None means ``HADOOP_CONF_DIR``.
        embedded: use the running embedded cluster, or start one for the duration.
        progress: called with a line of text at each step.

    Yields:
        The cluster.

    Raises:
        ClusterError: if it cannot be reached or started.
        UsageError: if both a folder and ``embedded`` are given.
    """
    with contextlib.ExitStack() as stack:
        # It will link to the user's configuration, which may hold passwords: private, and deleted.
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mprof-")))
        if embedded:
            if conf_dir is not None:
                raise UsageError(
                    "both the embedded cluster and a configuration folder were given",
                    next_step="leave out one of them",
                )
            running = stack.enter_context(joined(progress=progress))
            gateway = gateway_of(running)
            stack.callback(gateway.close)
            yield Cluster(gateway, running.conf_dir, scratch=scratch, embedded=running)
        else:
            folder, gateway = stack.enter_context(gateway_process(conf_dir, scratch=scratch))
            # Fail now, with one line, rather than after the job's command has been started.
            gateway.call("liveApplications")
            yield Cluster(gateway, folder, scratch=scratch, embedded=None)


class Cluster(ClusterFiles):
    """A connected cluster; made by ``connect``.

    Attributes:
        conf_dir: the client configuration folder.
        is_embedded: whether it is the embedded cluster.
    """

    def __init__(
        self,
        gateway: Gateway,
        conf_dir: Path,
        *,
        scratch: Path,
        embedded: EmbeddedCluster | None,
    ) -> None:
        self.conf_dir = conf_dir
        self.is_embedded = embedded is not None
        super().__init__(gateway)
        self._scratch = scratch
        self._embedded = embedded

    @property
    def version(self) -> str:
        """Its Hadoop version."""
        return str(self._gateway.call("version"))

    @property
    def local_log_dirs(self) -> tuple[Path, ...] | None:
        """The NodeManager's log folders where they are on this machine, else None."""
        return self._embedded.log_dirs if self._embedded is not None else None

    @property
    def stays(self) -> bool:
        """Whether it goes on when this command ends: not so of one that was started for it."""
        return self._embedded is None or self._embedded.stays

    def command(self, name: str) -> str:
        """One of its commands as a shell takes it; those of the embedded one are on no path."""
        return shlex.quote(str(self._embedded.bin_dir / name)) if self._embedded else name

    def local_job_conf(self, container: str) -> Path | None:
        """The configuration of a container's job, while the container runs on this machine."""
        if self._embedded is None:
            return None
        found = self._embedded.data_dir.glob(f"*/usercache/*/appcache/*/{container}/job.xml")
        return next(found, None)

    def property(self, key: str) -> str | None:
        """A property of its configuration, defaults included."""
        value = self._gateway.call("property", key)
        return None if value is None else str(value)

    def site_properties(self) -> SiteProperties:
        """What the site files of its client configuration folder say now."""
        site = self._gateway.ask("siteProperties", str(self.conf_dir))
        return SiteProperties(values=site["values"], final=frozenset(site["final"]))

    # --- jobs -----------------------------------------------------------------------------------

    def submit(
        self,
        argv: Sequence[str],
        *,
        overlay: Mapping[str, str] | None = None,
        append: Mapping[str, str] | None = None,
        on_line: Callable[[str], None] | None = None,
        room: ContainerRoom | None = None,
    ) -> Submission:
        """Run the user's command against this cluster, and find the jobs it started.

        The command sees an overlay of the client configuration. The overlay sets a job tag (the
        first one in ``append``, else a random one), which identifies the jobs afterwards.

        Args:
            argv: ``hadoop jar ...``, or anything that submits jobs from this machine.
            overlay: properties to set.
            append: list properties to add values to.
            on_line: called with each line the command prints; None prints them to stderr.
            room: larger containers for the tasks; None leaves them as they are.

        Raises:
            ClusterError: if the command does not exist, or a property is final.
            UsageError: if the command names a configuration folder that is not this cluster's.
        """
        self._check_folder(argv)
        append = dict(append or {})
        append.setdefault(TAGS, f"mprof-{uuid.uuid4().hex}")
        tag = append[TAGS].split(",")[0]
        site = self.site_properties()
        tell = on_line or _to_stderr
        larger = self._room(room, tell) if room is not None and room.wanted else {}
        properties = effective_properties(
            overlay={**(overlay or {}), **larger},
            append=append,
            site_values=site.values,
            site_final=site.final,
        )
        folder = write_overlay(
            self.conf_dir, self._scratch / f"conf-{uuid.uuid4().hex[:8]}", properties
        )
        if larger:
            add_to_overlay(folder, gateway_jar())
        environment = dict(os.environ)
        if self._embedded is not None:
            environment |= self._embedded.environment
        environment["HADOOP_CONF_DIR"] = environment["YARN_CONF_DIR"] = str(folder)
        began = time.time()
        run = run_driver(
            redirected(argv, folder, bin_dir=self._embedded.bin_dir if self._embedded else None),
            environment=environment,
            on_line=tell,
            entrance=self._embedded.entrance if self._embedded else None,
        )
        tagged = {each.job_id for each in self.tagged(tag) if each.type == "MAPREDUCE"}
        untagged = [
            job
            for job in run.jobs
            if job not in tagged and self._is_new(job, began - _CLOCKS_DIFFER_SECONDS, tell)
        ]
        return Submission(
            exit_code=run.exit_code,
            job_ids=tuple(sorted({*tagged, *untagged}, key=_submission_order)),
            untagged_job_ids=tuple(untagged),
            local_job_ids=run.local_jobs,
            uber_job_ids=run.uber_jobs,
            output_tail=run.tail,
            tag=tag,
            memory_error=run.memory_error,
        )

    def _is_new(self, job_id: str, since: float, tell: Callable[[str], None]) -> bool:
        """Whether a job that the command printed can be one that it submitted.

        It may be of another cluster, or stand in an old log that the command shows.
        """
        try:
            status = job_status(self._gateway.ask("job", job_id))
        except NotFoundError:
            tell(f"mprof: {job_id}, which the command printed, is no job of this cluster")
            return False
        except GatewayGoneError:
            raise
        except MprofError:  # whoever waits for it will see
            return True
        at = status.submit_time_ms or status.start_time_ms
        if at is not None and at / 1000 < since:
            tell(f"mprof: {job_id}, which the command printed, was submitted before it began")
            return False
        return True

    def _room(self, room: ContainerRoom, tell: Callable[[str], None]) -> dict[str, str]:
        """The properties for larger containers, none where the largest one is not known."""
        try:
            most_mb = self.largest_container_mb()
        except GatewayGoneError:
            raise
        except ClusterError as error:
            tell(f"mprof: no container is made larger, the cluster's largest is unknown: {error}")
            return {}
        return room_properties(room, most_mb=most_mb)

    def largest_container_mb(self) -> int:
        """The largest container that the ResourceManager grants; a queue may grant less."""
        return int(self._gateway.call("largestContainer"))

    def tagged(self, tag: str) -> tuple[TaggedApplication, ...]:
        """The applications with this tag, in any state."""
        # YARN keeps tags in lower case (ApplicationSubmissionContextPBImpl).
        return tuple(
            application(row) for row in self._gateway.ask("applicationsTagged", tag.lower())
        )

    def live_jobs(self) -> frozenset[str]:
        """Ids of the jobs whose applications have not ended, of all users."""
        return frozenset(row["job_id"] for row in self._gateway.ask("liveApplications"))

    def wait(
        self, job_ids: Iterable[str], on_progress: OnProgress | None = None
    ) -> tuple[JobStatus, ...]:
        """Wait until all the jobs have ended.

        Args:
            job_ids: the jobs.
            on_progress: called with the job, its state, and its map and reduce progress (0 to 1),
                whenever one of them has changed.

        Raises:
            EvidenceError: if the cluster does not know a job.
            ClusterError: if the cluster has been unreachable for minutes, or the embedded cluster
                has stopped.
        """
        waiting = dict.fromkeys(job_ids, ("", 0.0, 0.0))
        order = tuple(waiting)
        answered = time.monotonic()
        while waiting:
            for job_id, before in list(waiting.items()):
                try:
                    now = self._progress(job_id, before)
                    answered = time.monotonic()
                except GatewayGoneError:
                    raise
                except ClusterError:
                    if time.monotonic() - answered > _UNREACHABLE_SECONDS:
                        raise
                    continue
                if now != before and on_progress is not None:
                    on_progress(job_id, *now)
                if now[0] in {"SUCCEEDED", "FAILED", "KILLED"}:
                    del waiting[job_id]
                else:
                    waiting[job_id] = now
            if waiting:
                time.sleep(_EMBEDDED_POLL_SECONDS if self.is_embedded else _POLL_SECONDS)
        return tuple(self.job(job_id) for job_id in order)

    def job(self, job_id: str) -> JobStatus:
        """The status of a job; for a job that has ended, waits until its history can be read.

        Raises:
            EvidenceError: if the cluster does not know the job.
        """
        deadline = time.monotonic() + _HISTORY_SECONDS
        while True:
            row = self._gateway.ask("job", job_id)
            status = job_status(row)
            # An application master that exited normally writes a history; a killed one may not.
            complete = status.has_history or not (status.finished and row.get("ended_by_itself"))
            if complete or time.monotonic() > deadline:
                return status
            time.sleep(_EMBEDDED_POLL_SECONDS)

    # --- files of a job -------------------------------------------------------------------------

    def fetch_history(self, job_id: str, into: Path) -> HistoryFiles:
        """Copy a job's history file and configuration into a local folder.

        Raises:
            EvidenceError: if they are not there after a minute, or cannot be read.
        """
        return fetch_history(self._gateway, job_id, into)

    def fetch_attempt_files(
        self,
        job_id: str,
        attempt_ids: Iterable[str] | None,
        into: Path,
        *,
        move: str | None = None,
        on_loss: Callable[[str], None] = lambda _line: None,
    ) -> dict[str, Path]:
        """Fetch the files in the log folders of attempts: stdout, stderr, syslog, and the agent's.

        Args:
            job_id: the job.
            attempt_ids: attempts of the job; None means all.
            into: a local folder; each attempt gets a folder in it, named after its id.
            move: a shell pattern; matching files on this machine are moved, not copied.
            on_loss: told what could not be copied, one line each.

        Returns:
            Attempt id -> local folder, for each attempt that has files.

        Raises:
            EvidenceError: if the cluster does not know the job, or keeps its logs on the nodes.
        """
        status = self.job(job_id)
        wanted = None if attempt_ids is None else frozenset(attempt_ids)
        attempts = [each for each in status.attempts if wanted is None or each.attempt_id in wanted]
        logs = ContainerLogs(
            gateway=self._gateway,
            log_dirs=self._embedded.log_dirs if self._embedded else None,
            aggregation=self.property("yarn.log-aggregation-enable") == "true",
        )
        return attempt_folders(
            logs, attempts, user=status.user, into=into, move=move, on_loss=on_loss
        )

    # --- files ----------------------------------------------------------------------------------

    def stage(self, files: Mapping[str, Path]) -> str:
        """Copy local files into a new private folder on the cluster's default file system.

        Args:
            files: name on the cluster -> local file.

        Returns:
            The folder's URI, for ``unstage``.
        """
        if self._embedded is not None:
            root = (self._embedded.work_dir / "stage").as_uri()
        else:
            root = self._gateway.call("home").rstrip("/")
        name = f".mprof-staging-{uuid.uuid4().hex}"
        folder = str(self._gateway.call("makeFolder", f"{root}/{name}", 0o700))
        for name, file in files.items():
            self._gateway.call("put", str(file.resolve()), f"{folder}/{name}")
        return folder

    def unstage(self, uri: str) -> None:
        """Delete a staged folder."""
        self.delete(uri)

    def partition_file(
        self, conf_xml: Path, jars: str, histogram: Path, target: Path, *, partitions: int
    ) -> tuple[int, ...]:
        """Write a local partition file for ``TotalOrderPartitioner``.

        Args:
            conf_xml: the job's configuration, which names the class and the order of the keys.
            jars: local jars with that class, separated as in a class path.
            histogram: one line per key: the serialised key in base64, a tab, its number of records.
            target: the file to write.
            partitions: number of partitions.

        Returns:
            The number of records that each partition would get.

        Raises:
            ClusterError: if the class cannot be loaded, or there are too few keys.
        """
        paths = (str(conf_xml.resolve()), jars, str(histogram.resolve()), str(target.resolve()))
        answer = self._gateway.ask("partitionFile", *paths, partitions)
        return tuple(int(each) for each in answer["records"])

    def patch_classes(self, agent: Path, target: Path) -> int:
        """Write the classes on the gateway's class path as an agent patches them.

        Returns:
            The number of classes; 0, and no file, if the agent has no patches for this Hadoop.

        Raises:
            ClusterError: if they cannot be patched or written.
        """
        return int(self._gateway.call("patchClasses", str(agent.resolve()), str(target.resolve())))

    def _progress(self, job_id: str, before: tuple[str, float, float]) -> tuple[str, float, float]:
        row: dict[str, Any] = self._gateway.ask("progress", job_id)
        _, maps, reduces = before
        return (
            row["state"],
            maps if row["map_progress"] is None else float(row["map_progress"]),
            reduces if row["reduce_progress"] is None else float(row["reduce_progress"]),
        )

    def _check_folder(self, argv: Sequence[str]) -> None:
        named = configured_folder(argv)
        if named is not None and named.resolve() != self.conf_dir.resolve():
            raise UsageError(
                f"the command uses the configuration {named}, but mprof uses {self.conf_dir}",
                next_step="set HADOOP_CONF_DIR to the right one, and leave --config out",
            )


def _submission_order(job_id: str) -> tuple[int, int]:
    _, epoch, serial = job_id.split("_")
    return int(epoch), int(serial)


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{printable(line)}\n")
    sys.stderr.flush()
