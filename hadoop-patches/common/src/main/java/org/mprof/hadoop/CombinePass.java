package org.mprof.hadoop;

import org.mprof.agent.Failures;
import org.mprof.agent.Faults;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.Probes;
import org.mprof.agent.RecordStatistics;
import org.mprof.agent.Verify;

/**
 * A pass of the combiner: one instance of it over one partition of a spill or merge.
 *
 * <p>Passes of an attempt never overlap: in a map task the spill thread or the task's thread runs
 * them, in a reduce task the in-memory merger. The sizes of groups and records are gathered over
 * all passes; the position tells where in this pass the task stands.
 */
public final class CombinePass {
  private static final GroupStatistics GROUPS = new GroupStatistics("combine");
  private static final RecordStatistics RECORDS = new RecordStatistics("combine");

  private static volatile long calls;
  private static volatile CombinePass current;

  final int place;
  final int spill;
  final int partition;
  private final MapOutputLog log;
  private final SpillRecords sorted;
  private final int firstSorted;
  private CombineWalk walk;
  private long recordsIn;

  /** {@code log} is null in the shuffle. */
  CombinePass(MapOutputLog log) {
    this.log = log;
    this.place = log == null ? Position.COMBINE_IN_SHUFFLE_MERGE : log.combinePlace();
    this.spill = log == null ? -1 : log.spillOrdinal();
    this.partition = log == null ? -1 : log.partition();
    this.sorted = log == null ? null : log.sorted();
    this.firstSorted = log == null ? -1 : log.firstSorted();
  }

  /** The combiner is about to run on this thread. */
  public static void begin() {
    if (MapOutputLog.isClosing()) {
      return;
    }
    CombinePass pass = new CombinePass(MapOutputLog.ofThisThread());
    current = pass;
    GROUPS.register();
    RECORDS.register();
    calls = calls + 1;
    Position.put(Position.COMBINE_CALL, calls);
    Position.put(Position.COMBINE_PARTITION, pass.partition);
    Position.put(
        Position.COMBINE_TOTAL, pass.log == null ? Position.UNKNOWN : pass.log.takeCombineTotal());
    Position.put(Position.COMBINE_RECORDS_IN, 0);
    Position.put(Position.COMBINE_RECORDS_OUT, 0);
    Position.put(Position.COMBINE_GROUP, 0);
    Position.put(Position.COMBINE_RECORD_IN_GROUP, 0);
    Position.put(Position.COMBINE_GROUP_BYTES, 0);
    Position.put(Position.COMBINE_PLACE, pass.place);
  }

  /** It is done. */
  public static void end() {
    CombinePass pass = current;
    if (pass == null) {
      return;
    }
    current = null;
    pass.catchUp();
    GROUPS.end();
    RECORDS.end();
    if (pass.log != null) {
      pass.log.combined(pass.partition, pass.recordsIn);
    }
    Position.put(Position.COMBINE_PLACE, Position.COMBINE_NONE);
  }

  /** No further pass comes in this attempt. */
  public static void allDone() {
    if (calls > 0) {
      GROUPS.write(true);
      RECORDS.write(true);
      GROUPS.unregister();
      RECORDS.unregister();
    }
  }

  /** It failed; the position stays as it was. */
  public static void failed(Throwable error) {
    CombinePass pass = current;
    if (pass != null && pass.walk != null) {
      try {
        pass.walk.fails();
      } catch (Throwable second) {
        // What is not known of the record stays so: the failure itself is to be told.
      }
    }
    Failures.record(
        error,
        "combine",
        Position.get(Position.COMBINE_RECORDS_IN),
        RECORDS.bytes(),
        RECORDS.digest());
    current = null;
    if (pass != null && pass.walk != null) {
      pass.walk.threw(error);
      pass.walk.failed(error);
    }
  }

  /** Whether a combiner runs now. */
  public static boolean isRunning() {
    return current != null;
  }

  /** Number of passes begun so far. */
  static long calls() {
    return calls;
  }

  /** A record left the combiner. */
  public static void wrote() {
    if (current != null) {
      Position.add(Position.COMBINE_RECORDS_OUT, 1);
    }
  }

  /** The walk over the groups of the pass that runs now, or null where none is to be followed. */
  public static GroupWalk walk() {
    CombinePass pass = current;
    return pass == null ? null : pass.follow(new CombineWalk(pass, GROUPS, RECORDS));
  }

  /** The same where each record is handed over, one after the other. */
  public static GroupWalk walkInOrder() {
    CombinePass pass = current;
    if (pass == null || pass.sorted == null || Verify.active() || !Probes.areNone()) {
      return walk();
    }
    return pass.follow(new SpillWalk(pass, GROUPS, RECORDS, pass.sorted, pass.firstSorted));
  }

  private void catchUp() {
    try {
      if (walk != null) {
        walk.catchUp();
      }
    } catch (RuntimeException fault) {
      Faults.caught(fault, "combine");
    }
  }

  private GroupWalk follow(CombineWalk followed) {
    walk = followed;
    return followed;
  }

  void read(long records) {
    recordsIn = records;
  }

  /** Records of the pass that ran last on the in-memory merger, for its event. */
  static long recordsOfLastPass() {
    return Position.get(Position.COMBINE_RECORDS_IN);
  }
}
