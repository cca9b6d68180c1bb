package org.mprof.agent;

import java.util.concurrent.atomic.AtomicInteger;
import org.mprof.agent.patch.Patch;

/**
 * Faults of the agent itself. They cost one line on stderr, an event and a count, never the task.
 *
 * <p>At most {@link #MOST_LINES} are reported; a hook that fails for every record must not fill the
 * log.
 */
public final class Faults {
  static final int MOST_LINES = 8;

  // Not constants, which would be made where they are first compared with: in a full heap.
  private static final String HEAP_FULL;
  private static final String NO_PROGRESS;

  static {
    HEAP_FULL = "Java heap space";
    NO_PROGRESS = "GC overhead limit exceeded";
  }

  private static final AtomicInteger reported = new AtomicInteger();

  private static final Thread.UncaughtExceptionHandler DROPPED =
      new Thread.UncaughtExceptionHandler() {
        @Override
        public void uncaughtException(Thread thread, Throwable error) {
          // The thread ends; the task goes on without what it did.
        }
      };

  private Faults() {}

  /** A fault in a part of the agent, named by its code. Never throws. */
  public static void caught(Throwable fault, String where) {
    caught(fault, where, null);
  }

  /** The same, with what that part was at work on. */
  public static void caught(Throwable fault, String where, String what) {
    report(fault, where, what, null, Position.UNKNOWN);
  }

  /**
   * Called by the wrapper around every hook with whatever the hook threw. Never throws.
   *
   * <p>Where the heap was full the fault is counted and nothing more: each string that is tried
   * then costs the dying task two full collections.
   *
   * @param number of the row of the patch table
   */
  public static void inHook(Throwable fault, int number) {
    if (isHeapFull(fault)) {
      Position.add(Position.ERRORS, 1);
      return;
    }
    try {
      Patch row = Patch.numbered(number);
      report(
          fault,
          "hook",
          row == null ? null : row.target(),
          row == null ? null : row.toString(),
          Position.UNKNOWN);
    } catch (Throwable second) {
      // The name of the row could not be made.
    }
  }

  /** Whether the heap was full; metaspace, threads and direct memory can run out beside it. */
  private static boolean isHeapFull(Throwable fault) {
    String why = fault instanceof OutOfMemoryError ? fault.getMessage() : null;
    return HEAP_FULL.equals(why) || NO_PROGRESS.equals(why);
  }

  /** A probe that failed. Never throws. */
  static void inProbe(Throwable fault, String point, long ordinal) {
    report(fault, "probe", point, null, ordinal);
  }

  private static void report(Throwable fault, String where, String what, String row, long ordinal) {
    try {
      Position.add(Position.ERRORS, 1);
      if (reported.incrementAndGet() <= MOST_LINES) {
        String place = row != null ? row : what == null ? where : where + " " + what;
        say("fault in " + place + ": " + fault + "; the task goes on");
        Events.line("fault")
            .put("where", where)
            .put("what", what)
            .put("row", row)
            .putKnown("ordinal", ordinal)
            .put("class", fault.getClass().getName())
            .put("message", fault.getMessage())
            .write();
      }
    } catch (Throwable second) {
      // Nothing is left to be tried: the task comes first.
    }
  }

  /**
   * Keeps an error of one of the agent's threads from the handler of the JVM: Hadoop's halts the
   * task for an error in any thread.
   */
  static void contain(Thread thread) {
    thread.setUncaughtExceptionHandler(DROPPED);
  }

  /** One line on stderr. */
  static void say(String message) {
    System.err.println("mprof: " + message);
  }
}
