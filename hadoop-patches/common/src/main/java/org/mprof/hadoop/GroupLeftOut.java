package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Failures;
import org.mprof.agent.LeaveOut;

/**
 * Keeps one group from reduce() and combine(): its records are passed over as raw bytes, below the
 * framework. The group is told by the digest of its first key, like the groups that are verified.
 */
final class GroupLeftOut {
  private RawGroups groups;
  private boolean said;

  private GroupLeftOut() {}

  /** The filter, or null where no group is left out. */
  static GroupLeftOut wanted() {
    return VerifyGuard.leavesGroupOut() ? new GroupLeftOut() : null;
  }

  void groupedBy(RawComparator<?> groupComparator) {
    groups = new RawGroups(groupComparator, group -> {});
  }

  /** Goes on to the next record of another group; false where there is none. */
  boolean passOver(boolean first, RawKeyValueIterator in) {
    try {
      for (boolean more = first; more; more = in.next()) {
        groups.count(in);
        if (!LeaveOut.isGroup(groups.digest())) {
          return true;
        }
        if (!said) {
          said = true;
          LeaveOut.groupLeftOut();
        }
      }
    } catch (IOException | RuntimeException e) {
      // The rest of the input is not handed over: that is no end to which the task has come.
      Failures.record(e, "other");
    }
    return false;
  }
}
