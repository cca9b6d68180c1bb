package org.mprof.hadoop;

import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.Settings;

/**
 * What a sort buffer does: spills, the merge of the spills, and the output that the shuffle
 * fetches.
 *
 * <p>One object a sort buffer. Spills are written by the spill thread or, for the last one and for
 * records larger than the buffer, by the task's thread; never by two at once.
 */
public final class MapOutputLog {
  private static volatile MapOutputLog current;

  private final boolean samplesKeys;
  private final int partitions;
  private final Partitions spill;

  /** Null before there is something to merge: with very many reducers it is not small. */
  private Partitions output;

  private volatile Thread writing;
  private Partitions target;
  private int place = Position.COMBINE_NONE;
  private int ordinal;
  private String reason = "full";
  private long recordsIn;
  private long bytesIn;
  private long combineTotal = Position.UNKNOWN;
  private SpillRecords sorted;
  private int firstSorted;
  private boolean lastWasWhole;
  private boolean countsKeys;
  private boolean spillHasKeys;
  private volatile Thread flushing;
  private volatile boolean closing;

  public MapOutputLog(int partitions) {
    // With one reducer there is nothing to cut, and keys are data that nobody asked for otherwise.
    samplesKeys = partitions > 1 && Settings.current().keysAsText();
    this.partitions = partitions;
    spill = new Partitions(partitions, samplesKeys);
    current = this;
  }

  boolean samplesKeys() {
    return samplesKeys;
  }

  /**
   * Whether the keys of what is being written are of use: it is the map output, or a spill that may
   * turn out to be all of it. A full buffer is not the last spill, because the record that it had
   * no room for comes after it, unless that one could not be serialised.
   */
  boolean countsKeys() {
    return countsKeys;
  }

  /** How many keys of the partition that is being written can be kept. */
  int keysLeft() {
    return target.few().left();
  }

  /** The log whose spill or merge the calling thread is writing, or null. */
  static MapOutputLog ofThisThread() {
    MapOutputLog log = current;
    return log != null && log.writing == Thread.currentThread() ? log : null;
  }

  /** The user's code failed and the framework only closes: what is flushed now is no evidence. */
  public static void closeQuietly() {
    MapOutputLog log = current;
    if (log != null) {
      log.closing = true;
    }
  }

  static boolean isClosing() {
    MapOutputLog log = current;
    return log != null && log.closing;
  }

  /** The buffer is about to be allocated. */
  public static void requested(long bytes, double spillPercent) {
    Position.put(Position.MAP_BUFFER_BYTES, bytes);
    Position.put(Position.MAP_BUFFER_READY, 0);
    Position.put(Position.SPILL, 0);
    Position.put(Position.RECORDS_OUT, 0);
    Position.put(Position.BYTES_OUT, 0);
    Events.line("map_buffer")
        .put("edge", "request")
        .put("bytes", bytes)
        .put("spill_percent", spillPercent)
        .write();
  }

  /** Another collector than the sort buffer takes what map() writes; it is not looked into. */
  public static void notOurs() {
    Position.put(Position.RECORDS_OUT, Position.UNKNOWN);
  }

  /** It is there. */
  public static void ready(long bytes) {
    Position.put(Position.MAP_BUFFER_READY, 1);
    Events.line("map_buffer").put("edge", "ready").put("bytes", bytes).write();
  }

  /** map() is done, the rest of the buffer is sorted and spilled by the calling thread. */
  public void flush() {
    if (!closing) {
      flushing = Thread.currentThread();
      Phase.enter(Phase.FLUSH);
    }
  }

  /**
   * A spill of the buffer begins; what it holds are {@code records} of {@code bytes}, which can be
   * looked at in {@code inBuffer} until it is done.
   */
  public void beginSpill(int number, long records, long bytes, SpillRecords inBuffer) {
    beginSpill(number, Thread.currentThread() == flushing ? "flush" : "full", records, bytes);
    sorted = closing ? null : inBuffer;
  }

  /** A record that is larger than the buffer is written to a spill of its own. */
  public void beginSpillOfRecord(int number) {
    beginSpill(number, "record", 1, Position.UNKNOWN);
  }

