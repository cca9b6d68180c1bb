package org.mprof.hadoop29;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.RecordReader;
import org.mprof.agent.Ending;
import org.mprof.agent.patch.HasState;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.MapInput;
import org.mprof.hadoop.MapOutputLog;
import org.mprof.hadoop.Places;
import org.mprof.hadoop.Splits;

/** The records that map() is given, and the end of the user's code on the map side. */
final class MapInputPatches {
  private static final String HOOKS = "org/mprof/hadoop29/MapInputPatches$Hooks";
  private static final String MAP_TASK = "org/apache/hadoop/mapred/MapTask";
  private static final String NEW_READER =
      "org/apache/hadoop/mapred/MapTask$NewTrackingRecordReader";
  private static final String OLD_READER = "org/apache/hadoop/mapred/MapTask$TrackedRecordReader";
  private static final String SKIPPING = "org/apache/hadoop/mapred/MapTask$SkippingRecordReader";
  private static final String STATE = "Lorg/mprof/hadoop/MapInput;";
  private static final String NEW_TYPE = "Lorg/apache/hadoop/mapreduce/RecordReader;";
  private static final String OLD_TYPE = "Lorg/apache/hadoop/mapred/RecordReader;";
  private static final String NEXT = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
  private static final String PROGRESS = "(F" + STATE + ")V";
  private static final String GAVE = "(Ljava/lang/Object;" + STATE + ")V";
  private static final String THREW = "(Ljava/lang/Throwable;)V";
  private static final String LEFT = "(Lorg/apache/hadoop/mapred/Task;Ljava/lang/Throwable;)V";

