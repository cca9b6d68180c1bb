package org.mprof.hadoop29;

import java.util.Arrays;
import java.util.List;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.patch.Patch;

/** The output of map() where a job has no reducers. */
final class DirectOutputPatches {
  private static final String HOOKS = "org/mprof/hadoop29/DirectOutputPatches$Hooks";
  private static final String NEW_OUTPUT =
      "org/apache/hadoop/mapred/MapTask$NewDirectOutputCollector";
  private static final String OLD_OUTPUT =
      "org/apache/hadoop/mapred/MapTask$DirectMapOutputCollector";

  private DirectOutputPatches() {}

  static List<Patch> rows() {
    return Arrays.asList(
        Patch.in(NEW_OUTPUT)
            .method("<init>")
            .onReturn()
            .call(HOOKS, "opened", "()V")
            .since("0.20.2")
            .because("what follows is the user's set-up"),
        Patch.in(OLD_OUTPUT)
            .method("init")
            .onReturn()
            .call(HOOKS, "opened", "()V")
            .since("2.0.3")
            .because("what follows is the user's set-up"),
        Patch.in(NEW_OUTPUT)
            .method("write")
            .onReturn()
            .call(HOOKS, "wrote", "()V")
            .since("0.20.2")
            .because("counts what map() writes"),
        Patch.in(OLD_OUTPUT)
            .method("collect")
            .onReturn()
            .call(HOOKS, "wrote", "()V")
            .since("0.20.2")
            .because("counts what map() writes"));
  }

  /** Called from the two direct collectors. */
  public static final class Hooks {
    private Hooks() {}

    public static void opened() {
      Phase.enter(Phase.SETUP);
    }

    public static void wrote() {
      Position.add(Position.RECORDS_OUT, 1);
    }
  }
}
