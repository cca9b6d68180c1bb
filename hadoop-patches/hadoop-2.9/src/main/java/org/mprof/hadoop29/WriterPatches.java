package org.mprof.hadoop29;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.IFile;
import org.mprof.agent.patch.HasState;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.KeyRuns;

/** Records and keys that pass a writer of intermediate files: spills, merges, combined output. */
final class WriterPatches {
  private static final String HOOKS = "org/mprof/hadoop29/WriterPatches$Hooks";
  private static final String WRITER = "org/apache/hadoop/mapred/IFile$Writer";
  private static final String IN_MEMORY = "org/apache/hadoop/mapreduce/task/reduce/InMemoryWriter";
  private static final String RUNS = "Lorg/mprof/hadoop/KeyRuns;";
  private static final String IN = "Lorg/apache/hadoop/io/DataInputBuffer;";
  private static final String OUT = "Lorg/apache/hadoop/io/DataOutputBuffer;";
  private static final String CLOSED = "(" + RUNS + "Lorg/apache/hadoop/mapred/IFile$Writer;)V";

  private WriterPatches() {}

  static List<Patch> rows() {
    Value runs = Value.field(WRITER, "mprof$runs", RUNS);
    Value written = Value.field("decompressedBytesWritten", "J");
    return Arrays.asList(
        Patch.in(WRITER)
            .addField("mprof$runs", RUNS)
            .since("0.20.2")
            .because("records and keys of this writer"),
        Patch.in(WRITER)
            .method("<init>")
            .onEnter()
            .call(HOOKS, "opened", "(Ljava/lang/Object;)V", Value.self())
            .since("0.20.2")
            .because("records and keys of this writer"),
        Patch.in(WRITER)
            .method("append", "(" + IN + IN + ")V")
            .onEnter()
            .call(HOOKS, "appended", "(" + RUNS + IN + "J)V", runs, Value.argument(0), written)
            .since("0.20.2")
            .because("counts a record, and its key by the raw bytes"),
        Patch.in(WRITER)
            .method("append", "(Ljava/lang/Object;Ljava/lang/Object;)V")
            .beforeCall("org/apache/hadoop/io/serializer/Serializer", "serialize", null)
            .occurrence(2)
            .call(
                HOOKS,
                "appended",
                "(" + RUNS + OUT + "J)V",
                runs,
                Value.field("buffer", OUT),
                written)
            .since("0.20.2")
            .because("between key and value the buffer holds the key alone"),
        Patch.in(WRITER)
            .method("close")
            .onReturn()
            .call(HOOKS, "closed", CLOSED, runs, Value.self())
            .since("0.20.2")
            .because("the totals of what was written"),
        Patch.in(IN_MEMORY)
            .method("append", "(" + IN + IN + ")V")
            .onEnter()
            .call(HOOKS, "appendedInMemory", "(" + RUNS + IN + ")V", runs, Value.argument(0))
            .since("0.23.11")
            .because("the same for merges within memory"),
        Patch.in(IN_MEMORY)
            .method("close")
            .onReturn()
            .call(HOOKS, "closed", CLOSED, runs, Value.self())
            .since("0.23.11")
            .because("the same for merges within memory"));
  }

  /** Called from {@code IFile.Writer} and {@code InMemoryWriter}. */
  public static final class Hooks {
    private Hooks() {}

    public static void opened(Object writer) {
      ((HasState) writer).mprof$state(KeyRuns.opened());
    }

    public static void appended(KeyRuns runs, DataInputBuffer key, long written) {
      if (runs != null) {
        runs.append(key, written);
      }
    }

    public static void appended(KeyRuns runs, DataOutputBuffer key, long written) {
      if (runs != null) {
        runs.append(key, written);
      }
    }

    /** This writer counts no bytes. It writes no map output, so nobody asks for its largest key. */
    public static void appendedInMemory(KeyRuns runs, DataInputBuffer key) {
      if (runs != null) {
        runs.append(key, 0);
      }
    }

    public static void closed(KeyRuns runs, IFile.Writer<?, ?> writer) {
      if (runs != null) {
        runs.closed(writer.getRawLength(), writer.getCompressedLength());
      }
    }
  }
}
