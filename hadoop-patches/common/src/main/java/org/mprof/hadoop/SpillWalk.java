package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.RecordStatistics;

/**
 * The groups of a pass of combine() over a spill, where every record is handed over and none is
 * waited for by a probe or by a verify attempt.
 *
 * <p>The sort buffer keeps the records until the spill is done. So a record that passes is only
 * numbered; sizes are read from the buffer's accounting when the group ends, after so many records,
 * and when something needs them: a record of the combiner is the cheapest that Hadoop has, and
 * there are more of them than of any other.
 */
final class SpillWalk extends CombineWalk {
  /** So many records at most are handed over before they are counted. */
  private static final int MOST_UNCOUNTED = 256;

  /** A larger record is counted before it is deserialised: the process may die of it. */
  private static final int SMALL_BYTES = 4 * 1024;

  private final SpillRecords sorted;
  private final int first;
  private int read;
  private int counted;
  private int beforeGroup;
  private boolean isLastSized;
  private long lastBytes = Position.UNKNOWN;

  /** {@code first} is the number of the pass's first record among those of the spill. */
  SpillWalk(
      CombinePass pass,
      GroupStatistics groups,
      RecordStatistics records,
      SpillRecords sorted,
      int first) {
    super(pass, groups, records);
    this.sorted = sorted;
    this.first = first;
    Position.put(Position.COMBINE_RECORD_BYTES, Position.UNKNOWN);
    Position.put(Position.COMBINE_RECORD_DIGEST, Position.UNKNOWN);
  }

  @Override
  public void comes(DataInputBuffer key, boolean isOfSameGroup, RawKeyValueIterator in)
      throws IOException {
    if (isAskedForAgain()) {
      return; // an error on the way to the user's code, which that code has lived with
    }
    if (!isOfSameGroup) {
      count();
      keyRead(key);
      beginAnother();
    }
    if (isLastSized) {
      isLastSized = false;
      Position.put(Position.COMBINE_RECORD_BYTES, Position.UNKNOWN);
      Position.put(Position.COMBINE_RECORD_DIGEST, Position.UNKNOWN);
    }
    markHanded();
    int record = first + read;
    read++;
    Position.put(Position.COMBINE_RECORDS_IN, read);
    Position.put(Position.COMBINE_RECORD_IN_GROUP, read - beforeGroup);
    if (RawGroups.size(key) + sorted.valueBytes(record) > SMALL_BYTES) {
      count();
      Position.put(Position.COMBINE_RECORD_DIGEST, sorted.digest(record));
    } else if (read - counted >= MOST_UNCOUNTED) {
      count();
    }
  }

  @Override
  void groupBegins(long digest) {
    beforeGroup = read;
    super.groupBegins(digest);
    Position.put(Position.COMBINE_GROUP_BYTES, Position.UNKNOWN);
  }

  @Override
  void catchUp() {
    if (read > 0) {
      count();
    }
  }

  /** Reads the sizes of what was handed over since it was called last. */
  private void count() {
    long bytes = lastBytes;
    while (counted < read) {
      bytes = sorted.bytes(first + counted);
      if (records.wouldKeep(bytes)) {
        groups.record(bytes);
        records.record(bytes, groups.ordinal(), sorted.digest(first + counted));
        counted++;
      } else {
        countAlike(bytes);
      }
    }
    lastBytes = bytes;
    isLastSized = true;
    passRead(read);
    Position.put(Position.COMBINE_RECORD_BYTES, bytes);
    Position.put(Position.COMBINE_GROUP_BYTES, groups.bytes());
  }

  /** The next record of these bytes and those like it that follow: most records of a group are. */
  private void countAlike(long bytes) {
    int end = counted + 1;
    while (end < read && sorted.bytes(first + end) == bytes) {
      end++;
    }
    int alike = end - counted;
    counted = end; // first: what is broken off half-way must not be counted twice
    groups.records(bytes, alike);
    records.records(bytes, groups.ordinal(), alike);
  }

  /** The attempt fails at the record handed over last. */
  @Override
  void fails() {
    if (read > 0) {
      count();
      records.identified(sorted.digest(first + read - 1));
      Position.put(Position.COMBINE_RECORD_DIGEST, records.digest());
    }
  }
}
