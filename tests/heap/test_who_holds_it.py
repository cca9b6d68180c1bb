"""Who holds the memory of plain Java programs that died of a full heap: each is known."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER
from typer.testing import CliRunner

from mprof.cli.subcommands import app
from mprof.hadoop.java import java_home

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java"
SOURCE = JAVA / "FullHeaps.java"
SOURCES = (
    SOURCE,
    JAVA / "ManyHolders.java",
    JAVA / "Passing.java",
    JAVA / "WithLibraries.java",
    *sorted((JAVA / "libraries").rglob("*.java")),
)


@dataclass(frozen=True)
class Truth:
    """What the program is known to do.

    Attributes:
        threads: that may be at work on what fills the heap.
        methods: of which one is at work on it.
        holder: words of the holder's name. What it is reached from may be a local that compiled
            code has dropped, sooner or later as the machine is busy.
        container: the class in which the memory stands, and its least length.
    """

    threads: tuple[str, ...]
    methods: tuple[str, ...]
    holder: str
    container: tuple[str, int | None]


MAIN = ("main",)
TRUTHS = {
    "listeners": Truth(
        MAIN, ("FullHeaps.listen",), "static shop.FullHeaps$Feed.LISTENERS",
        ("java.util.ArrayList", 10_000),
    ),
    "tree": Truth(
        MAIN, ("FullHeaps.index",), "local TreeMap of FullHeaps.index()",
        ("java.util.TreeMap", 100_000),
    ),
    "table": Truth(
        MAIN, ("FullHeaps.count",), "local HashMap of FullHeaps.count()",
        ("java.util.HashMap", 100_000),
    ),
    "text": Truth(
        MAIN, ("FullHeaps.render",), "local StringBuilder of FullHeaps.render()",
        ("java.lang.StringBuilder", 1_000_000),
    ),
    "stream": Truth(
        MAIN, ("FullHeaps$Export.write",), "FullHeaps.Export.out",
        ("java.io.ByteArrayOutputStream", 1_000_000),
    ),
    "thread-local": Truth(
        ("pool-1-thread-1",), ("FullHeaps$Pages.load",), "shop.FullHeaps$Pages.CACHE",
        ("java.util.ArrayList", 1000),
    ),
    "bystander": Truth(
        ("request-1",), ("FullHeaps$Sessions.serve",), "FullHeaps.Sessions.open",
        ("java.util.HashMap", 10_000),
    ),
    "recursion": Truth(
        MAIN, ("FullHeaps.descend",), "local byte[] of FullHeaps.descend()", ("byte[]", 20_000),
    ),
    "finalizers": Truth(
        MAIN, ("FullHeaps$Handle.<init>", "FullHeaps.main"),
        "objects of FullHeaps.Handle that wait for their finalizers",
        ("shop.FullHeaps$Handle", None),
    ),
    "queue": Truth(
        MAIN, ("FullHeaps$Inbox.produce",), "FullHeaps.Inbox.messages",
        ("java.util.concurrent.LinkedBlockingQueue", 100_000),
    ),
    "collect": Truth(
        MAIN, ("FullHeaps.load",), "FullHeaps.load()", ("java.util.ArrayList", 50_000)
    ),
    "shared": Truth(
        ("loader-0", "loader-1", "loader-2"), ("FullHeaps$Cache.fill",), "FullHeaps.Cache.rows",
        ("java.util.concurrent.ConcurrentHashMap", 50_000),
    ),
    "own-tree": Truth(
        MAIN, ("FullHeaps$OwnTree.grow", "FullHeaps$OwnTree.insert"), "FullHeaps.OwnTree.root",
        ("shop.FullHeaps$Node", 10_000),
    ),
    # Not the constructor of what is about to be put into it.
    "requests": Truth(
        MAIN, ("FullHeaps$Requests.serve",), "static shop.FullHeaps$Requests.OPEN",
        ("java.util.concurrent.ConcurrentHashMap", 5000),
    ),
    # Not the map of one entry.
    "shards": Truth(
        MAIN, ("FullHeaps$Shards.fill",), "static shop.FullHeaps$Shards.BY_NAME",
        ("java.util.ArrayList", 10_000),
    ),
    # Not the field whose claim leads back to the object itself.
    "behind": Truth(
        MAIN, ("FullHeaps$Plugged.run",), "field FullHeaps.Plugged.trail",
        ("java.util.ArrayList", 100_000),
    ),
    "deque": Truth(
        MAIN, ("FullHeaps.walk",), "local ArrayDeque of FullHeaps.walk()",
        ("java.util.ArrayDeque", 50_000),
    ),
    # Not the JDK's own class that gathers for a collector.
    "grouped": Truth(
        MAIN, ("FullHeaps.group",),
        "local HashMap within ReferencePipeline.collect(), called by FullHeaps.group()",
        ("java.util.HashMap", 500),
    ),
    # Not whatever the exchange leads to first: through the server it leads everywhere.
    "served": Truth(
        ("HTTP-Dispatcher",), ("FullHeaps$Served.handle",),
        "Impl.attributes (reached from local HttpExchangeImpl of FullHeaps.Served.handle())",
        ("java.util.concurrent.ConcurrentHashMap", 5000),
    ),
    # Not the class alone, of which there are many: what keeps their loaders.
    "reloaded": Truth(
        MAIN, ("FullHeaps$Reloads.reload",), "(kept by field FullHeaps.Reloads.plugins)",
        ("byte[][]", 50),
    ),
    # Not the many objects that wait in it.
    "hooks": Truth(
        MAIN, ("FullHeaps.hook",), "static java.lang.ApplicationShutdownHooks.hooks",
        ("java.util.IdentityHashMap", 5000),
    ),
    "loggers": Truth(
        MAIN, ("FullHeaps$Held.publish", "FullHeaps$Audit.note"),
        "field FullHeaps.Held.records (reached from static shop.FullHeaps$Logs.ROOT)",
        ("java.util.ArrayList", 3_000),
    ),
    "shaped": Truth(
        MAIN, ("FullHeaps$Shape.of", "FullHeaps$Shaping.shape"), "FullHeaps.Shaping.shaped",
        ("java.util.HashMap", 2_000),
    ),
    # Not who takes from the queue, though it meets the error.
    "fed": Truth(
        ("feeder",), ("FullHeaps$Feeder.feed",), "FullHeaps.Feeder.pipe.queue",
        ("java.util.concurrent.LinkedBlockingQueue", 11_999),
    ),
    # Not the list of the waiting thread alone, which may have died before the dump.
    "parallel": Truth(
        ("main", "ForkJoinPool.commonPool-worker-1"),
        ("FullHeaps.loadAtOnce", "FullHeaps.lambda$loadAtOnce"), "local ArrayList within ",
        ("java.util.ArrayList", 10_000),
    ),
    "awaited": Truth(
        MAIN, ("FullHeaps$Gate.call",), "static shop.FullHeaps$Gate.OPEN",
        ("java.util.concurrent.CompletableFuture", 50_000),
    ),
    "in-order": Truth(
        MAIN, ("FullHeaps$Ledger.post",), "field FullHeaps.Ledger.byTime",
        ("java.util.concurrent.ConcurrentSkipListMap", 50_000),
    ),
    "unbounded": Truth(
        MAIN, ("FullHeaps$Tail.follow",), "field FullHeaps.Tail.lines",
        ("java.util.concurrent.ConcurrentLinkedQueue", 100_000),
    ),
    "own-list": Truth(
        MAIN, ("FullHeaps.chain",), "local FullHeaps.Link of FullHeaps.chain()",
        ("shop.FullHeaps$Link", 100_000),
    ),
    # Not the outer proxy, which is of the same class as the inner one.
    "wrapped": Truth(
        MAIN, ("FullHeaps.lambda$wrap", "FullHeaps.repeat", "FullHeaps.wrap"), "local HashMap",
        ("java.util.HashMap", 20_000),
    ),
    # Not the map of three sets, of which each has a part and one all.
    "topics": Truth(
        MAIN, ("FullHeaps$Topics.subscribe", "FullHeaps.main"),
        "static shop.FullHeaps$Topics.SUBSCRIBERS",
        ("java.util.HashSet", 5000),
    ),
    # Not whoever has started the thread and does not wait for it yet.
    "started": Truth(
        ("request-1",), ("FullHeaps$Started.serve",), "FullHeaps.Started.open",
        ("java.util.HashMap", 10_000),
    ),
    # Not the parameter by which a method of the object has its map.
    "handed": Truth(
        ("request-1",), ("FullHeaps$Handed.fill",), "field FullHeaps.Handed.open",
        ("java.util.HashMap", 10_000),
    ),
    # Not the thread that has made the connection and waits.
    "statement": Truth(
        ("audit-writer",), ("WithLibraries.write",),
        "field MVMap.Database.maps (reached from ",
        ("org.h2.mvstore.MVMap", 4000),
    ),
    # Not the configuration, which leads to the requests through the server.
    "waiting": Truth(
        ("qtp-1",), ("WithLibraries$Feed.handle",), "field WithLibraries.Feed.waiting",
        ("java.util.ArrayDeque", 3000),
    ),
    "unanswered": Truth(
        ("qtp-1",), ("WithLibraries$Poll.handle",),
        "field Server.open (reached from ",
        ("java.util.ArrayList", 3000),
    ),
    # Not a method of the library alone.
    "pooled": Truth(
        ("encoder-1",), ("WithLibraries.encode",),
        "static PoolArena.Pool.DEFAULT (reached from local PoolArena of WithLibraries.encode())",
        ("io.netty.buffer.PoolArena", 5000),
    ),
    # What was put into it, unlike what a thread waits to hand over.
    "posted": Truth(
        MAIN, ("ManyHolders.post",), "static shop.ManyHolders$Tube.POST",
        ("java.util.concurrent.LinkedTransferQueue", 50_000),
    ),
    # Not the map of one entry, which is of the same class as the one inside.
    "by-region": Truth(
        MAIN, ("ManyHolders$Regions.add", "ManyHolders.main"),
        "static shop.ManyHolders$Regions.ALL",
        ("java.util.concurrent.ConcurrentSkipListMap", 50_000),
    ),
    "own-slots": Truth(
        MAIN, ("ManyHolders$Visit.<init>", "ManyHolders$Visit.enter"),
        "thread-locals with objects of ManyHolders.Visit", ("shop.ManyHolders$Visit", None),
    ),
    "captured": Truth(
        MAIN, ("ManyHolders$1.run",), "variable names captured by ManyHolders.1",
        ("java.util.HashMap", 50_000),
    ),
    "settings": Truth(
        MAIN, ("ManyHolders$Settings.load",), "field ManyHolders.Settings.all",
        ("java.util.Properties", 50_000),
    ),
    # Not the number of its chunks.
    "gathered": Truth(
        MAIN, ("ManyHolders.gather",),
        "within ReferencePipeline.toArray(), called by ManyHolders.gather()",
        ("java.util.stream.Nodes$SpinedNodeBuilder", 50_000),
    ),
    "memoised": Truth(
        MAIN, ("ManyHolders$Tables.lambda$remembering", "ManyHolders.main"),
        "local HashMap captured by a lambda of ManyHolders.Tables "
        "(reached from static shop.ManyHolders$Tables.BY_SIZE)",
        ("java.util.HashMap", 50_000),
    ),
    # Nothing but their threads keeps the applications.
    "served-by-threads": Truth(
        MAIN, ("ManyHolders$Served.<clinit>", "ManyHolders.deploy"), "such as \"app-",
        ("char[][]", 40),
    ),
    # Not the list of a few lines, each of which leads to all others.
    "one-of-few": Truth(
        MAIN, ("Passing$Line.deliver",), "field Passing.Line.backlog",
        ("java.util.ArrayList", 10_000),
    ),
    # Not the selector, nor the method that goes through its keys.
    "attached": Truth(
        MAIN, ("Passing$Chat.receive",),
        "field Passing.Chat.pending of 60 objects", ("byte[]", 100_000),
    ),
    "answered": Truth(
        MAIN, ("Passing$Session.enqueue", "Passing$Sessions.broadcast"),
        "field Passing.Session.outbox of 40 objects",
        ("java.util.ArrayDeque", 3000),
    ),
    "one-of-many": Truth(
        MAIN, ("Passing$Upload.accept",), "field Passing.Upload.blocks",
        ("java.util.HashMap", 20_000),
    ),
    # Not the map of thirty, of which two have all.
    "peers": Truth(
        MAIN, ("Passing$Peer.hear", "Passing$Hub.run"),
        "field Passing.Peer.inbox of 2 objects",
        ("java.util.LinkedList", 50_000),
    ),
    # Not whoever has the innermost stream, which is whose local it is.
    "archived": Truth(
        MAIN, ("Passing.copy",), "local ByteArrayOutputStream of Passing.archive()",
        ("java.io.ByteArrayOutputStream", 1_000_000),
    ),
    "printed": Truth(
        MAIN, ("Passing.row",), "local StringWriter of Passing.page()",
        ("java.lang.StringBuffer", 1_000_000),
    ),
    # Not the buffer of the stream before it.
    "framed": Truth(
        MAIN, ("Passing.frame",), "local ByteArrayOutputStream of Passing.frames()",
        ("java.io.ByteArrayOutputStream", 1_000_000),
    ),
    "encoded": Truth(
        MAIN, ("Passing.frame",), "local DataOutputStream of Passing.encode()",
        ("java.io.ByteArrayOutputStream", 1_000_000),
    ),
    # What it has captured is a variable there.
    "spooled": Truth(
        MAIN, ("Passing$1.write", "Passing.spool"),
        "variable parts captured by Passing.1", ("java.util.ArrayDeque", 500),
    ),
    "sharded": Truth(
        MAIN, ("Passing$Shard.put", "Passing$Words.index"),
        "field Passing.Shard.postings of 5 objects",
        ("java.util.HashMap", 5000),
    ),
    # The last of a chain, of which the path has the first only.
    "chained": Truth(
        MAIN, ("Passing.after",), "local CompletableFuture of Passing.chain()",
        ("java.util.concurrent.CompletableFuture$UniApply", None),
    ),
    # Not nobody, while an object is made that is to be put in; nor the map of eight.
    "managed": Truth(
        MAIN, ("Passing.register",), "field JmxMBeanServer.mbsInterceptor (reached from ",
        ("java.util.HashMap", 3000),
    ),
    "grown-tree": Truth(
        MAIN, ("Passing.divide",), "local Passing.Branch.under of Passing.grow()",
        ("java.util.ArrayList", 3),
    ),
}  # fmt: skip
OF_MANY = (
    "posted", "by-region", "own-slots", "captured", "settings", "gathered", "memoised",
    "served-by-threads", "handed-over", "calling", "swapped", "held-up", "halves",
)  # fmt: skip
OF_PASSING = (
    "one-of-few", "attached", "answered", "one-of-many", "peers", "archived", "printed", "framed",
    "encoded", "spooled", "sharded", "chained", "managed", "grown-tree",
)  # fmt: skip
# Of whose threads compiled code holds the lists in registers, so that no root reaches some of them.
INTERPRETED = ("parallel",)
OF_LIBRARIES = ("statement", "waiting", "unanswered", "pooled")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full-heaps")
    javac = [str(java_home() / "bin/javac"), *SOON_OVER, "-nowarn", "-proc:none"]
    sources = [str(each) for each in SOURCES]
    subprocess.run([*javac, "-d", str(folder), *sources], check=True, capture_output=True)
    return folder


def said(dump: Path, *options: str, verb: str = "heap") -> str:
    result = CliRunner().invoke(app, [verb, str(dump), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def full_heap(classes: Path, kind: str, dump: Path, *options: str) -> Path:
    program = "shop.WithLibraries" if kind in OF_LIBRARIES else "shop.FullHeaps"
    program = "shop.ManyHolders" if kind in OF_MANY else program
    program = "shop.Passing" if kind in OF_PASSING else program
    subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx20m", "-Xss8m", "-XX:+UseSerialGC",
            *options, "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={dump}",
            "-XX:+ExitOnOutOfMemoryError", "-cp", str(classes), program, kind,
        ],
        check=False, capture_output=True, timeout=600,
    )  # fmt: skip
    return dump


@pytest.mark.parametrize("kind", TRUTHS)
def test_thread_method_holder_and_container_are_named(
    classes: Path, tmp_path: Path, kind: str
) -> None:
    options = ("-Xint",) if kind in INTERPRETED else ()
    truth, dump = TRUTHS[kind], full_heap(classes, kind, tmp_path / f"{kind}.hprof", *options)

    summary = json.loads(said(dump, "--json"))
    largest = summary["holders"][0]

    assert largest["share"] > 0.5
    assert largest["thread"] in truth.threads
    site = largest["site"]
    method = f"{site['class']}.{site['method']}".removeprefix("shop.")
    assert re.sub(r"(lambda\$\w+)\$\d+$", r"\1", method) in truth.methods  # numbered by javac
    assert truth.holder in largest["name"]
    container, least = truth.container
    assert largest["class"] == container
    assert (largest["length"] is None) if least is None else (largest["length"] >= least)
    if kind == "recursion":
        assert largest["frames"] > 500
    # The first two lines of the text say the same.
    first, second, *_ = said(dump).splitlines()
    assert truth.holder in f"{first[0].lower()}{first[1:]}"
    assert f"{site['class']}.{site['method']}" in second
    assert f'"{largest["thread"]}"' in second


# Of what each thread has: its name, where most of the threads stand, and the container.
EACH_THREADS = {
    "handed-over": (
        "ocals? long\\[\\]\\[\\] of ManyHolders.Dialler.dial\\(\\)",
        "connect",
        "long[][]",
        20,
    ),
    # Not the queue that each of them refers to.
    "calling": ("ields? ManyHolders.Caller.notes", "call", "java.util.ArrayList", 20),
    "swapped": ("ields? ManyHolders.Swapper.own", "swap", "java.util.ArrayList", 20),
    "held-up": ("ocals? TreeMap of ManyHolders.Till.pay\\(\\)", "queue", "java.util.TreeMap", 20),
}


@pytest.mark.parametrize("kind", EACH_THREADS)
def test_what_hundreds_of_threads_hold_is_one_holder_with_the_method_that_they_share(
    classes: Path, tmp_path: Path, kind: str
) -> None:
    name, method, container, length = EACH_THREADS[kind]
    # Where compiled code has dropped the local in every frame of a thread, nothing names it: on a
    # busy machine that was so of up to half of the threads. So nothing is compiled here.
    dump = full_heap(classes, kind, tmp_path / f"{kind}.hprof", "-Xint")

    summary = json.loads(said(dump, "--json"))
    largest = summary["holders"][0]

    assert largest["share"] > 0.5
    assert re.search(name, largest["name"])
    assert largest["class"] == container
    assert largest["length"] == length
    clients = sum(one["name"].startswith("client-") for one in summary["threads"])
    assert 100 < 0.6 * clients <= largest["threads"] <= clients
    assert largest["shared_site"]["method"] == method
    first, second, *_ = said(dump).splitlines()
    assert re.match(rf"[LF]{name} in {largest['threads']:,} threads hold ", first)
    assert f".{method} (ManyHolders.java:" in second


def test_of_two_fields_that_hold_half_each_both_are_said(classes: Path, tmp_path: Path) -> None:
    dump = full_heap(classes, "halves", tmp_path / "halves.hprof")

    first, second, *_ = said(dump).splitlines()

    assert "ield ManyHolders.Ledger.debits holds" in first
    assert "ield ManyHolders.Ledger.credits holds" in first
    assert second.startswith('Thread "main" ran out of memory in shop.ManyHolders$Ledger.book')


def test_a_thread_that_has_made_a_server_and_waits_is_not_said_to_use_it(
    classes: Path, tmp_path: Path
) -> None:
    dump = full_heap(classes, "made", tmp_path / "made.hprof")

    largest = json.loads(said(dump, "--json"))["holders"][0]

    assert largest["share"] > 0.5
    assert "HttpContextImpl.attributes" in largest["name"]
    # Main has the server and its context as locals, and nobody else has a part of it.
    assert largest["thread"] is None
    assert largest["site"] is None
    assert 'Thread "main"' not in said(dump)
    # No stack shows who fills it: the one that is printed is of the thread that met the error.
    frames = json.loads(said(dump, "--json", verb="diagnose"))["stack"]
    assert frames[0]["class"] == "java.lang.OutOfMemoryError"


def test_a_tree_of_own_nodes_is_counted_whole(classes: Path, tmp_path: Path) -> None:
    dump = full_heap(classes, "trie", tmp_path / "trie.hprof")

    first = said(dump).splitlines()[0]

    assert "FullHeaps.Words.root" in first
    count = re.search(r"([\d,]+) objects of FullHeaps\$Words\$Node in all", first)
    assert count is not None
    assert int(count[1].replace(",", "")) > 20_000


def test_whoever_waits_for_a_thread_that_an_error_has_ended_is_not_said_to_have_filled_it(
    classes: Path, tmp_path: Path
) -> None:
    dump = full_heap(classes, "ended", tmp_path / "ended.hprof")

    largest = json.loads(said(dump, "--json"))["holders"][0]

    assert largest["share"] > 0.5
    assert "FullHeaps.Imports.read" in largest["name"]
    # Main has it as a local; the frames of the thread that filled it are gone.
    assert largest["thread"] is None
    assert 'Thread "main"' not in said(dump)
    diagnosis = " ".join(said(dump, verb="diagnose").split())
    assert 'Thread "metrics-reporter" stands in the constructor' in diagnosis
    assert "is the one that fills the heap" not in diagnosis


def test_a_diagnosis_says_the_same_of_a_program_that_runs_no_task(
    classes: Path, tmp_path: Path
) -> None:
    dump = full_heap(classes, "bystander", tmp_path / "java_pid4711.hprof")

    text = said(dump, verb="diagnose")
    report = json.loads(said(dump, "--json", verb="diagnose"))

    assert report["conclusion"] == "no task"
    largest = report["account"]["items"][0]
    assert "FullHeaps.Sessions.open" in largest["path"]
    assert largest["share"] > 0.5
    assert report["account"]["capacity_bytes"] is None
    # Not of the thread that met the error first.
    methods = {frame["method"] for frame in report["stack"]}
    assert "serve" in methods
    assert "report" not in methods
    # No run of mprof's would help, and no rule is left open.
    assert "mprof run" not in text
    assert "UNDECIDED" not in text
    assert "WHAT FILLED THE HEAP" in text
    # Who met the error, and who fills the heap.
    flat = " ".join(text.split())
    assert "stands in the constructor of an OutOfMemoryError" in flat
    assert 'thread "request-1" is the one that fills the heap' in flat


def test_a_diagnosis_says_which_lines_fill_what_a_program_holds(
    classes: Path, tmp_path: Path
) -> None:
    dump = full_heap(classes, "table", tmp_path / "java_pid4711.hprof")
    lines = SOURCE.read_text().splitlines()
    begin = next(at for at, line in enumerate(lines, 1) if " count(" in line and "{" in line)

    report = json.loads(said(dump, "--json", "--source", str(classes), verb="diagnose"))

    filled = report["account"]["items"][0]["filled_by"]
    assert [one["file"] for one in filled] == ["FullHeaps.java"]
    assert 0 < filled[0]["line"] - begin < 10
    assert "put" in lines[filled[0]["line"] - 1] or "merge" in lines[filled[0]["line"] - 1]


# Threads and classes as Spark calls its own (org.apache.spark.executor.Executor).
EXECUTOR = """
package org.apache.spark.executor;

