package org.mprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Faults of the agent itself. They cost one line on stderr, an event and a count, never the task.
 *
 * <p>At most {@link #MOST_LINES} are reported; a hook that fails for every record must not fill the
 * log.
 */
public final class Faults {
  static final int MOST_LINES = 8;

  private static final AtomicInteger reported = new AtomicInteger();

  private Faults() {}

  /** Called by the wrapper around every hook with whatever the hook threw. Never throws. */
  public static void caught(Throwable fault, String where) {
    try {
      Position.add(Position.ERRORS, 1);
      if (reported.incrementAndGet() <= MOST_LINES) {
        say("fault in " + where + ": " + fault + "; the task goes on");
        Events.line("fault")
            .put("where", where)
            .put("class", fault.getClass().getName())
            .put("message", fault.getMessage())
            .write();
      }
    } catch (Throwable second) {
      // Nothing is left to be tried: the task comes first.
    }
  }

  /** One line on stderr. */
  static void say(String message) {
    System.err.println("mprof: " + message);
  }
}
