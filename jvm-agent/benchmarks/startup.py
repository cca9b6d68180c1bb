"""Start-up cost of the agent: a JVM that does nothing, with and without it, in interleaved pairs.

    python jvm-agent/benchmarks/startup.py [--pairs 20] [--java java] [JVM OPTIONS]
    python jvm-agent/benchmarks/startup.py --task --classpath "$(cat .../target/classpath)"
    python jvm-agent/benchmarks/startup.py --job --classpath "$(cat .../target/classpath)"

With ``--task`` the JVM does what a Hadoop task does before its first record; with ``--job`` it runs
the map task and the reduce task of a job of 2,000 records, in Hadoop's ``LocalJobRunner``. Where a
class path is given, Hadoop's classes are patched ahead of time, as they are for a run; not so with
``--patch-here``.
Prints the median and the quartiles of the paired differences, in CPU seconds (user and system of
the child) and wall milliseconds. Pairs are interleaved so that a drift of the machine hits both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JAR = ROOT / "jvm-agent/bundle/target/mprof-agent.jar"
NOTHING = "public class Program { public static void main(String[] a) { System.out.print(1); } }"
TASK = """
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.source.JvmMetrics;
import org.apache.hadoop.security.UserGroupInformation;

public class Program {
  public static void main(String[] arguments) throws Exception {
    JobConf conf = new JobConf();
    UserGroupInformation.getCurrentUser();
    FileSystem.getLocal(conf);
    DefaultMetricsSystem.initialize("MapTask");
    JvmMetrics.initSingleton("session", "MapTask");
    String[] patched = {
      "YarnChild", "MapTask", "MapTask$MapOutputBuffer", "MapTask$NewTrackingRecordReader",
      "MapTask$NewOutputCollector", "IFile$Writer", "Task", "Merger", "SpillRecord"
    };
    for (String name : patched) {
      Class.forName("org.apache.hadoop.mapred." + name);
    }
  }
}
"""
JOB = """
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

public class Program {
  public static void main(String[] arguments) throws Exception {
    String folder = Files.createTempDirectory(Paths.get(arguments[0]), "job").toString();
    Files.write(
        Paths.get(folder, "in"), Collections.nCopies(2000, "a line of thirty characters..."));
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", folder + "/tmp");
    conf.set("mapreduce.client.completion.pollinterval", "50");
    Job job = Job.getInstance(conf);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(folder, "in"));
    FileOutputFormat.setOutputPath(job, new Path(folder, "out"));
    System.exit(job.waitForCompletion(false) ? 0 : 1);
  }
}
"""


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and wall seconds of one child."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall


def quartiles(seconds: list[float]) -> str:
    """Median and quartiles in milliseconds, in one phrase."""
    low, middle, high = (1000 * value for value in statistics.quantiles(seconds, n=4))
    return f"{middle:.0f} ms ({low:.0f} to {high:.0f})"


def patch_ahead(java: str, jar: Path, classpath: str) -> None:
    """Write the archive of patched classes beside the jar."""
    path = os.pathsep.join([str(jar), classpath])
    command = [java, "-cp", path, "org.mprof.agent.PatchAhead", jar.with_name("mprof-patched.zip")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def check_patched_ahead(events: Path) -> None:
    """Refuse to report if the last JVM has patched classes itself."""
    lines = map(json.loads, events.read_text(encoding="utf-8").splitlines())
    patched = [line for line in lines if line["type"] == "patched"]
    if [0] != [line["here"] for line in patched[-1:]]:
        raise SystemExit(f"classes were not taken from the archive: {patched[-1:]}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--java", default="java")
    parser.add_argument("--classpath", default="", help="Hadoop's class path")
    parser.add_argument("--task", action="store_true", help="start as a Hadoop task does")
    parser.add_argument("--job", action="store_true", help="run a small job")
    parser.add_argument("--patch-here", action="store_true", help="patch classes in the task")
    parser.add_argument("--settings", default="")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "Program.java")
        source.write_text(JOB if arguments.job else TASK if arguments.task else NOTHING)
        path = os.pathsep.join(filter(None, [folder, arguments.classpath]))
        quiet = ["-nowarn", "-proc:none", "-Xlint:-options"]
        subprocess.run(["javac", "--release", "8", *quiet, "-cp", path, source], check=True)
        plain = [arguments.java, *options, "-cp", path, "Program", folder]
        jar = Path(shutil.copy(JAR, folder))
        ahead = bool(arguments.classpath) and not arguments.patch_here
        if ahead:
            patch_ahead(arguments.java, jar, arguments.classpath)
        agent = f"-javaagent:{jar}=dir={folder}{arguments.settings and ',' + arguments.settings}"
        with_agent = [arguments.java, *options, agent, "-cp", path, "Program", folder]
        pairs = []
        for i in range(arguments.pairs + 1):
            first, second = (plain, with_agent) if i % 2 else (with_agent, plain)
            one, other = run(first), run(second)
            pairs.append((one, other) if i % 2 else (other, one))
        if ahead:
            check_patched_ahead(Path(folder, "events.jsonl"))
    pairs = pairs[1:]  # the first pair warms the page cache
    sys.stdout.write(f"{len(pairs)} pairs, {' '.join([arguments.java, *options])}\n")
    for i, name in enumerate(["CPU", "wall"]):
        base = quartiles([p[0][i] for p in pairs])
        more = quartiles([p[1][i] - p[0][i] for p in pairs])
        sys.stdout.write(f"{name}: without {base}, the agent adds {more}\n")


if __name__ == "__main__":
    main()
