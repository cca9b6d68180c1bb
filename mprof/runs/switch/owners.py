"""Who else could have written what every user's tasks will run, on the cluster's file system."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from mprof.hadoop import Cluster, FileStatus, folders_above
from mprof.io.ownership import OtherWriter, Step, first_other_writer, other_writer

__all__ = ["other_writer_of"]


def other_writer_of(cluster: Cluster, uri: str, *, shared: bool = False) -> OtherWriter | None:
    """As `other_writer`, of a file or folder on the cluster's file system.

    Written by this user, or by the one to whom the root of the file system belongs, its superuser:
    by nobody else.

    Args:
        cluster: where it is.
        uri: its URI; there may be nothing of that name.
        shared: it is a folder in which everybody may make files of their own.
    """
    if not urlsplit(uri).path.startswith("/"):
        uri = f"{cluster.status('.').uri}/{uri}"
    root, *above = folders_above(uri)
    top = cluster.status(root)
    if top.uri.startswith("file:"):
        # This machine's, which tells more: numbers of owners, and who is in a group.
        return other_writer(Path(urlsplit(uri).path), shared=shared)
    owners = {cluster.user, top.owner}
    steps = [_step(top, owners)]
    for each in (*above, uri):
        if not cluster.exists(each):
            steps.append(steps[-1])
            break
        steps.append(_step(cluster.status(each), owners))
    return first_other_writer(steps, shared=shared)


def _step(status: FileStatus, owners: set[str | None]) -> Step:
    return Step(
        path=status.uri,
        owner=str(status.owner),
        mode=status.mode or 0,
        is_folder=status.is_folder,
        is_link=False,  # of a link, the status is that of what it leads to
        by_us=status.owner in owners,
        group_is_us=False,
    )
