package org.mprof.hadoop;

import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Attempt;
import org.mprof.agent.Ending;
import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.GroupTotal;
import org.mprof.agent.OtherGroups;
import org.mprof.agent.Settings;

/**
 * Counts what reduce() or combine() did not come to: the rest of the group in which memory ran out,
 * and the groups after it. Writes the {@code rest} event.
 *
 * <p>For an attempt that has failed already, once the error has left the user's code and what that
 * held is garbage. Raw keys alone are read, so no code of the user's runs but the comparators that
 * the merge asks as well. It stops after a share of the time that the task has run, see {@link
 * #mostNanos}, at the first error, and where the JVM is told to end: what was counted by then is a
 * lower bound.
 */
final class RestOfInput implements RawGroups.Ended {
  /** A task may end so much later than it would, in per cent of the time it has taken. */
  private static final long MOST_PERCENT = 5;

  private static final long LEAST_NANOS = 2_000_000_000L;
  private static final int RECORDS_BETWEEN_LOOKS = 256;

  /** Records of megabytes take their time each, and are what fills a heap. */
  private static final long BYTES_BETWEEN_LOOKS = 1 << 20;

  private final String scope;
  private final RawGroups groups;
  private final OtherGroups others = new OtherGroups();
  private GroupTotal atDeath;
  private long records;
  private boolean end;

  /**
   * In the open group of {@code before}, of which {@code key} is a key; where none is kept, that
   * group is over.
   */
  RestOfInput(GroupStatistics before, RawKey key, RawComparator<?> comparator) {
    GroupTotal soFar =
        new GroupTotal(before.records(), before.bytes(), before.digest(), /* whole= */ false);
    scope = before.scope();
    others.addAll(before);
    groups = new RawGroups(comparator, this, key, soFar);
  }

  /**
   * Counts, and writes the event.
   *
   * @param more whether there is a record under the cursor
   * @param counted whether that one belongs to what was read before
   */
  void count(RawKeyValueIterator in, boolean more, boolean counted) {
    long began = System.nanoTime();
    long most = mostNanos(Attempt.current().ranNanos());
    if (most <= 0) {
      return;
    }
    Ending.takesUpTo(most);
    Ending.countBegins();
    try {
      read(in, more, counted, began + most);
    } catch (Throwable error) {
      // Out of memory once more, perhaps: this task has failed, nobody need hear of it again.
      end = false;
    }
    try {
      write((System.nanoTime() - began) / 1e9);
    } finally {
      Ending.countEnds();
    }
  }

  private void read(RawKeyValueIterator in, boolean more, boolean counted, long until)
      throws Exception {
    boolean isMore = more && counted ? in.next() : more;
    long bytes = 0;
    while (isMore) {
      bytes += groups.count(in);
      records++;
      if (records % RECORDS_BETWEEN_LOOKS == 0 || bytes >= BYTES_BETWEEN_LOOKS) {
        if (System.nanoTime() - until > 0 || Ending.isOver()) {
          return;
        }
        bytes = 0;
      }
      isMore = in.next();
    }
    end = true;
    groups.end();
  }

  @Override
  public void ended(GroupTotal group) {
    if (atDeath == null) {
      atDeath = group;
    } else {
      others.add(group);
    }
  }

  private void write(double seconds) {
    GroupTotal group = atDeath != null ? atDeath : groups.soFar();
    EventLine line = Events.line("rest").put("scope", scope).beginObject("group");
    group.writeTo(line);
    line.endObject();
    others.writeTo(line, "others");
    line.put("end", end).put("records", records).put("seconds", seconds).write();
  }

  /** How long it may take after a task that has run so long, in nanoseconds. */
  static long mostNanos(long ranNanos) {
    long most = Settings.current().restSeconds() * 1_000_000_000L;
    return Math.min(most, Math.max(LEAST_NANOS, ranNanos / 100 * MOST_PERCENT));
  }
}
