package org.mprof.hadoop29;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.mprof.agent.patch.ClassPath;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchModule;

/**
 * The patches of Hadoop 2.9 and later, by concern. The shapes they rely on have mostly been there
 * since 0.23; each row says since when.
 */
public final class Hadoop29 implements PatchModule {
  private static final String HADOOP = "org/apache/hadoop/";

  @Override
  public String name() {
    return "hadoop-2.9";
  }

  @Override
  public boolean applies(ClassPath classPath) {
    return classPath.hasClass("org/apache/hadoop/mapred/YarnChild")
        && classPath.hasClass("org/apache/hadoop/mapreduce/task/reduce/MergeManagerImpl");
  }

  /** Mapper is for reduce tasks too: a {@code ChainReducer} runs mappers after its reducer. */
  @Override
  public boolean isNeededBy(String className, String taskType) {
    boolean isOfMaps =
        className.startsWith(HADOOP + "mapred/Map")
            || className.equals(HADOOP + "mapred/SpillRecord");
    boolean isOfReduces =
        className.startsWith(HADOOP + "mapred/ReduceTask")
            || className.startsWith(HADOOP + "mapreduce/task/reduce/");
    return !(isOfMaps && taskType.equals("reduce") || isOfReduces && taskType.equals("map"));
  }

  @Override
  public List<Patch> patches() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(TaskPatches.rows());
    rows.addAll(MapInputPatches.rows());
    rows.addAll(SortBufferPatches.rows());
    rows.addAll(DirectOutputPatches.rows());
    rows.addAll(WriterPatches.rows());
    rows.addAll(CombinePatches.rows());
    rows.addAll(NewGroupPatches.rows());
    rows.addAll(OldGroupPatches.rows());
    rows.addAll(ReducePatches.rows());
    rows.addAll(ShufflePatches.rows());
    rows.addAll(MergePatches.rows());
    rows.addAll(FailurePatches.rows());
    rows.addAll(FilePatches.rows());
    return Collections.unmodifiableList(rows);
  }
}
