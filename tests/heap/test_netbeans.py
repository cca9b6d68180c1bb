"""Retained sizes of every object, against the NetBeans heap library that VisualVM shares.

The library has a size model of its own and other roots (locals are roots, not children of their
thread), counts references from garbage, and leaves class objects out. So its sizes are summed up
over the dominator tree under test and compared with what it says an object retains: that tests the
tree, object by object. The dump is taken after a full collection and holds no garbage to speak of.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from builders.jvm import compile_java, installed_jdks, running

from mprof.heap import open_heap

# The library as it was when HeapLib took it over, Apache-2.0; NetBeans' own module is not on every
# mirror of Maven Central.
ARTIFACT = "org.gridkit.jvmtool:hprof-heap:0.16"
TESTS = Path(__file__).parents[1]
# The library does not follow from a class to its constant pool and its protection domain: method
# handles, with the few arrays and names that only they hold, and a loader's map of domains.
HELD_BY_CLASSES = re.compile(
    r"java\.lang\.(invoke|ref)\.|java\.lang\.(Object|Class|String|Thread|Void)\b|byte\[\]"
    r"|java\.util\.(ImmutableCollections|concurrent\.ConcurrentHashMap)|jdk\.internal\.|java\.lang\.Module"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    group, name, version = ARTIFACT.split(":")
    command = ["mvn", "-B", "-q", "dependency:get", f"-Dartifact={ARTIFACT}", "-Dtransitive=false"]
    fetched = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    jar = Path.home().joinpath(".m2/repository", *group.split("."), name, version)
    jar /= f"{name}-{version}.jar"
    if fetched.returncode or not jar.exists():
        pytest.skip(f"{ARTIFACT} cannot be had here")
    return jar


@pytest.mark.jvm
@pytest.mark.slow
def test_every_object_retains_what_the_netbeans_library_says(library: Path, tmp_path: Path) -> None:
    home = installed_jdks()[17]
    classes = compile_java(home, [TESTS / "benchmarks/java/HeapFiller.java"], tmp_path / "filler")
    with running(home, classes, "HeapFiller", "20000") as java:
        path = java.dump(tmp_path / "filled.hprof")
    oracle = tmp_path / "oracle"
    oracle.mkdir()
    subprocess.run(
        [home / "bin/javac", "-cp", library, "-d", oracle, TESTS / "heap/java/RetainedSizes.java"],
        check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run(
        [home / "bin/java", "-Xmx1g", "-cp", f"{oracle}:{library}", "RetainedSizes", path,
         tmp_path / "sizes"],
        check=True, capture_output=True, timeout=500,
    )  # fmt: skip
    identifiers, sizes, theirs = (
        np.fromfile(tmp_path / "sizes", ">i8").reshape(-1, 3).astype(np.int64).T
    )

    heap = open_heap(path)
    nodes = np.array([heap.node_at(one) or 0 for one in identifiers.tolist()], np.int64)
    known = nodes > 0
    assert 0.995 * identifiers.size < np.count_nonzero(known)
    nodes, sizes, theirs = nodes[known], sizes[known], theirs[known]
    before = np.zeros(heap.nodes + 1, np.int64)
    before[nodes + 1] = sizes
    before = np.cumsum(before)
    ends = nodes + np.array([heap.subtree(node) for node in nodes.tolist()])
    ours = before[ends] - before[nodes]

    other = nodes[ours != theirs]
    unlike = {heap.class_name(node) for node in other.tolist()}
    assert set() == {name for name in unlike if not HELD_BY_CLASSES.match(name)}
    assert other.size < 0.005 * nodes.size
    # what the program itself holds is all alike, up to the largest
    filler = {"HeapFiller$Item", "HeapFiller$Known", "java.util.TreeMap", "java.util.HashMap"}
    of_filler = np.array([heap.class_name(node) in filler for node in nodes.tolist()])
    assert 15_000 < of_filler.sum()
    assert np.array_equal(theirs[of_filler], ours[of_filler])
    assert theirs[of_filler].max() > 0.1 * sizes.sum()
