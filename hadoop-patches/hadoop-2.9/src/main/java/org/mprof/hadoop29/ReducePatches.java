package org.mprof.hadoop29;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Task;
import org.mprof.agent.Ending;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.CombinePass;
import org.mprof.hadoop.Places;
import org.mprof.hadoop.ReduceWalk;

/** Begin and end of the user's code on the reduce side, its output and its errors. */
final class ReducePatches {
  private static final String HOOKS = "org/mprof/hadoop29/ReducePatches$Hooks";
  private static final String REDUCE_TASK = "org/apache/hadoop/mapred/ReduceTask";
  private static final String REDUCER = "org/apache/hadoop/mapreduce/Reducer";
  private static final String COUNTER = "Lorg/apache/hadoop/mapred/Counters$Counter;";
  private static final String BEGINS = "(Lorg/apache/hadoop/mapred/Task;" + COUNTER + ")V";
  private static final String THREW = "(Ljava/lang/Throwable;)V";
  private static final String LEFT = "(Lorg/apache/hadoop/mapred/Task;Ljava/lang/Throwable;)V";

  private ReducePatches() {}

  static List<Patch> rows() {
    return Arrays.asList(
        Patch.in(REDUCE_TASK)
            .method("runNewReducer")
            .onEnter()
            .call(
                HOOKS, "begins", BEGINS, Value.self(), Value.field("reduceOutputCounter", COUNTER))
            .since("0.20.2")
            .because("the phase reduce_setup begins; Hadoop's counter of what reduce() writes"),
        Patch.in(REDUCE_TASK)
            .method("runOldReducer")
            .onEnter()
            .call(
                HOOKS, "begins", BEGINS, Value.self(), Value.field("reduceOutputCounter", COUNTER))
            .since("0.20.2")
            .because("the phase reduce_setup begins; Hadoop's counter of what reduce() writes"),
        Patch.in(REDUCE_TASK)
            .method("runNewReducer")
            .afterCall(REDUCER, "run", null)
            .call(HOOKS, "returned", "()V")
            .since("0.20.2")
            .because("the user's code is done"),
        Patch.in(REDUCE_TASK)
            .method("runOldReducer")
            .onReturn()
            .call(HOOKS, "returned", "()V")
            .since("0.20.2")
            .because("the user's code is done"),
        Patch.in(REDUCER)
            .method("run")
            .onThrow()
            .call(HOOKS, "reducerFailed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of reduce(), set-up or cleanup"),
        Patch.in(REDUCE_TASK)
            .method("runNewReducer")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of a reducer with a run() of its own"),
        Patch.in(REDUCE_TASK)
            .method("runOldReducer")
            .onThrow()
            .call(HOOKS, "failed", THREW, Value.thrown())
            .since("0.20.2")
            .because("an error of reduce() or close(), old API"),
        Patch.in(REDUCE_TASK)
            .method("run")
            .onThrow()
            .call(HOOKS, "left", LEFT, Value.self(), Value.thrown())
            .since("0.20.2")
            .because("an error outside the user's code"));
  }

  /** Called from {@code ReduceTask} and {@code Reducer}. */
  public static final class Hooks {
    private Hooks() {}

    public static void begins(Task task, Counters.Counter written) {
      Phase.enter(Phase.REDUCE_SETUP);
      Places.now(); // loads what an error will need
      if (!Ending.isForeign(task)) {
        Position.fetchFrom(new OutputCounters(written, null));
      }
    }

    public static void returned() {
      ReduceWalk.finished();
    }

    /** The new API's combiner is a Reducer too; its own hook knows more about it. */
    public static void reducerFailed(Throwable error) {
      if (!CombinePass.isRunning()) {
        failed(error);
      }
    }

    public static void failed(Throwable error) {
      ReduceWalk.failed(error, Places.now());
    }

    /** The error has left the task. */
    public static void left(Task task, Throwable error) {
      if (Ending.isForeign(task)) {
        return;
      }
      Ending.left(task, error);
      failed(error);
      ReduceWalk.left(error);
    }
  }
}
