package org.mprof.hadoop29;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.mprof.agent.Phase;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.ShuffleLog;

/** What the shuffle may hold, holds and fetches. */
final class ShufflePatches {
  private static final String HOOKS = "org/mprof/hadoop29/ShufflePatches$Hooks";
  private static final String PACKAGE = "org/apache/hadoop/mapreduce/task/reduce/";
  private static final String MANAGER = PACKAGE + "MergeManagerImpl";
  private static final String OUTPUT = "Lorg/apache/hadoop/mapreduce/task/reduce/MapOutput;";
  private static final String ATTEMPT = "Lorg/apache/hadoop/mapreduce/TaskAttemptID;";
  private static final String CONF = "Lorg/apache/hadoop/mapred/JobConf;";

  private ShufflePatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(memory());
    rows.addAll(segments());
    return rows;
  }

  private static List<Patch> memory() {
    Value used = Value.field("usedMemory", "J");
    return Arrays.asList(
        Patch.in("org/apache/hadoop/mapred/ReduceTask")
            .method("run")
            .beforeCall("org/apache/hadoop/mapred/ShuffleConsumerPlugin", "run", null)
            .call(HOOKS, "begins", "()V")
            .since("2.0.3")
            .because("the phase shuffle begins"),
        Patch.in(MANAGER)
            .method("<init>")
            .onReturn()
            .call(
                HOOKS,
                "limits",
                "(JJJ" + CONF + ")V",
                Value.field("memoryLimit", "J"),
                Value.field("mergeThreshold", "J"),
                Value.field("maxSingleShuffleLimit", "J"),
                Value.field("jobConf", CONF))
            .since("2.0.3")
            .because("the bounds of the shuffle's memory"),
        Patch.in(MANAGER)
            .method("unconditionalReserve")
            .onReturn()
            .call(HOOKS, "used", "(J)V", used)
            .since("2.0.3")
            .because("memory given to a segment"),
        Patch.in(MANAGER)
            .method("unconditionalReserve")
            .onThrow()
            .call(HOOKS, "used", "(J)V", used)
            .since("2.0.3")
            .because("counted by Hadoop although the allocation failed"),
        Patch.in(MANAGER)
            .method("unreserve", "(J)V")
            .onReturn()
            .call(HOOKS, "unreserved", "(JJ)V", used, Value.argument(0))
            .since("2.0.3")
            .because("memory given back after a merge or a failed fetch"));
  }

  private static List<Patch> segments() {
    return Arrays.asList(
        Patch.in(MANAGER)
            .method("reserve")
            .onReturn()
            .call(HOOKS, "reserved", "(" + OUTPUT + ")V", Value.returned())
            .since("2.0.3")
            .because("a fetch begins, to memory or to disk"),
        Patch.in(MANAGER)
            .method("reserve")
            .onThrow()
            .call(
                HOOKS, "reserveFailed", "(" + ATTEMPT + "J)V", Value.argument(0), Value.argument(1))
            .since("2.0.3")
            .because("a segment that could not be allocated"),
        Patch.in(MANAGER)
            .method("closeInMemoryFile")
            .onEnter()
            .call(HOOKS, "landed", "(" + OUTPUT + ")V", Value.argument(0))
            .since("2.0.3")
            .because("a segment in memory is complete"),
        Patch.in(PACKAGE + "ShuffleSchedulerImpl")
            .method("copySucceeded")
            .onReturn()
            .call(
                HOOKS,
                "fetched",
                "(" + ATTEMPT + "J" + OUTPUT + ")V",
                Value.argument(0),
                Value.argument(2),
                Value.argument(5))
            .since("2.7.3")
            .because("a fetch is done"),
        Patch.in(PACKAGE + "InMemoryMapOutput")
            .method("abort")
            .onEnter()
            .call(HOOKS, "aborted", "(" + OUTPUT + ")V", Value.self())
            .since("2.0.3")
            .because("a fetch failed"),
        Patch.in(PACKAGE + "OnDiskMapOutput")
            .method("abort")
            .onEnter()
            .call(HOOKS, "aborted", "(" + OUTPUT + ")V", Value.self())
            .since("2.0.3")
            .because("a fetch failed"),
        Patch.in(MANAGER)
            .method("closeOnDiskFile")
            .onEnter()
            .call(HOOKS, "onDisk", "(Lorg/apache/hadoop/fs/Path;)V", Value.argument(0))
            .since("2.0.3")
            .because("records of the files that reduce() will read"));
  }

  /** Called from {@code ReduceTask}, {@code MergeManagerImpl}, the scheduler and the outputs. */
  public static final class Hooks {
    private static final int DEFAULT_FETCHERS = 5;

    private Hooks() {}

    public static void begins() {
      Phase.enter(Phase.SHUFFLE);
    }

    public static void limits(long memoryLimit, long mergeThreshold, long maxSingle, JobConf conf) {
      ShuffleLog.begin(
          memoryLimit,
          mergeThreshold,
          maxSingle,
          conf.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, DEFAULT_FETCHERS));
    }

    public static void used(long bytes) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.used(bytes);
      }
    }

    public static void unreserved(long used, long bytes) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.used(used);
        log.unreserved(bytes);
      }
    }

    public static void reserved(MapOutput<?, ?> output) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null && output != null) {
        log.reserved(output.getMapId().toString(), output.getSize(), inMemory(output));
      }
    }

    public static void reserveFailed(TaskAttemptID map, long bytes) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.reserveFailed(map.toString(), bytes);
      }
    }

    public static void landed(MapOutput<?, ?> output) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.landed(output.getSize());
      }
    }

    public static void fetched(TaskAttemptID map, long compressed, MapOutput<?, ?> output) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.fetched(map.toString(), output.getSize(), compressed, inMemory(output));
      }
    }

    public static void aborted(MapOutput<?, ?> output) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        boolean inMemory = inMemory(output);
        if (inMemory) {
          log.landed(output.getSize());
        }
        log.fetchFailed(output.getMapId().toString(), output.getSize(), inMemory);
      }
    }

    public static void onDisk(Path file) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.onDisk(file.toString());
      }
    }

    /** The class itself is not public. */
    private static boolean inMemory(MapOutput<?, ?> output) {
      return "MEMORY".equals(output.getDescription());
    }
  }
}
