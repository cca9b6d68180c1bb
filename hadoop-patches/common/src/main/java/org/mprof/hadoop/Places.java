package org.mprof.hadoop;

import org.mprof.agent.Phase;
import org.mprof.agent.Position;

/** Whose code runs, told from the phase: the {@code place} of failures. */
public final class Places {
  private Places() {}

  /** The place of an error that leaves the task's thread now. */
  public static String now() {
    switch ((int) Position.get(Position.PHASE)) {
      case Phase.START:
      case Phase.INIT:
        return "init";
      case Phase.SETUP:
      case Phase.REDUCE_SETUP:
        return "setup";
      case Phase.MAP:
        return "map";
      case Phase.SHUFFLE:
        return "shuffle";
      case Phase.FLUSH:
      case Phase.MERGE:
      case Phase.SORT:
        return "sort";
      case Phase.REDUCE:
        return "reduce";
      case Phase.CLEANUP:
        return "cleanup";
      default:
        return "other";
    }
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