  private MapInputPatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(newReader());
    rows.addAll(oldReader(OLD_READER));
    rows.addAll(oldReader(SKIPPING));
    rows.addAll(userCode());
    return rows;
  }

  private static List<Patch> newReader() {
    Value state = Value.field("mprof$input", STATE);
    return Arrays.asList(
        Patch.in(NEW_READER)
            .addField("mprof$input", STATE)
            .since("0.20.2")
            .because("counts of this reader"),
        Patch.in(NEW_READER)
            .method("<init>")
            .onEnter()
            .call(
                HOOKS,
                "newReader",
                "(Ljava/lang/Object;Ljava/lang/Object;)V",
                Value.self(),
                Value.argument(0))
            .since("0.20.2")
            .because("the split of the task"),
        Patch.in(NEW_READER)
            .method("nextKeyValue", "()Z")
            .onEnter()
            .call(HOOKS, "asks", "(" + STATE + ")V", state)
            .since("0.20.2")
            .because("map() is done with the record before; the phase map begins"),
        Patch.in(NEW_READER)
            .method("nextKeyValue", "()Z")
            .onReturn()
            .call(
                HOOKS,
                "read",
                "(Z" + STATE + NEW_TYPE + ")Z",
                Value.returned(),
                state,
                Value.self())
            .since("0.20.2")
            .because("counts a record before map() sees it; verify mode seeks its own"),
        Patch.in(NEW_READER)
            .method("getCurrentKey")
            .onReturn()
            .call(HOOKS, "gaveKey", GAVE, Value.returned(), state)
            .since("0.20.2")
            .because("size of the key, once the mapper has asked for it"),
        Patch.in(NEW_READER)
            .method("getCurrentValue")
            .onReturn()
            .call(HOOKS, "gaveValue", GAVE, Value.returned(), state)
            .since("0.20.2")
            .because("size of the value, once the mapper has asked for it"),
        Patch.in(NEW_READER)
            .method("getProgress")
            .onReturn()
            .call(HOOKS, "progress", PROGRESS, Value.returned(), state)
            .since("0.20.2")
            .because("share of the split that was read, as the framework asks for it"),
        Patch.in(NEW_READER)
            .method("nextKeyValue", "()Z")
            .onThrow()
            .call(
                HOOKS, "readFailed", "(Ljava/lang/Throwable;" + STATE + ")V", Value.thrown(), state)
            .since("0.20.2")
            .because("an error while a record is read, not in map()"));
  }

  private static List<Patch> oldReader(String reader) {
    List<Patch> rows = new ArrayList<>();
    if (reader.equals(OLD_READER)) {
      rows.add(
          Patch.in(reader)
              .addField("mprof$input", STATE)
              .since("0.20.2")
              .because("counts of this reader"));
      rows.add(
          Patch.in(reader)
              .method("<init>")
              .onEnter()
              .call(HOOKS, "oldReader", "(Ljava/lang/Object;)V", Value.self())
              .since("0.20.2")
              .because("counts of this reader"));
      rows.add(
          Patch.in(reader)
              .method("getProgress")
              .onReturn()
              .call(
                  HOOKS, "progress", PROGRESS, Value.returned(), Value.field("mprof$input", STATE))
              .since("0.20.2")
              .because("share of the split that was read, as the framework asks for it"));
    }
    Value state = Value.field(OLD_READER, "mprof$input", STATE);
    rows.add(
        Patch.in(reader)
            .method("next", NEXT)
            .onEnter()
            .call(HOOKS, "asks", "(" + STATE + ")V", state)
            .since("0.20.2")
            .because("map() is done with the record before; the phase map begins"));
    rows.add(
        Patch.in(reader)
            .method("next", NEXT)
            .onReturn()
            .call(
                HOOKS,
                "read",
                "(Z" + STATE + "Ljava/lang/Object;Ljava/lang/Object;" + OLD_TYPE + ")Z",
                Value.returned(),
                state,
                Value.argument(0),
                Value.argument(1),
                Value.self())
            .since("0.20.2")
            .because("counts a record before map() sees it; verify mode seeks its own"));
    rows.add(
        Patch.in(reader)
            .method("next", NEXT)
            .onThrow()
            .call(
                HOOKS, "readFailed", "(Ljava/lang/Throwable;" + STATE + ")V", Value.thrown(), state)
            .since("0.20.2")
            .because("an error while a record is read, not in map()"));
    return rows;
  }

  private static List<Patch> userCode() {
    String mapper = "org/apache/hadoop/mapreduce/Mapper";
    return Arrays.asList(
        Patch.in(MAP_TASK)
            .method("updateJobWithSplit")
            .onEnter()
            .call(HOOKS, "split", "(Ljava/lang/Object;)V", Value.argument(1))
            .since("0.20.2")
            .because("the split of the task, old API"),
        Patch.in(MAP_TASK)
            .method("runNewMapper")
            .afterCall(mapper, "run", null)
            .call(HOOKS, "returned", "()V")
            .since("0.20.2")
            .because("the user's code is done"),
        Patch.in(MAP_TASK)
            .method("runNewMapper")
            .beforeCall(
                MAP_TASK,
                "closeQuietly",
                "(Lorg/apache/hadoop/mapreduce/RecordWriter;"
                    + "Lorg/apache/hadoop/mapreduce/Mapper$Context;)V")
            .call(HOOKS, "closing", "(Ljava/lang/Object;)V", Value.callArgument(0))
            .since("1.2.1")
            .because("after an error the buffer is flushed once more; that is no evidence"),
        Patch.in(mapper)
            .method("run")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of map(), set-up or cleanup, in its own thread"),
        Patch.in("org/apache/hadoop/mapred/MapRunner")
            .method("run")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of map() or close(), old API"),
        Patch.in(MAP_TASK)
            .method("runNewMapper")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of a mapper with a run() of its own"),
        Patch.in(MAP_TASK)
            .method("runOldMapper")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of a MapRunnable of the user's"),
        Patch.in(MAP_TASK)
            .method("run")
            .onThrow()
            .call(HOOKS, "left", LEFT, Value.self(), Value.thrown())
            .since("0.20.2")
            .because("an error outside the user's code"));
  }

  /** Called from {@code MapTask}, its readers, {@code Mapper} and {@code MapRunner}. */
  public static final class Hooks {
    private Hooks() {}

    public static void newReader(Object reader, Object split) {
      ((HasState) reader).mprof$state(new MapInput());
      Splits.write(split);
    }

    public static void oldReader(Object reader) {
      ((HasState) reader).mprof$state(new MapInput());
    }

    public static void split(Object split) {
      Splits.write(split);
    }

    public static void asks(MapInput input) {
      if (input != null) {
        input.asks();
      }
    }

    public static boolean read(boolean more, MapInput input, RecordReader<?, ?> tracking)
        throws IOException, InterruptedException {
      return input == null ? more : input.read(more, tracking);
    }

    public static void progress(float share, MapInput input) {
      if (input != null) {
        input.progress(share);
      }
    }

    public static boolean read(
        boolean more,
        MapInput input,
        Object key,
        Object value,
        org.apache.hadoop.mapred.RecordReader<Object, Object> tracking)
        throws IOException {
      return input == null ? more : input.read(more, key, value, tracking);
    }

    public static void gaveKey(Object key, MapInput input) {
      if (input != null) {
        input.gaveKey(key);
      }
    }

    public static void gaveValue(Object value, MapInput input) {
      if (input != null) {
        input.gaveValue(value);
      }
    }

    public static void readFailed(Throwable error, MapInput input) {
      if (input != null) {
        input.readFailed(error);
      }
    }

    public static void returned() {
      MapInput.finished();
    }

    public static void closing(Object output) {
      if (output != null) {
        MapOutputLog.closeQuietly();
      }
    }

    public static void failed(Throwable error) {
      MapInput.failed(error, Places.now());
    }

    /** The error has left the task. */
    public static void left(Task task, Throwable error) {
      if (Ending.isForeign(task)) {
        return;
      }
      Ending.left(task, error);
      failed(error);
    }
  }
}
