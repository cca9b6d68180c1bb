package org.mprof.agent;

import java.io.IOException;

/** What is written when the task, or the JVM, ends. */
public final class Ending {
  private static final int STEPS = 6;
  private static final long MOST_WAIT_MS = 100;

  /**
   * How long a JVM may live on after an Error has left its task. Plain ones end within a second or
   * two; some wait for threads of Hadoop's that have died of the same, until the task times out.
   */
  private static final long STUCK_NANOS = 30_000_000_000L;

  /** The same in an attempt that was started for its evidence alone, which is written by then. */
  private static final long STUCK_FOR_EVIDENCE_NANOS = 10_000_000_000L;

  private static volatile boolean failed;

  /** When an Error has left the task, as {@code System.nanoTime}; 0 where none has. */
  private static volatile long leftAt;

  private static volatile boolean written;

  private Ending() {}

  /**
   * An error has left the task's own method: whatever comes, this attempt has failed. Of an Error,
   * Hadoop does no more than tell the application master; after an exception it clears up.
   */
  public static void certain(Throwable error) {
    if (error instanceof Error && leftAt == 0 && Attempt.current().index() >= 0) {
      leftAt = System.nanoTime() | 1;
    }
  }

  /**
   * Ends the JVM where it should have ended long ago. Not one that is ending: its last copy takes
   * what time it is given.
   */
  static void haltIfStuck() {
    long left = leftAt;
    if (left != 0 && !written) {
      boolean forEvidence = Plan.current().mode() != Mode.WATCH;
      long most = forEvidence ? STUCK_FOR_EVIDENCE_NANOS : STUCK_NANOS;
      if (System.nanoTime() - left > most) {
        try {
          now();
        } finally {
          Runtime.getRuntime().halt(1);
        }
      }
    }
  }

  /** Notes that the task has failed; {@link Failures} does so. */
  static void failed() {
    failed = true;
  }

  /**
   * The JVM is about to end in a way that runs no shutdown hooks ({@code Runtime.halt}), or it
   * ends: writes the last statistics, losses and the {@code end} event, and copies. Only the first
   * call does anything.
   */
  public static void now() {
    synchronized (Ending.class) {
      if (written) {
        return;
      }
      written = true;
    }
    Events.useReserve();
    for (int step = 0; step < STEPS; step++) {
      try {
        take(step);
      } catch (Throwable fault) {
        // The heap may be full: what one step cannot do must not cost the others.
        Faults.caught(fault, "end");
      }
    }
  }

  private static void take(int step) throws InterruptedException, IOException {
    switch (step) {
      case 0:
        // First of all: of a container that is killed a quarter of a second is left.
        ProcessMemory.last();
        break;
      case 1:
        OomDump.finish();
        break;
      case 2:
        GcWatch.settle(MOST_WAIT_MS);
        break;
      case 3:
        Statistics.writeAll(false);
        Events.writeLosses();
        break;
      case 4:
        Events.line("end").put("outcome", outcome()).at().write();
        break;
      default:
        Copying.finish(failed);
    }
  }

  static void atShutdown() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread("mprof end") {
              @Override
              public void run() {
                now();
              }
            });
  }

  private static String outcome() {
    long phase = Position.get(Position.PHASE);
    if (phase == Phase.END) {
      // An error that the user's own run() has caught and lived with is no failed task.
      return "done";
    }
    return failed ? "failed" : phase == Phase.COMMIT ? "done" : "exit";
  }
}
