package org.mprof.hadoop;

import java.util.Arrays;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;

/** Whose code runs, told from the phase: the {@code place} of failures. */
public final class Places {
  private static final String OTHER = "other";

  /**
   * Made when the class is: a constant that is met for the first time in a full heap cannot be. The
   * input of map() and reduce() makes sure that this happens before any record.
   */
  private static final String[] BY_PHASE = byPhase();

  private Places() {}

  private static String[] byPhase() {
    String[] names = new String[Phase.END + 1];
    Arrays.fill(names, OTHER);
    names[Phase.START] = "init";
    names[Phase.INIT] = "init";
    names[Phase.SETUP] = "setup";
    names[Phase.REDUCE_SETUP] = "setup";
    names[Phase.MAP] = "map";
    names[Phase.SHUFFLE] = "shuffle";
    names[Phase.FLUSH] = "sort";
    names[Phase.MERGE] = "sort";
    names[Phase.SORT] = "sort";
    names[Phase.REDUCE] = "reduce";
    names[Phase.CLEANUP] = "cleanup";
    return names;
  }

  /** The place of an error that leaves the task's thread now. Allocates nothing. */
  public static String now() {
    long phase = Position.get(Position.PHASE);
    return phase < 0 || phase >= BY_PHASE.length ? OTHER : BY_PHASE[(int) phase];
  }

  /** Whether the user's code may be running on the task's thread. */
  static boolean isUserPhase() {
    switch ((int) Position.get(Position.PHASE)) {
      case Phase.INIT:
      case Phase.SETUP:
      case Phase.MAP:
      case Phase.REDUCE_SETUP:
      case Phase.REDUCE:
      case Phase.CLEANUP:
        return true;
      default:
        return false;
    }
  }
}
