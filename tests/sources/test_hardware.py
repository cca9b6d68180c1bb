"""What nodes are made of, from each source that says it."""

from __future__ import annotations

import json
from pathlib import Path

from builders.sources_read import read_source

GIB = 1 << 30


def told(path: Path) -> set[tuple[object, object, object]]:
    _, tables, losses = read_source(path)
    assert losses.count == 0, losses.first
    return {(row["host"], row["what"], row["amount"]) for row in tables.get("hardware", ())}


def test_jmx_tells_processors_and_memory_under_either_name(tmp_path: Path) -> None:
    def dump(host: str, memory: str) -> str:
        beans = [
            {"name": "java.lang:type=Runtime", "StartTime": 1_700_000_000_000, "Uptime": 1000},
            {
                "name": "java.lang:type=OperatingSystem", "AvailableProcessors": 8,
                memory: 32 * GIB, "SystemLoadAverage": 0.5,
            },
            {"name": "Hadoop:service=DataNode,name=JvmMetrics", "tag.Hostname": host},
        ]  # fmt: skip
        return json.dumps({"beans": beans})

    file = tmp_path / "jmx.json"
    file.write_text(
        dump("n1", "TotalPhysicalMemorySize") + "\n" + dump("n2", "TotalMemorySize") + "\n"
    )

    assert told(file) == {
        (host, what, amount)
        for host in ("n1", "n2")
        for what, amount in (("processors", 8.0), ("memory", 32.0 * GIB))
    }


def test_a_node_manager_tells_what_it_may_give_and_the_last_word_counts(tmp_path: Path) -> None:
    file = tmp_path / "hadoop-x-nodemanager-n3.log"
    line = (
        "2026-11-24 02:24:{:02d},592 INFO org.apache.hadoop.yarn.server.nodemanager."
        "NodeStatusUpdaterImpl: Registered with ResourceManager as n3:8041 with total resource of "
        "<memory:{}, vCores:{}>\n"
    )
    file.write_text(line.format(1, 4096, 4) + line.format(9, 8192, 8))

    assert told(file) == {
        ("n3", "YARN memory", 8.0 * GIB), ("n3", "YARN processors", 8.0),
    }  # fmt: skip


def test_a_registration_that_says_no_resources_tells_nothing(tmp_path: Path) -> None:
    file = tmp_path / "hadoop-x-nodemanager-n3.log"
    file.write_text(
        "2026-11-24 02:24:01,592 INFO x.NodeStatusUpdaterImpl: Registered with ResourceManager as "
        "n3:8041\n"
    )

    assert told(file) == set()


def test_sadf_tells_the_processors_of_each_host(tmp_path: Path) -> None:
    sample = {
        "timestamp": {"date": "2026-11-24", "time": "02:24:01", "utc": 1, "interval": 1},
        "queue": {"runq-sz": 3},
    }
    hosts = [
        {"nodename": name, "sysname": "Linux", "number-of-cpus": count, "statistics": [sample] * 2}
        for name, count in (("n1", 8), ("n2", 16))
    ]
    file = tmp_path / "sa.json"
    file.write_text(json.dumps({"sysstat": {"hosts": hosts}}, indent=1))

    assert told(file) == {("n1", "processors", 8.0), ("n2", "processors", 16.0)}


def test_node_exporter_tells_as_many_processors_as_it_counts(tmp_path: Path) -> None:
    series = [
        {
            "metric": {
                "__name__": "node_cpu_seconds_total", "instance": "n1:9100", "cpu": str(cpu),
                "mode": mode,
            },
            "values": [[1_700_000_000, "1"], [1_700_000_015, "2"]],
        }
        for cpu in range(6)
        for mode in ("user", "system", "idle")
    ]  # fmt: skip
    file = tmp_path / "prometheus.json"
    file.write_text(
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})
    )

    assert told(file) == {("n1", "processors", 6.0)}