  private void beginSpill(int number, String why, long records, long bytes) {
    if (closing) {
      return;
    }
    ordinal = number;
    reason = why;
    recordsIn = records;
    bytesIn = bytes;
    countsKeys = number == 0 && !why.equals("full");
    spill.clear();
    begin(spill, Position.COMBINE_IN_SPILL);
    Position.put(Position.SPILL, number);
    Position.touch();
    spillLine("begin").write();
  }

  /** The spill is written. */
  public void endSpill() {
    if (writing != Thread.currentThread()) {
      return;
    }
    end();
    Position.put(Position.SPILL, ordinal + 1L);
    Position.touch();
    EventLine line = spillLine("end");
    spillHasKeys = countsKeys;
    spill.writeTo(line, spillHasKeys);
    line.write();
  }

  private EventLine spillLine(String edge) {
    return Events.line("spill")
        .put("spill", ordinal)
        .put("edge", edge)
        .put("reason", reason)
        .put("records_in", recordsIn)
        .putKnown("bytes_in", bytesIn);
  }

  /** A spill or the merge failed; the thread writes nothing more. */
  public void failed() {
    if (writing == Thread.currentThread()) {
      end();
    }
  }

  /** All spills are there; with one of them, it is the output as it is. */
  public void beginMerge(int segments) {
    if (closing) {
      return;
    }
    Phase.enter(Phase.MERGE);
    lastWasWhole = segments == 1;
    countsKeys = true;
    output = new Partitions(lastWasWhole ? 0 : partitions, samplesKeys);
    begin(output, Position.COMBINE_IN_MAP_MERGE);
    Position.touch();
    mergeLine("begin", segments).write();
  }

  public void endMerge(int segments) {
    if (writing != Thread.currentThread()) {
      return;
    }
    end();
    CombinePass.allDone();
    Partitions whole = lastWasWhole ? spill : output;
    mergeLine("end", segments).put("combined", output.wereCombined()).write();
    EventLine line =
        Events.line("map_output")
            .put("spills", segments)
            .put("combined", output.wereCombined() || spill.wereCombined());
    whole.writeWholeTo(line, !lastWasWhole || spillHasKeys);
    line.at().write();
    sampled(whole.sample());
    Position.touch();
  }

  private static void sampled(KeySample sample) {
    if (sample != null && sample.isOfUse()) {
      EventLine line = Events.line("key_sample");
      sample.writeTo(line);
      line.write();
    }
  }

  private EventLine mergeLine(String edge, int segments) {
    return Events.line("merge_map").put("edge", edge).put("segments", segments);
  }

  private void begin(Partitions partitions, int combinePlace) {
    KeyRuns.takeLastClosed();
    target = partitions;
    place = combinePlace;
    writing = Thread.currentThread();
    Position.put(Position.PARTITION, 0);
  }

  private void end() {
    writing = null;
    sorted = null;
    target = null;
    place = Position.COMBINE_NONE;
    Position.put(Position.PARTITION, Position.UNKNOWN);
  }

  /**
   * A partition of what the calling thread writes is finished; its writer was closed just before.
   */
  public static void partitionWritten(int partition, long rawBytes, long compressedBytes) {
    MapOutputLog log = ofThisThread();
    if (log != null) {
      log.target.written(partition, KeyRuns.takeLastClosed(), rawBytes, compressedBytes);
      Position.put(Position.PARTITION, partition + 1L);
    }
  }

  /** The combiner will be given these records of the spill next, on this thread. */
  public static void combineNext(int from, int to) {
    MapOutputLog log = ofThisThread();
    if (log != null) {
      log.combineTotal = to - from;
      log.firstSorted = from;
    }
  }

  /** The records of the spill that is being written, or null. */
  SpillRecords sorted() {
    return sorted;
  }

  /** The number among them of the first one that the combiner is given. */
  int firstSorted() {
    return firstSorted;
  }

  long takeCombineTotal() {
    long total = combineTotal;
    combineTotal = Position.UNKNOWN;
    return total;
  }

  int combinePlace() {
    return place;
  }

  /** Ordinal of the spill that is being written, or -1 in the merge. */
  int spillOrdinal() {
    return place == Position.COMBINE_IN_SPILL ? ordinal : -1;
  }

  int partition() {
    return target.current();
  }

  void combined(int partition, long recordsIn) {
    if (target != null) {
      target.combined(partition, recordsIn);
    }
  }
}
