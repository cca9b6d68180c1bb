package org.mprof.hadoop29;

import java.util.Arrays;
import java.util.List;
import org.mprof.agent.Ending;
import org.mprof.agent.Failures;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;

/** Errors outside the task's own thread; the other ones stand beside what they are errors of. */
final class FailurePatches {
  private static final String HOOKS = "org/mprof/hadoop29/FailurePatches$Hooks";
  private static final String EXIT = "org/apache/hadoop/util/ExitUtil";
  private static final String THREW = "(Ljava/lang/Throwable;)V";

  private FailurePatches() {}

  static List<Patch> rows() {
    return Arrays.asList(
        Patch.in("org/apache/hadoop/mapreduce/task/reduce/Shuffle")
            .method("reportException")
            .onEnter()
            .call(HOOKS, "shuffleFailed", THREW, Value.argument(0))
            .since("0.23.11")
            .because("an error of a fetcher or a merger, in its own thread"),
        Patch.in("org/apache/hadoop/yarn/YarnUncaughtExceptionHandler")
            .method("uncaughtException")
            .onEnter()
            .call(HOOKS, "uncaught", THREW, Value.argument(1))
            .since("0.23.11")
            .because("an error that ends a thread, and usually the JVM"),
        Patch.in(EXIT)
            .method("halt", "(Lorg/apache/hadoop/util/ExitUtil$HaltException;)V")
            .onEnter()
            .call(HOOKS, "halting", "()V")
            .since("2.9.0")
            .because("a halt runs no shutdown hooks: the last events come first"),
        Patch.in(EXIT)
            .method("haltOnOutOfMemory")
            .onEnter()
            .call(HOOKS, "halting", "()V")
            .since("2.9.0")
            .because("the same"));
  }

  /** Called from {@code Shuffle}, {@code YarnUncaughtExceptionHandler} and {@code ExitUtil}. */
  public static final class Hooks {
    private Hooks() {}

    public static void shuffleFailed(Throwable error) {
      Failures.record(error, "shuffle");
    }

    public static void uncaught(Throwable error) {
      Failures.record(error, "other");
    }

    public static void halting() {
      Ending.halting();
    }
  }
}
