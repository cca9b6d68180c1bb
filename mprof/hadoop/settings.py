"""The settings of the embedded cluster, each with its reason."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["capacity_scheduler", "cluster_properties"]

_NODE_MEMORY_MB = 8192

_WEEK_SECONDS = 7 * 24 * 3600


def cluster_properties(*, work: Path, lib: Path) -> dict[str, str]:
    """What both the cluster and its clients load.

    Args:
        work: the cluster's working folder.
        lib: the folder of Hadoop's jars.
    """
    return {
        "fs.defaultFS": "file:///",
        "hadoop.tmp.dir": str(work / "tmp"),
        "mapreduce.framework.name": "yarn",
        "yarn.app.mapreduce.am.staging-dir": str(work / "staging"),
        # A jar of -libjars that is on the cluster's file system already, as every local one is
        # here, is not copied into the staging folder: with the wildcard the tasks would look for it
        # there and find nothing (JobResourceUploader.uploadLibJars).
        "mapreduce.client.libjars.wildcard": "false",
        # Tasks and masters find Hadoop where it was resolved; nothing is installed.
        "mapreduce.application.classpath": f"{lib}/*",
        "yarn.application.classpath": str(work / "conf"),
        # One node of a size that people have; a task of 1 GB and its neighbours fit.
        "yarn.minicluster.yarn.nodemanager.resource.memory-mb": str(_NODE_MEMORY_MB),
        "yarn.nodemanager.resource.memory-mb": str(_NODE_MEMORY_MB),
        "yarn.scheduler.maximum-allocation-mb": str(_NODE_MEMORY_MB),
        "yarn.scheduler.minimum-allocation-mb": "256",
        # Cores bound how many tasks run at a time, which memory alone would not on this node:
        # one for the master, one for each core of the machine, one to spare, at least four.
        "yarn.nodemanager.resource.cpu-vcores": str(max(4, (os.cpu_count() or 2) + 2)),
        "yarn.app.mapreduce.am.resource.mb": "512",
        # A master lives for seconds: the second compiler costs it more than it gains. Word count of
        # 3 kB on two busy cores, submitted to finished, four times each: 16 to 21 s without, 7 to
        # 11 s with the last option.
        "yarn.app.mapreduce.am.command-opts": "-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        # The mini cluster switches the memory checks off unless both keys say otherwise
        # (MiniYARNCluster.NodeManagerWrapper, MiniMRYarnCluster.serviceInit); a container killed
        # for its memory is one of the deaths to be explained. Virtual memory says nothing on a
        # 64-bit JVM.
        "yarn.minicluster.control-resource-monitoring": "true",
        "mapreduce.minicluster.control-resource-monitoring": "true",
        "yarn.nodemanager.pmem-check-enabled": "true",
        "yarn.nodemanager.vmem-check-enabled": "false",
        # Its default, true, means that control groups enforce the limit: then the monitor checks
        # nothing (ContainersMonitorImpl.checkLimit), and here there are no control groups.
        "yarn.nodemanager.resource.memory.enforced": "false",
        "yarn.nodemanager.container-monitor.interval-ms": "1000",
        # At the default of 90 % a well filled disk makes the node unhealthy and jobs wait for ever.
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
        # Container logs stay until the cluster is stopped.
        "yarn.log-aggregation-enable": "false",
        "yarn.nodemanager.log.retain-seconds": str(_WEEK_SECONDS),
        # Small jobs spend their time waiting for heartbeats; a busy cluster has other intervals.
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200",
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "200",
        "mapreduce.client.completion.pollinterval": "500",
        "yarn.client.application-client-protocol.poll-interval-ms": "100",
        "yarn.dispatcher.drain-events.timeout": "5000",
        # Everything on this machine only.
        "yarn.nodemanager.hostname": "localhost",
        "yarn.nodemanager.bind-host": "localhost",
        "yarn.resourcemanager.bind-host": "localhost",
        "mapreduce.jobhistory.bind-host": "localhost",
    }


def capacity_scheduler() -> dict[str, str]:
    """The scheduler's one queue. Several drivers may have a master each running at once."""
    return {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
        # Counts cores beside memory.
        "yarn.scheduler.capacity.resource-calculator": (
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
        ),
    }
