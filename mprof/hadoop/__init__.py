"""The cluster: submits jobs, waits for them, and fetches their files. It parses none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.hadoop.cluster import Cluster, connect
    from mprof.hadoop.embedded import EmbeddedCluster, cluster_start, cluster_stop, running_cluster
    from mprof.hadoop.files import folders_above
    from mprof.hadoop.java import agent_jar, demo_job_jar, gateway_jar, java_home
    from mprof.hadoop.room import HEADROOM_MB, ContainerRoom
    from mprof.hadoop.siteblock import (
        block_in,
        block_text,
        replace_site_file,
        with_block,
        without_block,
    )
    from mprof.hadoop.sitefiles import final_properties
    from mprof.hadoop.state import locked_if_free
    from mprof.hadoop.values import (
        FileStatus,
        JobStatus,
        SiteProperties,
        Submission,
        TaggedApplication,
    )

__all__ = [
    "HEADROOM_MB",
    "Cluster",
    "ContainerRoom",
    "EmbeddedCluster",
    "FileStatus",
    "JobStatus",
    "SiteProperties",
    "Submission",
    "TaggedApplication",
    "agent_jar",
    "block_in",
    "block_text",
    "cluster_start",
    "cluster_stop",
    "connect",
    "demo_job_jar",
    "final_properties",
    "folders_above",
    "gateway_jar",
    "java_home",
    "locked_if_free",
    "replace_site_file",
    "running_cluster",
    "with_block",
    "without_block",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
