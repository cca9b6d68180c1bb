"""The settings of the embedded cluster, and the reason for each."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["capacity_scheduler", "cluster_properties"]

_NODE_MEMORY_MB = 8192

# Hadoop's own options, and no C2, as for the application master below. The tasks of two jobs over
# 24 MB of lines took 1.7 and 3.3 s of processor time, and 3.1 and 6.3 s with C2. A job that takes
# minutes sets -XX:TieredStopAtLevel=4 among its own options, which come later.
_TASKS = "-Djava.net.preferIPv4Stack=true -Dhadoop.metrics.log.level=WARN -XX:TieredStopAtLevel=1"

_WEEK_SECONDS = 7 * 24 * 3600


def cluster_properties(*, work: Path, lib: Path) -> dict[str, str]:
    """The properties that both the cluster and its clients load."""
    return {
        "fs.defaultFS": "file:///",
        "hadoop.tmp.dir": str(work / "tmp"),
        "mapreduce.framework.name": "yarn",
        "yarn.app.mapreduce.am.staging-dir": str(work / "staging"),
        # Here every local jar of -libjars is already on the cluster's file system, so it is not
        # copied into the staging folder; with the wildcard, tasks would look for it there
        # (JobResourceUploader.uploadLibJars).
        "mapreduce.client.libjars.wildcard": "false",
        # Tasks and application masters use the jars that Maven resolved; nothing is installed.
        "mapreduce.application.classpath": f"{lib}/*",
        "yarn.application.classpath": str(work / "conf"),
        # One node of a common size; several tasks of 1 GB fit.
        "yarn.minicluster.yarn.nodemanager.resource.memory-mb": str(_NODE_MEMORY_MB),
        "yarn.nodemanager.resource.memory-mb": str(_NODE_MEMORY_MB),
        "yarn.scheduler.maximum-allocation-mb": str(_NODE_MEMORY_MB),
        # YARN's own default. A job that sets -Xmx alone asks for 1.25 times that; what rounds it up
        # at work must round it up here, or its container kills it where its heap would have.
        "yarn.scheduler.minimum-allocation-mb": "1024",
        # Cores limit the number of concurrent tasks, which memory alone would not on this node:
        # one for the application master, one per core of the machine, one spare, at least four.
        "yarn.nodemanager.resource.cpu-vcores": str(max(4, (os.cpu_count() or 2) + 2)),
        "yarn.app.mapreduce.am.resource.mb": "1024",
        # An application master lives for seconds, too short for C2 to pay off. Word count of 3 kB,
        # two busy cores, submission to end, four times each: 16 to 21 s without the last option,
        # 7 to 11 s with it.
        "yarn.app.mapreduce.am.command-opts": "-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "mapreduce.admin.map.child.java.opts": _TASKS,
        "mapreduce.admin.reduce.child.java.opts": _TASKS,
        # Without both properties the mini cluster switches the memory checks off
        # (MiniYARNCluster.NodeManagerWrapper, MiniMRYarnCluster.serviceInit); a container killed
        # for its memory is one of the deaths to be explained. Virtual memory is meaningless for a
        # 64-bit JVM.
        "yarn.minicluster.control-resource-monitoring": "true",
        "mapreduce.minicluster.control-resource-monitoring": "true",
        "yarn.nodemanager.pmem-check-enabled": "true",
        "yarn.nodemanager.vmem-check-enabled": "false",
        # The default, true, leaves the limit to control groups, and the monitor checks nothing
        # (ContainersMonitorImpl.checkLimit); here there are no control groups.
        "yarn.nodemanager.resource.memory.enforced": "false",
        "yarn.nodemanager.container-monitor.interval-ms": "1000",
        # At the default of 90 %, a fairly full disk makes the node unhealthy: jobs wait forever.
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
        # Container logs stay until the cluster stops.
        "yarn.log-aggregation-enable": "false",
        "yarn.nodemanager.log.retain-seconds": str(_WEEK_SECONDS),
        # Small jobs spend most of their time waiting for heartbeats: shorter than the defaults.
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200",
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "200",
        "mapreduce.client.completion.pollinterval": "500",
        "yarn.client.application-client-protocol.poll-interval-ms": "100",
        "yarn.dispatcher.drain-events.timeout": "5000",
        # For a cluster that shares the machine's network (namespaces.py tells of the other):
        # the daemons listen on this machine only. Hadoop has no such setting for the NodeManager's
        # shuffle handler (ShuffleHandler; what is asked of it is signed with the job's token), nor
        # for three ports of each application master (MRClientService, TaskAttemptListenerImpl, its
        # web pages), which others in the network can reach while a job runs.
        "yarn.nodemanager.hostname": "localhost",
        "yarn.nodemanager.bind-host": "localhost",
        "yarn.resourcemanager.bind-host": "localhost",
        "mapreduce.jobhistory.bind-host": "localhost",
    }


def capacity_scheduler() -> dict[str, str]:
    """One queue, with room for the application masters of several concurrent drivers."""
    return {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
        # Schedules by cores as well as memory.
        "yarn.scheduler.capacity.resource-calculator": (
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
        ),
    }
