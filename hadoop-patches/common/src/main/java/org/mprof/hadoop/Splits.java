package org.mprof.hadoop;

import java.lang.reflect.Method;
import org.apache.hadoop.fs.Path;
import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.Position;

/** The input split of a map task, for the {@code split} event. */
public final class Splits {
  private static final int MOST_PATHS = 100;

  /** Splits inside splits: MultipleInputs and its like. */
  private static final int MOST_WRAPPERS = 4;

  private static final String APACHE = "org.apache.";

  private Splits() {}

  /** Writes the event for a split of either API; the class it has inside a wrapper is named. */
  public static void write(Object given) {
    Object split = unwrap(given);
    EventLine line = Events.line("split");
    long length = Position.UNKNOWN;
    if (split instanceof org.apache.hadoop.mapreduce.lib.input.FileSplit) {
      org.apache.hadoop.mapreduce.lib.input.FileSplit file =
          (org.apache.hadoop.mapreduce.lib.input.FileSplit) split;
      length = file.getLength();
      one(line, file.getPath(), file.getStart(), length);
    } else if (split instanceof org.apache.hadoop.mapred.FileSplit) {
      org.apache.hadoop.mapred.FileSplit file = (org.apache.hadoop.mapred.FileSplit) split;
      length = file.getLength();
      one(line, file.getPath(), file.getStart(), length);
    } else if (split instanceof org.apache.hadoop.mapreduce.lib.input.CombineFileSplit) {
      // The old API's CombineFileSplit extends this one.
      org.apache.hadoop.mapreduce.lib.input.CombineFileSplit files =
          (org.apache.hadoop.mapreduce.lib.input.CombineFileSplit) split;
      length = files.getLength();
      many(line, files.getPaths());
      SplitReads.of(files.getPaths(), files.getStartOffsets(), files.getLengths());
    } else {
      length = lengthOf(split);
      SplitReads.ofNoFiles();
    }
    line.putKnown("length", length).put("class", split.getClass().getName()).write();
    Position.put(Position.SPLIT_LENGTH, length);
  }

  private static void one(EventLine line, Path path, long start, long length) {
    line.put("path", path.toString()).put("start", start);
    Opens.input(path);
    SplitReads.of(new Path[] {path}, new long[] {start}, new long[] {length});
  }

  private static void many(EventLine line, Path[] paths) {
    line.put("path", paths[0].toString()).beginList("paths");
    for (int i = 0; i < Math.min(paths.length, MOST_PATHS); i++) {
      line.element(paths[i].toString());
    }
    line.endList();
    for (Path path : paths) {
      Opens.input(path);
    }
  }

  /** Of a class of Hadoop's or of a library of its kind; one of the user's may do anything. */
  private static long lengthOf(Object split) {
    if (!split.getClass().getName().startsWith(APACHE)) {
      return Position.UNKNOWN;
    }
    try {
      if (split instanceof org.apache.hadoop.mapreduce.InputSplit) {
        return ((org.apache.hadoop.mapreduce.InputSplit) split).getLength();
      }
      if (split instanceof org.apache.hadoop.mapred.InputSplit) {
        return ((org.apache.hadoop.mapred.InputSplit) split).getLength();
      }
    } catch (Exception e) {
      // Its length is not worth more.
    }
    return Position.UNKNOWN;
  }

  /** TaggedInputSplit, which MultipleInputs puts around splits, is not public in either API. */
  private static Object unwrap(Object given) {
    Object split = given;
    for (int i = 0; i < MOST_WRAPPERS; i++) {
      if (!split.getClass().getSimpleName().equals("TaggedInputSplit")) {
        break;
      }
      try {
        Method inner = split.getClass().getMethod("getInputSplit");
        inner.setAccessible(true);
        split = inner.invoke(split);
      } catch (ReflectiveOperationException | RuntimeException e) {
        break;
      }
    }
    return split;
  }
}