import java.util.HashMap;
import java.util.TreeSet;

public class Executor {
  static class TaskRunner implements Runnable {
    private final HashMap<Integer, TreeSet<String>> seen = new HashMap<>();

    @Override public void run() {
      for (int i = 0; ; i++) {
        seen.computeIfAbsent(i % 100, key -> new TreeSet<>()).add("event " + i);
      }
    }
  }

  public static void main(String[] none) throws Exception {
    Thread worker = new Thread(new TaskRunner(), "Executor task launch worker for task 3.0");
    worker.start();
    worker.join();
  }
}
"""


def test_the_engine_that_a_dump_is_of_is_named(tmp_path: Path) -> None:
    source, dump = tmp_path / "Executor.java", tmp_path / "java_pid4711.hprof"
    source.write_text(EXECUTOR)
    javac = [str(java_home() / "bin/javac"), *SOON_OVER, "-nowarn", "-d", str(tmp_path)]
    subprocess.run([*javac, str(source)], check=True, capture_output=True)
    subprocess.run(
        [
            str(java_home() / "bin/java"), "-Xmx20m", "-XX:+HeapDumpOnOutOfMemoryError",
            f"-XX:HeapDumpPath={dump}", "-cp", str(tmp_path), "org.apache.spark.executor.Executor",
        ],
        check=False, capture_output=True, timeout=600,
    )  # fmt: skip

    text = " ".join(said(dump, verb="diagnose").split())

    assert "An executor of Spark ran out of heap space." in text
    assert "spark.executor.memory" in text
    assert 'Thread "Executor task launch worker for task 3.0" stands' in text
    assert "entries of TreeSet" in text
    assert "What filled it is not said" not in text
    assert "mprof run" not in text


def test_a_dump_that_was_made_at_no_death_says_so(classes: Path, tmp_path: Path) -> None:
    dump = full_heap(classes, "listeners", tmp_path / "java_pid4711.hprof")
    alive = tmp_path / "alive.hprof"
    # the thread has left the constructor: its class is called something else
    alive.write_bytes(
        dump.read_bytes().replace(b"java/lang/OutOfMemoryError", b"java/lang/OutOfMemoryErroR")
    )

    text = " ".join(said(alive, verb="diagnose").split())

    assert "no thread of the heap dump met an OutOfMemoryError" in text
    assert "task ended" not in text
