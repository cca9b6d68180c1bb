package org.mprof.hadoop;

import org.mprof.agent.LeaveOut;
import org.mprof.agent.Verify;

/**
 * Whether a verify attempt may discard records: only once the patch that keeps it from committing
 * is known to be in place. A patch that failed to apply must not let half an output be committed.
 */
public final class VerifyGuard {
  private static volatile boolean armed;

  private VerifyGuard() {}

  /** The class that commits has called its hook, so it is patched. */
  public static void arm() {
    armed = true;
  }

  /** Whether records are discarded for the user's code of that place. */
  static boolean in(String place) {
    return armed && Verify.in(place);
  }

  /** Whether the record of that ordinal in map() is kept from the user's code, and said to be. */
  static boolean leavesOut(long ordinal) {
    if (!LeaveOut.is(ordinal) || !armed) {
      return false;
    }
    LeaveOut.leftOut(ordinal);
    return true;
  }

  /** Whether a group is kept from the user's code. */
  static boolean leavesGroupOut() {
    return armed && LeaveOut.aGroup();
  }
}
