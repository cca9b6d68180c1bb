package org.mprof.hadoop29;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.mprof.agent.Position;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.ShuffleLog;

/** The merges of the shuffle: in memory, on disk, and the one whose result reduce() reads. */
final class MergePatches {
  private static final String HOOKS = "org/mprof/hadoop29/MergePatches$Hooks";
  private static final String MANAGER = "org/apache/hadoop/mapreduce/task/reduce/MergeManagerImpl";
  private static final String LIST = "Ljava/util/List;";

  private MergePatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(merger("$InMemoryMerger", Hooks.MEMORY));
    rows.addAll(merger("$IntermediateMemoryToMemoryMerger", Hooks.MEMORY_TO_MEMORY));
    rows.addAll(merger("$OnDiskMerger", Hooks.DISK));
    rows.addAll(finalMerge());
    return rows;
  }

  private static List<Patch> merger(String inner, int kind) {
    return Arrays.asList(
        Patch.in(MANAGER + inner)
            .method("merge", "(" + LIST + ")V")
            .onEnter()
            .call(HOOKS, "begins", "(I" + LIST + ")V", Value.constant(kind), Value.argument(0))
            .since("2.0.3")
            .because("a merge begins, with what it reads"),
        Patch.in(MANAGER + inner)
            .method("merge", "(" + LIST + ")V")
            .onReturn()
            .call(HOOKS, "ends", "(I)V", Value.constant(kind))
            .since("2.0.3")
            .because("records and keys of what it wrote"));
  }

  private static List<Patch> finalMerge() {
    return Arrays.asList(
        Patch.in(MANAGER)
            .method("finalMerge")
            .onEnter()
            .call(
                HOOKS,
                "finalBegins",
                "(" + LIST + LIST + ")V",
                Value.argument(2),
                Value.argument(3))
            .since("2.0.3")
            .because("the phase sort begins"),
        Patch.in(MANAGER)
            .method("createInMemorySegments")
            .onReturn()
            .call(HOOKS, "taken", "(J" + LIST + ")V", Value.returned(), Value.argument(1))
            .since("2.0.3")
            .because("segments that reduce() reads from memory"),
        Patch.in(MANAGER)
            .method("finalMerge")
            .onReturn()
            .call(HOOKS, "finalEnds", "(" + LIST + ")V", Value.argument(3))
            .since("2.0.3")
            .because("what reduce() will read"));
  }

  /** Called from {@code MergeManagerImpl} and its threads. */
  public static final class Hooks {
    static final int MEMORY = 0;
    static final int MEMORY_TO_MEMORY = 1;
    static final int DISK = 2;

    private static final String[] KINDS = {"memory", "memory_to_memory", "disk"};

    private Hooks() {}

    public static void begins(int kind, List<?> inputs) {
      ShuffleLog log = ShuffleLog.current();
      if (log == null || inputs == null || inputs.isEmpty()) {
        return;
      }
      List<String> maps = kind == DISK ? null : new ArrayList<>();
      long bytes = kind == DISK ? rawBytesOnDisk(inputs) : 0;
      if (maps != null) {
        for (Object input : inputs) {
          MapOutput<?, ?> output = (MapOutput<?, ?>) input;
          maps.add(output.getMapId().toString());
          bytes += output.getSize();
        }
      }
      log.beginMerge(KINDS[kind], maps, inputs.size(), bytes);
    }

    public static void ends(int kind) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.endMerge(KINDS[kind]);
      }
    }

    public static void finalBegins(List<?> inMemory, List<?> onDisk) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        long bytes = 0;
        for (Object output : inMemory) {
          bytes += ((MapOutput<?, ?>) output).getSize();
        }
        log.beginFinal(inMemory.size(), bytes, onDisk.size());
      }
    }

    public static void taken(long bytes, List<?> segments) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        log.memorySegments(segments.size(), bytes);
      }
    }

    public static void finalEnds(List<?> onDisk) {
      ShuffleLog log = ShuffleLog.current();
      if (log != null) {
        List<String> paths = new ArrayList<>(onDisk.size());
        for (Object path : onDisk) {
          paths.add(path.toString());
        }
        log.endFinal(paths, rawBytesOnDisk(onDisk));
      }
    }

    /** Sum of {@code CompressAwarePath.getRawDataLength}; the class is not public. */
    private static long rawBytesOnDisk(List<?> paths) {
      long bytes = 0;
      try {
        for (Object path : paths) {
          Method length = path.getClass().getMethod("getRawDataLength");
          length.setAccessible(true);
          bytes += (Long) length.invoke(path);
        }
      } catch (ReflectiveOperationException | RuntimeException e) {
        return Position.UNKNOWN;
      }
      return bytes;
    }
  }
}
