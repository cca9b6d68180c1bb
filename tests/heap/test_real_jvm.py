"""Dumps of real JVMs: counts as the JVM itself reports them, threads with their lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builders.jvm import compile_java, installed_jdks, running

from mprof.heap import open_heap

JDKS = installed_jdks()
FILLER = Path(__file__).parents[1] / "benchmarks" / "java" / "HeapFiller.java"
LARGE_MAP = FILLER.with_name("LargeMap.java")

# What the VM holds outside the dump: threads of its compilers, with locks and names, mirrors and
# their fields, interned strings; and what the two commands make for themselves.
HELD_BY_THE_VM = re.compile(
    r"java\.lang\.(Object$|Thread$|Thread\$FieldHolder$|Class|String|Object\[\]|Module|ref\.|invoke\.|reflect\.|Package|NamedPackage|Long)"
    r"|byte\[\]|int\[\]|long\[\]|char\[\]|java\.util\.|jdk\.internal\.|sun\.|java\.security\."
    r"|java\.lang\.StackTraceElement|java\.lang\.AssertionStatusDirectives|java\.lang\.[A-Z]\w*Error"
)
LINE = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)")


def _name(internal: str) -> str:
    depth = internal.count("[")
    element = internal.lstrip("[")
    simple = {"B": "byte", "I": "int", "J": "long", "C": "char", "S": "short", "Z": "boolean",
              "F": "float", "D": "double"}  # fmt: skip
    if depth:
        element = element[1:-1] if element.startswith("L") else simple[element]
    return element + depth * "[]"


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("version", JDKS)
def test_counts_and_sizes_are_those_of_the_class_histogram_of_the_same_jvm(
    version: int, tmp_path: Path
) -> None:
    folder = compile_java(JDKS[version], [FILLER], tmp_path / "classes")
    with running(JDKS[version], folder, "HeapFiller", "3000", "7") as java:
        path = java.dump(tmp_path / "filled.hprof")
        histogram = java.jcmd("GC.class_histogram")
    heap = open_heap(path)
    assert () == heap.losses
    expected = {
        _name(match[3]): (int(match[1]), int(match[2]))
        for line in histogram.splitlines()
        if (match := LINE.match(line))
    }
    found = {row.name: (row.objects, row.shallow_bytes) for row in heap.class_histogram}
    different = {
        name: (expected.get(name), found.get(name))
        for name in expected.keys() | found.keys()
        if expected.get(name) != found.get(name) and not HELD_BY_THE_VM.match(name)
    }
    assert {} == different
    assert expected["HeapFiller$Item"] == found["HeapFiller$Item"]
    for name in ("java.lang.Object", "java.lang.Thread"):
        assert 0 <= expected[name][0] - found[name][0] <= 8
    # the other classes above differ by little: the VM's own strings and tables
    for name in ("java.lang.String", "byte[]", "java.util.HashMap$Node", "java.lang.Long"):
        assert found[name][0] == pytest.approx(expected[name][0], rel=0.02)

    # KNOWN: 1000 objects of 24 bytes; a chain, of which the array holds every link
    known = heap.statics("HeapFiller")["KNOWN"]
    assert isinstance(known, int)
    assert 1000 * 24 + heap.shallow(known) == heap.retained(known)
    known_map = heap.statics("HeapFiller")["KNOWN_MAP"]
    assert isinstance(known_map, int)
    # a map of 1000 Long → Known: entries of 32, keys and values of 24, a table of 2048 x 4 + 16
    assert heap.shallow(known_map) + 2048 * 4 + 16 + 1000 * (32 + 24 + 24) == heap.retained(
        known_map
    )
    found_container = heap.container(known_map)
    assert found_container is not None
    assert ("map", 1000, 2048, "HeapFiller$Known") == (
        found_container.kind, found_container.length, found_container.capacity,
        found_container.element_class)  # fmt: skip

    (main,) = [thread for thread in heap.threads if thread.name == "main"]
    held = next(frame for frame in main.frames if frame.method == "hold")
    assert ("HeapFiller", "HeapFiller.java") == (held.class_name, held.file)
    assert held.line > 0
    assert held.reachable_bytes > 1000 * 24


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in JDKS if version >= 17])
def test_a_dump_that_the_jvm_packed_says_the_same(version: int, tmp_path: Path) -> None:
    folder = compile_java(JDKS[version], [FILLER], tmp_path / "classes")
    with running(JDKS[version], folder, "HeapFiller", "20000", "7") as java:
        plain = open_heap(java.dump(tmp_path / "plain.hprof"))
        packed = open_heap(java.dump(tmp_path / "packed.hprof.gz", "-gz=1"))
    assert () == packed.losses
    by_name = {row.name: row for row in plain.class_histogram}
    for row in packed.class_histogram:
        if row.name.startswith("HeapFiller"):
            assert by_name[row.name] == row


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("version", JDKS)
def test_the_thread_that_ran_out_of_memory_is_named_with_its_line(
    version: int, tmp_path: Path
) -> None:
    source = tmp_path / "Dies.java"
    source.write_text(
        "import java.util.*;\n"
        "public class Dies {\n"
        "  static void fill(List<byte[]> into) {\n"
        "    while (true) into.add(new byte[1 << 16]);\n"
        "  }\n"
        "  public static void main(String[] a) throws Exception {\n"
        '    Thread t = new Thread(() -> fill(new ArrayList<>()), "the filler");\n'
        "    t.start();\n"
        "    t.join();\n"
        "  }\n"
        "}\n",
        encoding="utf-8",
    )
    folder = compile_java(JDKS[version], [source], tmp_path / "classes")
    import subprocess

    path = tmp_path / "died.hprof"
    subprocess.run(
        [JDKS[version] / "bin/java", "-Xmx24m", "-XX:+HeapDumpOnOutOfMemoryError",
         f"-XX:HeapDumpPath={path}", "-cp", folder, "Dies"],
        check=False, capture_output=True, timeout=120,
    )  # fmt: skip
    heap = open_heap(path)
    assert heap.oom_thread is not None
    assert "the filler" == heap.oom_thread.name
    frame = next(one for one in heap.oom_thread.frames if one.method == "fill")
    assert ("Dies", "Dies.java", 4) == (frame.class_name, frame.file, frame.line)
    assert frame.reachable_bytes > 10 << 20
    assert heap.oom_thread.retained_bytes >= frame.reachable_bytes
    largest = heap.instances("byte[]")[0]
    big = max(heap.instances("byte[]").tolist(), key=heap.shallow)
    assert heap.shallow(big) >= 1 << 16 >= heap.shallow(largest) or big == largest
    steps = heap.path_from_root(big)
    assert any(step.frame is not None and step.frame.method == "fill" for step in steps)
    assert ["elementData"] == [step.via for step in steps if step.via == "elementData"]


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in JDKS if version >= 22])
def test_virtual_threads_have_frames_and_locals_of_their_own(version: int, tmp_path: Path) -> None:
    source = tmp_path / "Virtual.java"
    source.write_text(
        "import java.util.concurrent.*;\n"
        "public class Virtual {\n"
        "  static void park(CountDownLatch l, int i) throws Exception {\n"
        "    long[] held = new long[1000 + i];\n"
        "    l.countDown();\n"
        "    new CountDownLatch(1).await();\n"
        "    System.out.println(held.length);\n"
        "  }\n"
        "  public static void main(String[] a) throws Exception {\n"
        "    CountDownLatch l = new CountDownLatch(3);\n"
        "    String last = null;\n"
        "    for (int i = 0; i < 3; i++) {\n"
        "      int n = i;\n"
        "      Thread.Builder light = Thread.ofVirtual();\n"
        '      if (i < 2) light.name("light " + i);\n'
        "      last = light.start(() -> {\n"
        "        try { park(l, n); } catch (Exception e) { throw new Error(e); }\n"
        "      }).toString();\n"
        "    }\n"
        "    l.await();\n"
        "    Thread.sleep(500);\n"
        '    System.out.println("ready " + last.split("/")[0]);\n'
        "    Thread.sleep(3_600_000);\n"
        "  }\n"
        "}\n",
        encoding="utf-8",
    )
    folder = compile_java(JDKS[version], [source], tmp_path / "classes")
    with running(JDKS[version], folder, "Virtual") as java:
        heap = open_heap(java.dump(tmp_path / "virtual.hprof"))
        names = ["light 0", "light 1", *java.words]  # of the last as Thread.toString tells it
    assert () == heap.losses
    light = {thread.name: thread for thread in heap.threads if thread.is_virtual}
    assert set(names) == light.keys()
    for number, name in enumerate(names):
        stack = light[name].frames
        frame = next(f for f in stack if (f.class_name, f.method) == ("Virtual", "park"))
        lengths = {heap.array_length(node) for node in frame.locals}
        assert 1000 + number in lengths
        assert frame.reachable_bytes >= 8000


@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in JDKS if version >= 15])
def test_a_map_retains_the_same_under_zgc_which_spreads_its_heap_out(
    version: int, tmp_path: Path
) -> None:
    # with this heap ZGC of JDK 17 and 21 has the table of the map more than 32 GB above its entries
    folder = compile_java(JDKS[version], [LARGE_MAP], tmp_path / "classes")
    entries = 600_000
    found = []
    for collector in ("-XX:+UseG1GC", "-XX:+UseZGC"):
        # ZGC never has compressed references; what the initial heap has room for is not spread
        options = ("-Xms32m", "-Xmx2200m", "-XX:-UseCompressedOops", collector)
        with running(JDKS[version], folder, "LargeMap", str(entries), options=options) as java:
            heap = open_heap(java.dump(tmp_path / f"{collector[5:]}.hprof"))
        known = heap.statics("LargeMap")["ALL"]
        assert isinstance(known, int)
        table = heap.reference(known, "table")
        assert table is not None
        found.append((heap.retained(known), heap.subtree(known)))
        # entries of 40, keys of 16, values of 24, but 5 and 128 of those are in the JVM's caches
        held = entries * (40 + 16 + 24) - 5 * 16 - 128 * 24
        assert heap.shallow(table) == (1 << 20) * 8 + 16
        assert heap.retained(table) == heap.shallow(table) + held
        if version < 25 and "ZGC" in collector:
            assert heap.address(table) - heap.address(known) > 32 << 30
    under_g1, under_zgc = found
    assert under_g1 == under_zgc
