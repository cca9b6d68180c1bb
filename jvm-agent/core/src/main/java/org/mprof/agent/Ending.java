package org.mprof.agent;

/** What is written when the task, or the JVM, ends. */
public final class Ending {
  private static final long MOST_WAIT_MS = 100;

  private static volatile boolean failed;
  private static boolean written;

  private Ending() {}

  /** Notes that the task has failed; {@link Failures} does so. */
  static void failed() {
    failed = true;
  }

  /**
   * The JVM is about to end in a way that runs no shutdown hooks ({@code Runtime.halt}), or it ends:
   * writes the last statistics, losses and the {@code end} event, and copies. Only the first call
   * does anything.
   */
  public static void now() {
    synchronized (Ending.class) {
      if (written) {
        return;
      }
      written = true;
    }
    try {
      OomDump.finish();
      GcWatch.settle(MOST_WAIT_MS);
      Statistics.writeAll(false);
      Events.writeLosses();
      Events.line("end").put("outcome", outcome()).at().write();
      Copying.finish();
    } catch (Throwable fault) {
      Faults.caught(fault, "end");
    }
  }

  static void atShutdown() {
    Runtime.getRuntime().addShutdownHook(
            new Thread("mprof end") {
              @Override
              public void run() {
                now();
              }
            });
  }

  private static String outcome() {
    if (failed) {
      return "failed";
    }
    long phase = Position.get(Position.PHASE);
    return phase == Phase.COMMIT || phase == Phase.END ? "done" : "exit";
  }
}
