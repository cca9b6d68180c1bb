"""What G1 loses at the ends of regions: by the definition, and by what a JVM itself counts."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.reference_rows import prefix_of
from builders.snapshots import snapshot
from objects.tasks import forget

from mprof.engines import MAPREDUCE, UserClasses
from mprof.evidence.assemble.memory import memory_of
from mprof.hadoop.java import java_home
from mprof.history import JobConf
from mprof.objects import REGION_BYTES, read_objects
from mprof.objects.regions import lost_at_ends
from mprof.trace import read_trace
from mprof.units import MIB

KEPT, HEAP = 1_150_000, "96m"
PROGRAM = f"""
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

class Kept {{
  static final List<byte[]> KEPT = new ArrayList<>();

  public static void main(String[] arguments) {{
    try {{
      while (true) {{
        KEPT.add(new byte[{KEPT}]);
      }}
    }} catch (OutOfMemoryError full) {{
      System.out.println(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }}
  }}
}}
"""


def test_an_object_of_more_than_half_a_region_has_its_regions_alone() -> None:
    half = MIB // 2
    sizes = [16, half, half + 8, MIB, MIB + 16, 3 * MIB]

    lost = dict(zip(REGION_BYTES, lost_at_ends(prefix_of(sizes)), strict=True))

    # of 1 MB: half less 8 of the third, 1 MB less 16 of the fifth; of 4 MB: 1 MB of the last alone
    assert lost[MIB] == (half - 8) + (MIB - 16)
    assert lost[4 * MIB] == MIB
    assert lost[32 * MIB] == 0


@pytest.mark.jvm
def test_live_objects_and_lost_ends_are_what_the_jvm_counts_as_used(tmp_path: Path) -> None:
    program, dump = tmp_path / "Kept.java", tmp_path / "oom.hprof"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [
        java_home() / "bin" / "java", "-XX:+UseG1GC", f"-Xmx{HEAP}", "-Xms16m",
        "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={dump}", program,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    used = int(done.stdout.splitlines()[-1])

    objects = read_objects(dump, user_classes=UserClasses(MAPREDUCE))
    forget(tmp_path)

    lost = objects.lost_at_ends[0]
    assert objects.live_bytes < 0.75 * used
    assert lost > 0.3 * used
    assert used == pytest.approx(objects.live_bytes + lost, rel=0.03)


@pytest.mark.parametrize(
    ("collector", "heap", "options", "expected"),
    [
        ("G1 Young Generation", 256 * MIB, "-Xmx256m", 1),
        ("G1 Young Generation", 5000 * MIB, "-Xmx5000m", 2),
        ("G1 Young Generation", 256 * MIB, "-XX:G1HeapRegionSize=5m", 4),
        ("PS Scavenge", 256 * MIB, "-Xmx256m", 0),
    ],
)
def test_the_size_of_a_region_is_that_of_the_options_or_of_the_heap(
    tmp_path: Path, collector: str, heap: int, options: str, expected: int
) -> None:
    lost = tuple(range(1, len(REGION_BYTES) + 1))  # by which the region is told
    megabytes = dict(zip(lost, (size // MIB for size in REGION_BYTES), strict=True)) | {0: 0}
    death = replace(snapshot("oom", [], at_death=True), lost_at_ends=lost)
    writer = EventWriter("attempt_1_0001_m_000000_0", heap_max=heap, collectors=[collector])
    trace = read_trace(writer.write(tmp_path))
    conf = JobConf({"mapreduce.map.java.opts": options})

    memory = memory_of(trace, death, conf)

    assert megabytes[memory.lost_bytes] == expected
