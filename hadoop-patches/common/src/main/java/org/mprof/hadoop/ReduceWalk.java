package org.mprof.hadoop;

import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.mprof.agent.Failures;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.Probes;
import org.mprof.agent.RecordStatistics;

/** The groups of reduce(): its own partition, merged and sorted. */
public final class ReduceWalk extends GroupWalk {
  /** The progress is asked for at each of the first records, then at every so many. */
  private static final int EVERY_FIRST = 64;

  private static final int THEN_EVERY = 256;

  private static volatile ReduceWalk current;

  private long bytes;

  public ReduceWalk() {
    super(new GroupStatistics("reduce"), new RecordStatistics("reduce"), verifying("reduce"));
    groups.register();
    records.register();
    current = this;
    Position.put(Position.BYTES_IN, 0);
    Position.put(Position.GROUP, 0);
    Position.put(Position.RECORD_IN_GROUP, 0);
    Position.put(Position.GROUP_BYTES, 0);
  }

  /** The user's code of the reduce side failed. */
  public static void failed(Throwable error, String place) {
    ReduceWalk walk = current;
    if (walk == null) {
      Failures.record(error, place);
      return;
    }
    Failures.record(
        error, place, walk.records.ordinal(), walk.records.bytes(), walk.records.digest());
    walk.threw(error);
  }

  /** The error has left the task. */
  public static void left(Throwable error) {
    ReduceWalk walk = current;
    if (walk != null) {
      walk.failed(error);
    }
  }

  /** The user's code of the reduce side returned. */
  public static void finished() {
    ReduceWalk walk = current;
    if (walk != null) {
      walk.returned();
    }
  }

  @Override
  public void asks() {
    if (Position.get(Position.PHASE) == Phase.REDUCE_SETUP) {
      Phase.enter(Phase.REDUCE);
    }
  }

  @Override
  void groupBegins(long digest) {
    Position.put(Position.GROUP, groups.ordinal());
    Position.put(Position.GROUP_DIGEST, digest);
    Position.put(Position.RECORD_IN_GROUP, 0);
    Position.put(Position.GROUP_BYTES, 0);
    Probes.beforeGroup(groups.ordinal(), digest);
  }

  @Override
  void recordHanded(long recordBytes, long digest, RawKeyValueIterator in) {
    long ordinal = records.ordinal();
    bytes += recordBytes;
    Position.put(Position.RECORDS_IN, ordinal);
    Position.put(Position.BYTES_IN, bytes);
    Position.put(Position.RECORD_BYTES, recordBytes);
    Position.put(Position.RECORD_DIGEST, digest);
    Position.put(Position.RECORD_IN_GROUP, groups.records());
    Position.put(Position.GROUP_BYTES, groups.bytes());
    if (ordinal <= EVERY_FIRST || ordinal % THEN_EVERY == 0) {
      Progress progress = in.getProgress();
      if (progress != null) {
        Position.put(Position.PROGRESS_PPM, progressPpm(progress.getProgress()));
      }
    }
    Probes.beforeRecordInGroup(groups.ordinal(), groups.digest(), groups.records());
  }

  @Override
  void recordSkipped() {
    Position.put(Position.RECORD_IN_GROUP, groups.records());
    Position.put(Position.GROUP_BYTES, groups.bytes());
  }

  @Override
  void allGroupsDone() {
    groups.write(true);
    records.write(true);
    groups.unregister();
    records.unregister();
    asks();
    if (Position.get(Position.PHASE) == Phase.REDUCE) {
      Phase.enter(Phase.CLEANUP);
    }
  }
}
