package org.mprof.hadoop29;

import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.CombinePass;

/**
 * The passes of the combiner. The shuffle of 2.x and 3.x runs the old API's combiner only ({@code
 * JobConf.getCombinerClass}), the map side both.
 */
final class CombinePatches {
  private static final String HOOKS = "org/mprof/hadoop29/CombinePatches$Hooks";

  private CombinePatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(pass("org/apache/hadoop/mapred/Task$NewCombinerRunner", "combine", "0.20.2"));
    rows.addAll(pass("org/apache/hadoop/mapred/Task$OldCombinerRunner", "combine", "0.20.2"));
    rows.addAll(
        pass(
            "org/apache/hadoop/mapreduce/task/reduce/MergeManagerImpl",
            "combineAndSpill",
            "2.0.3"));
    rows.add(
        Patch.in("org/apache/hadoop/mapred/Task$CombineOutputCollector")
            .method("collect")
            .onReturn()
            .call(HOOKS, "wrote", "()V")
            .since("0.20.2")
            .because("counts what combine() writes"));
    return rows;
  }

  private static List<Patch> pass(String owner, String method, String since) {
    List<Patch> rows = new ArrayList<>();
    rows.add(
        Patch.in(owner)
            .method(method)
            .onEnter()
            .call(HOOKS, "begin", "()V")
            .since(since)
            .because("a pass of the combiner begins"));
    rows.add(
        Patch.in(owner)
            .method(method)
            .onReturn()
            .call(HOOKS, "end", "()V")
            .since(since)
            .because("the pass is done"));
    rows.add(
        Patch.in(owner)
            .method(method)
            .onThrow()
            .call(HOOKS, "failed", "(Ljava/lang/Throwable;)V", Value.thrown())
            .since(since)
            .because("an error of combine()"));
    return rows;
  }

  /** Called from the combiner runners and {@code MergeManagerImpl}. */
  public static final class Hooks {
    private Hooks() {}

    public static void begin() {
      CombinePass.begin();
    }

    public static void end() {
      CombinePass.end();
    }

    public static void failed(Throwable error) {
      CombinePass.failed(error);
    }

    public static void wrote() {
      CombinePass.wrote();
    }
  }
}
