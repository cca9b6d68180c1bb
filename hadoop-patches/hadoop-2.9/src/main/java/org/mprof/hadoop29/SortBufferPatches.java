package org.mprof.hadoop29;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.mprof.agent.Failures;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.patch.HasState;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.MapOutputLog;
import org.mprof.hadoop.SpillRecords;

/** The sort buffer of map(): allocation, records collected, spills, and the merge of the spills. */
final class SortBufferPatches {
  private static final String HOOKS = "org/mprof/hadoop29/SortBufferPatches$Hooks";
  private static final String MAP_TASK = "org/apache/hadoop/mapred/MapTask";
  private static final String BUFFER = "org/apache/hadoop/mapred/MapTask$MapOutputBuffer";
  private static final String LOG = "Lorg/mprof/hadoop/MapOutputLog;";
  private static final String COUNTER = "Lorg/apache/hadoop/mapred/Counters$Counter;";

  private SortBufferPatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    rows.addAll(buffer());
    rows.addAll(spills());
    rows.addAll(merge());
    return rows;
  }

  private static List<Patch> buffer() {
    return Arrays.asList(
        Patch.in(BUFFER)
            .addField("mprof$log", LOG)
            .since("0.20.2")
            .because("spills and partitions of this buffer"),
        Patch.in(BUFFER)
            .method("init")
            .onEnter()
            .call(
                HOOKS,
                "requested",
                "(Ljava/lang/Object;Lorg/apache/hadoop/mapred/MapOutputCollector$Context;)V",
                Value.self(),
                Value.argument(0))
            .since("2.0.3")
            .because("how large a buffer is asked for, should it not fit"),
        Patch.in(BUFFER)
            .method("init")
            .onReturn()
            .call(
                HOOKS,
                "ready",
                "([B" + COUNTER + COUNTER + ")V",
                Value.field("kvbuffer", "[B"),
                Value.field("mapOutputRecordCounter", COUNTER),
                Value.field("mapOutputByteCounter", COUNTER))
            .since("2.0.3")
            .because("the buffer is there; records and bytes that map() writes are counted"),
        Patch.in(MAP_TASK)
            .method("createSortingCollector")
            .onReturn()
            .call(HOOKS, "collectorReady", "(Ljava/lang/Object;)V", Value.returned())
            .since("2.0.3")
            .because("what follows is the user's set-up"));
  }

  private static List<Patch> spills() {
    return Arrays.asList(
        Patch.in(BUFFER)
            .method("flush")
            .onEnter()
            .call(HOOKS, "flush", "(" + LOG + ")V", log())
            .since("0.20.2")
            .because("map() and cleanup are done; the phase flush begins"),
        Patch.in(BUFFER)
            .method("sortAndSpill")
            .onEnter()
            .call(
                HOOKS,
                "beginSpill",
                "(" + LOG + "I[BLjava/nio/IntBuffer;IIIII)V",
                log(),
                Value.field("numSpills", "I"),
                Value.field("kvbuffer", "[B"),
                Value.field("kvmeta", "Ljava/nio/IntBuffer;"),
                Value.field("kvstart", "I"),
                Value.field("kvend", "I"),
                Value.field("bufstart", "I"),
                Value.field("bufend", "I"),
                Value.field("bufvoid", "I"))
            .since("0.23.11")
            .because("records and bytes that a spill takes from the buffer"),
        Patch.in(BUFFER)
            .method("sortAndSpill")
            .onReturn()
            .call(HOOKS, "endSpill", "(" + LOG + ")V", log())
            .since("0.20.2")
            .because("what the spill holds of each partition"),
        Patch.in(BUFFER)
            .method("sortAndSpill")
            .onThrow()
            .call(
                HOOKS, "spillFailed", "(Ljava/lang/Throwable;" + LOG + ")V", Value.thrown(), log())
            .since("0.20.2")
            .because("an error in the spill thread or in the last spill"),
        Patch.in(BUFFER)
            .method("spillSingleRecord")
            .onEnter()
            .call(
                HOOKS,
                "beginSpillOfRecord",
                "(" + LOG + "I)V",
                log(),
                Value.field("numSpills", "I"))
            .since("0.20.2")
            .because("a record larger than the buffer is a spill of its own"),
        Patch.in(BUFFER)
            .method("spillSingleRecord")
            .onReturn()
            .call(HOOKS, "endSpill", "(" + LOG + ")V", log())
            .since("0.20.2")
            .because("what that spill holds"),
        Patch.in(BUFFER + "$MRResultIterator")
            .method("<init>")
            .onEnter()
            .call(HOOKS, "combineNext", "(II)V", Value.argument(1), Value.argument(2))
            .since("0.20.2")
            .because("records of the partition that the combiner is given next"),
        Patch.in("org/apache/hadoop/mapred/SpillRecord")
            .method("putIndex")
            .onEnter()
            .call(
                HOOKS,
                "partitionWritten",
                "(Lorg/apache/hadoop/mapred/IndexRecord;I)V",
                Value.argument(0),
                Value.argument(1))
            .since("0.20.2")
            .because("a partition of a spill or of the map output is finished"));
  }

  private static List<Patch> merge() {
    Value spills = Value.field("numSpills", "I");
    return Arrays.asList(
        Patch.in(BUFFER)
            .method("mergeParts")
            .onEnter()
            .call(HOOKS, "beginMerge", "(" + LOG + "I)V", log(), spills)
            .since("0.20.2")
            .because("the phase merge begins"),
        Patch.in(BUFFER)
            .method("mergeParts")
            .onReturn()
            .call(HOOKS, "endMerge", "(" + LOG + "I)V", log(), spills)
            .since("0.20.2")
            .because("what the shuffle will fetch, also of a single spill"),
        Patch.in(BUFFER)
            .method("mergeParts")
            .onThrow()
            .call(
                HOOKS, "spillFailed", "(Ljava/lang/Throwable;" + LOG + ")V", Value.thrown(), log())
            .since("0.20.2")
            .because("an error in the merge"));
  }

  private static Value log() {
    return Value.field("mprof$log", LOG);
  }

  /** Called from {@code MapTask}, {@code MapOutputBuffer} and {@code SpillRecord}. */
  public static final class Hooks {
    private Hooks() {}

    public static void requested(Object buffer, MapOutputCollector.Context context) {
      JobConf conf = context.getJobConf();
      int megabytes = conf.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
      MapOutputLog.requested(
          (long) megabytes << 20, conf.getFloat(JobContext.MAP_SORT_SPILL_PERCENT, 0.8f));
      ((HasState) buffer).mprof$state(new MapOutputLog(conf.getNumReduceTasks()));
    }

    public static void ready(byte[] buffer, Counters.Counter records, Counters.Counter bytes) {
      Position.fetchFrom(new OutputCounters(records, bytes));
      MapOutputLog.ready(buffer.length);
    }

    public static void collectorReady(Object collector) {
      if (!(collector instanceof HasState)) {
        MapOutputLog.notOurs();
      }
      Phase.enter(Phase.SETUP);
    }

    public static void flush(MapOutputLog log) {
      if (log != null) {
        log.flush();
      }
    }

    /** The arithmetic of {@code sortAndSpill} itself: records lie between kvend and kvstart. */
    public static void beginSpill(
        MapOutputLog log,
        int number,
        byte[] buffer,
        IntBuffer meta,
        int kvstart,
        int kvend,
        int bufstart,
        int bufend,
        int bufvoid) {
      if (log != null) {
        int last = kvstart >= kvend ? kvstart : meta.capacity() + kvstart;
        int bytes = bufstart <= bufend ? bufend - bufstart : bufvoid - bufstart + bufend;
        int records = 1 + last / SpillRecords.META - kvend / SpillRecords.META;
        SpillRecords sorted = new SpillRecords(meta, buffer, bufvoid);
        log.beginSpill(number, records, bytes, sorted);
      }
    }

    public static void beginSpillOfRecord(MapOutputLog log, int number) {
      if (log != null) {
        log.beginSpillOfRecord(number);
      }
    }

    public static void endSpill(MapOutputLog log) {
      if (log != null) {
        log.endSpill();
      }
    }

    public static void spillFailed(Throwable error, MapOutputLog log) {
      Failures.record(error, "sort");
      if (log != null) {
        log.failed();
      }
    }

    public static void combineNext(int from, int to) {
      MapOutputLog.combineNext(from, to);
    }

    public static void partitionWritten(IndexRecord index, int partition) {
      MapOutputLog.partitionWritten(partition, index.rawLength, index.partLength);
    }

    public static void beginMerge(MapOutputLog log, int spills) {
      if (log != null) {
        log.beginMerge(spills);
      }
    }

    public static void endMerge(MapOutputLog log, int spills) {
      if (log != null) {
        log.endMerge(spills);
      }
    }
  }
}
