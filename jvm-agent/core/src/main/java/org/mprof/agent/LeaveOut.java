package org.mprof.agent;

/**
 * The record, or the group, of a plan that the user's code is not given: it gets all others, in an
 * attempt that never commits. If the task then comes to the end of its input, it had died of that.
 *
 * <p>The reverse of {@link Verify}, whose mode it shares: without a place, a verify attempt hands
 * over its whole input, and fails, marked, before it can commit.
 */
public final class LeaveOut {
  private static long record = Position.UNKNOWN;
  private static long group = Position.UNKNOWN;

  private LeaveOut() {}

  static void configure(Plan plan) {
    boolean verify = plan.mode() == Mode.VERIFY;
    record = verify ? plan.leaveOutRecord() : Position.UNKNOWN;
    group = verify ? plan.leaveOutGroup() : Position.UNKNOWN;
  }

  /** Whether this attempt leaves a record or a group out. */
  static boolean active() {
    return record != Position.UNKNOWN || aGroup();
  }

  /** Whether this attempt leaves a group out. */
  public static boolean aGroup() {
    return group != Position.UNKNOWN;
  }

  /** Whether it is the group of reduce() and combine() whose first key has that digest. */
  public static boolean isGroup(long digest) {
    return digest == group;
  }

  /** The group was met, and is not handed over. */
  public static void groupLeftOut() {
    Events.line("verify").put("step", "left_out").digest("digest", group).at().write();
  }

  /** Whether it is the record of that 1-based ordinal in map(). */
  public static boolean is(long ordinal) {
    return ordinal == record;
  }

  /** The record was read, and is not handed over. */
  public static void leftOut(long ordinal) {
    Events.line("verify").put("step", "left_out").putKnown("ordinal", ordinal).at().write();
  }
}
