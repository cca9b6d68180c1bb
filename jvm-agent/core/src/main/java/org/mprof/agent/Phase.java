package org.mprof.agent;

/**
 * The phases of a task attempt, numbered as in {@code docs/reference/position-file.md}.
 *
 * <p>Plain constants and not an enum: the number is written into the position file by the hot path.
 */
public final class Phase {
  public static final int START = 0;
  public static final int INIT = 1;
  public static final int SETUP = 2;
  public static final int MAP = 3;
  public static final int FLUSH = 4;
  public static final int MERGE = 5;
  public static final int SHUFFLE = 6;
  public static final int SORT = 7;
  public static final int REDUCE_SETUP = 8;
  public static final int REDUCE = 9;
  public static final int CLEANUP = 10;
  public static final int COMMIT = 11;
  public static final int END = 12;

  private static final String[] NAMES = {
    "start",
    "init",
    "setup",
    "map",
    "flush",
    "merge",
    "shuffle",
    "sort",
    "reduce_setup",
    "reduce",
    "cleanup",
    "commit",
    "end"
  };

  private Phase() {}

  /** The name of a phase as it stands in events, or {@code "unknown"}. */
  public static String name(long phase) {
    return phase >= 0 && phase < NAMES.length ? NAMES[(int) phase] : "unknown";
  }

  /**
   * Ends the phase the task is in and begins another one: both events, the position file, and the
   * statistics gathered so far. Entering the phase the task is already in does nothing.
   */
  public static void enter(int phase) {
    long before = Position.get(Position.PHASE);
    if (before == phase) {
      return;
    }
    Events.line("phase").put("phase", name(before)).put("edge", "end").at().write();
    if (before != START) {
      Statistics.writeAll(false);
    }
    Position.put(Position.PHASE, phase);
    Position.touch();
    Events.line("phase").put("phase", name(phase)).put("edge", "begin").at().write();
  }
}
