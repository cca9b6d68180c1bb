"""A whole, small file of every kind that ``mprof import`` reads."""

from __future__ import annotations

import json

__all__ = ["FILES"]

HISTORY = (
    'Meta VERSION="1" .\n'
    'Job JOBID="job_201101010000_0001" JOBNAME="j" USER="u" SUBMIT_TIME="1293840000000" .\n'
    'MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" '
    'TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_0" START_TIME="1293840003500" .\n'
)
TRANSFER = (
    "2014-08-20 12:34:56,789 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: "
    "src: /10.0.0.7:40312, dest: /10.0.0.8:50010, bytes: 134217728, op: HDFS_WRITE, cliID: c, "
    "offset: 0, srvID: s, blockid: blk_1_2, duration: 7\n"
)
MOVED = (
    "2014-08-20 12:00:00,000 INFO org.apache.hadoop.yarn.server.nodemanager.x.ContainerImpl: "
    "Container container_1_0001_01_000002 transitioned from SCHEDULED to RUNNING\n"
)
ATTEMPT = {"attemptID": "a", "hostName": "/r/h", "result": "SUCCESS", "startTime": 10**12}
RACK = {"name": "r", "children": [{"name": "h"}]}
JOB = {"jobID": "job_1_1", "mapTasks": [{"taskType": "MAP", "attempts": [ATTEMPT]}]}
STAMP = {"date": "2026-03-01", "time": "10:00:00", "tz": "UTC"}
SAMPLES = [{"timestamp": STAMP, "queue": {"ldavg-1": 1.5}}] * 2
SERIES = {"metric": {"__name__": "node_load1", "instance": "n1:9"}, "values": [[1.7e9, "1.5"]]}
BEANS = [
    {"name": "java.lang:type=Runtime", "StartTime": 1_700_000_000_000, "Uptime": 5},
    {"name": "d", "tag.Hostname": "n4", "HeartbeatsNumOps": 20, "HeartbeatsAvgTime": 3.5},
]

JOB_ANSWERS = [
    {"job": {"id": "job_1_0001", "name": "j", "user": "u", "state": "SUCCEEDED",
             "submitTime": 10**12, "startTime": 10**12, "finishTime": 10**12 + 60_000}},
    {"tasks": {"task": [{"id": "task_1_0001_m_000000", "type": "MAP", "state": "SUCCEEDED",
                         "startTime": 10**12, "finishTime": 10**12 + 50_000}]}},
    {"taskAttempts": {"taskAttempt": [
        {"id": "attempt_1_0001_m_000000_0", "type": "MAP", "state": "SUCCEEDED", "rack": "/r",
         "nodeHttpAddress": "n1:8042", "startTime": 10**12, "finishTime": 10**12 + 50_000}]}},
]  # fmt: skip
NODE_ANSWER = {"nodes": {"node": [
    {"id": "n1:45454", "nodeHostName": "n1", "state": "RUNNING", "rack": "/r",
     "lastHealthUpdate": 10**12, "numContainers": 1},
]}}  # fmt: skip
HEARTBEAT = (
    "2010-03-02 10:00:00,250 DEBUG org.apache.hadoop.mapred.JobTracker: Got heartbeat from: "
    "tracker_n1:localhost/127.0.0.1:40123 (restarted: false initialContact: false "
    "acceptNewTasks: true) with responseId: 7\n"
)

SAMPLE = '{"host": "n", "at_s": 1700000000.5, "user": 3.5, "runq_sz": 2.0, "ldavg_1": 1.5}\n'
FILES = {
    "job history": ("j", HISTORY),
    "TraceBench recording": (
        "t.tsv", "host\top\tstart_ms\tend_ms\tstatus\n" + "datanode001\tw\t0.000\t2.500\tok\n" * 2,
    ),
    "TraceBench manifest": ("m.tsv", "file\tfault\trequest\tdatanodes_seen\na\tb\tw\t50\n"),
    "Rumen job trace": ("r.json", f"{json.dumps(JOB)}\n{json.dumps(JOB, indent=1)}\n"),
    "Rumen topology": ("y.json", json.dumps({"name": "<root>", "children": [RACK]})),
    "samples of mprof collect": ("c.jsonl", SAMPLE * 3),
    "sadf -j": (
        "s.json",
        json.dumps({"sysstat": {"hosts": [{"nodename": "n", "statistics": SAMPLES}]}}, indent=1),
    ),
    "Prometheus export": (
        "p.json",
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [SERIES]}}),
    ),
    "Prometheus text": ("p.txt", 'node_load1{instance="n1:9100"} 1.5 1700000000.5\n' * 2),
    "/jmx dump": ("x.json", json.dumps({"beans": BEANS}, indent=2)),
    "DataNode log": ("d-datanode-n.log", TRANSFER * 2),
    "NodeManager log": ("d-nodemanager-n.log", MOVED * 2),
    "HistoryServer answers": ("h.rest.json", "\n".join(map(json.dumps, JOB_ANSWERS))),
    "ResourceManager answers": ("r.rest.json", json.dumps(NODE_ANSWER)),
    "JobTracker or TaskTracker log": ("d-jobtracker-n.log", HEARTBEAT * 2),
    "list of hosts": ("workers", "n1\nn2 n3 # more\n"),
}  # fmt: skip
"""Name and content, by the name of the kind."""
