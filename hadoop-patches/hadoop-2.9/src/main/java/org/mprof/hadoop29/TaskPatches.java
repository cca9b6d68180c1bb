package org.mprof.hadoop29;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.Task;
import org.mprof.agent.Ending;
import org.mprof.agent.Faults;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.Verify;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.HadoopCaptureCopier;
import org.mprof.hadoop.VerifyGuard;

/** Begin and end of a task attempt, and the guard that keeps a verify attempt from committing. */
final class TaskPatches {
  private static final String HOOKS = "org/mprof/hadoop29/TaskPatches$Hooks";
  private static final String TASK = "org/apache/hadoop/mapred/Task";
  private static final String MAP_TASK = "org/apache/hadoop/mapred/MapTask";
  private static final String REDUCE_TASK = "org/apache/hadoop/mapred/ReduceTask";
  private static final String RUN =
      "(Lorg/apache/hadoop/mapred/JobConf;Lorg/apache/hadoop/mapred/TaskUmbilicalProtocol;)V";
  private static final String OF_TASK = "(Lorg/apache/hadoop/mapred/Task;)V";
  private static final String BEGAN =
      "(Lorg/apache/hadoop/mapred/Task;Lorg/apache/hadoop/conf/Configuration;)V";

  private TaskPatches() {}

  static List<Patch> rows() {
    return Arrays.asList(
        Patch.in(MAP_TASK)
            .method("run", RUN)
            .onEnter()
            .call(HOOKS, "mapBegan", BEGAN, Value.self(), Value.argument(0))
            .since("0.20.2")
            .because("the phase init begins"),
        Patch.in(REDUCE_TASK)
            .method("run", RUN)
            .onEnter()
            .call(HOOKS, "reduceBegan", BEGAN, Value.self(), Value.argument(0))
            .since("0.20.2")
            .because("the phase init begins; the partition is known"),
        Patch.in(TASK)
            .method("initialize")
            .onReturn()
            .call(HOOKS, "initialized", "()V")
            .since("0.20.2")
            .because("without the patch of Task no verify attempt may discard records"),
        Patch.in(TASK)
            .method("done")
            .onEnter()
            .call(HOOKS, "committing", OF_TASK, Value.self())
            .mayFailTask()
            .since("0.20.2")
            .because("a verify attempt fails here, before it can commit"),
        Patch.in(TASK)
            .method("done")
            .onReturn()
            .call(HOOKS, "ended", OF_TASK, Value.self())
            .since("0.20.2")
            .because("the phase end begins"));
  }

  /** Called from {@code Task}, {@code MapTask} and {@code ReduceTask}. */
  public static final class Hooks {
    private Hooks() {}

    public static void mapBegan(Task task, Configuration conf) throws IOException {
      if (isOwn(task)) {
        began(conf);
      }
    }

    public static void reduceBegan(Task task, Configuration conf) throws IOException {
      if (isOwn(task)) {
        Position.put(Position.PARTITION, task.getPartition());
        began(conf);
      }
    }

    private static boolean isOwn(Task task) {
      Ending.began(task, task.getTaskID().toString());
      return !Ending.isForeign(task);
    }

    private static void began(Configuration conf) throws IOException {
      Phase.enter(Phase.INIT);
      HadoopCaptureCopier.register(conf);
    }

    public static void initialized() {
      VerifyGuard.arm();
    }

    public static void committing(Task task) {
      if (Ending.isForeign(task)) {
        return;
      }
      try {
        Ending.committing();
        Verify.notMet();
        Phase.enter(Phase.COMMIT);
      } catch (Throwable fault) {
        Faults.caught(fault, "commit");
      }
      Verify.failAttempt();
    }

    public static void ended(Task task) {
      if (!Ending.isForeign(task)) {
        Phase.enter(Phase.END);
      }
    }
  }
}
