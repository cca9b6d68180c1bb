package org.mprof.agent;

import java.io.IOException;

/** What is written when the task, or the JVM, ends. */
public final class Ending {
  private static final int STEPS = 8;
  private static final long MOST_WAIT_MS = 100;

  /**
   * How long a JVM may live on after an Error has left its task. Plain ones end within a second or
   * two; some wait for threads of Hadoop's that have died of the same, until the task times out.
   */
  private static final long STUCK_MS = 30_000;

  /** The same in an attempt that was started for its evidence alone, which is written by then. */
  private static final long STUCK_FOR_EVIDENCE_MS = 10_000;

  /** What one look counts at most: in a pause of the collector a thread of Hadoop's cannot run. */
  private static final long MOST_BETWEEN_LOOKS_MS = 1000;

  /** Many pauses prolong it no further than this. */
  private static final int MOST_TIMES = 4;

  /** From the last event of a thread that halts the JVM to the halt itself. */
  private static final long HALT_MS = 5000;

  private static final Object HALT = new Object();

  private static volatile boolean failed;

  /** The task of this attempt; one that its code runs in the same JVM is another. */
  private static volatile Object own;

  /** When an Error has left the task, as {@code System.nanoTime}; 0 where none has. */
  private static volatile long leftAt;

  /** For how long the agent itself keeps the attempt after that. */
  private static volatile long busyMs;

  /** For how long the JVM has run since, pauses counted as a second at most. */
  private static long ranMs;

  private static long lookedAt;

  private static volatile boolean written;

  /** Threads that are about to halt the JVM. */
  private static int halting;

  /** When one of them was last, as {@code System.nanoTime}; 0 where there was none. */
  private static long haltAt;

  private static final Object COUNTS = new Object();

  /** Threads that count what the task had not come to. */
  private static int counting;

  /** Whether the task has begun to commit. */
  private static boolean commits;

  private Ending() {}

  /**
   * A task begins. User code may run further ones in its JVM ({@code LocalJobRunner}): those have
   * other ids, and their failures end nothing.
   */
  public static void began(Object task, String id) {
    if (id.equals(Attempt.current().id())) {
      own = task;
    }
  }

  /**
   * Whether a task is one that the code of this attempt's task runs in its JVM. One that is not
   * known is not: were it this attempt's, it could commit what it must not.
   */
  public static boolean isForeign(Object task) {
    return own != null && task != null && task != own;
  }

  /**
   * An error has left a task's own method. Where it is the task of this attempt, that has failed
   * whatever comes. Of an Error, Hadoop does no more than tell the application master; after an
   * exception it clears up.
   */
  public static void left(Object task, Throwable error) {
    if (own != null && task == own && error instanceof Error && leftAt == 0) {
      leftAt = System.nanoTime() | 1;
    }
  }

  /** What the agent still does in this attempt takes so much longer at most, in nanoseconds. */
  public static void takesUpTo(long nanos) {
    busyMs += nanos / 1_000_000;
  }

  /** Whether an Error has left the task of this attempt. */
  static boolean isCertain() {
    return leftAt != 0;
  }

  /**
   * Ends the JVM where it should have ended long ago. Not one that is ending: its last copy takes
   * what time it is given. Called at intervals, by one thread.
   */
  static void haltIfStuck() {
    long left = leftAt;
    if (left != 0 && !written && isStuck(left, System.nanoTime())) {
      try {
        now();
      } finally {
        Runtime.getRuntime().halt(1);
      }
    }
  }

  /** Whether a JVM that an Error has left then should have ended by now. */
  private static boolean isStuck(long left, long now) {
    long since = lookedAt == 0 ? left : lookedAt;
    lookedAt = now;
    ranMs += Math.min(MOST_BETWEEN_LOOKS_MS, (now - since) / 1_000_000);
    boolean forEvidence = Plan.current().mode() != Mode.WATCH;
    long most = (forEvidence ? STUCK_FOR_EVIDENCE_MS : STUCK_MS) + busyMs;
    return ranMs > most || (now - left) / 1_000_000 > MOST_TIMES * most;
  }

  /**
   * The JVM is about to be halted: as {@link #now}, and the task does not commit meanwhile. A plain
   * one would have ended at once, and with it the threads that now go on without the one that died.
   * Where it commits already nothing is copied, which would give it the time.
   */
  public static void halting() {
    boolean copies;
    synchronized (HALT) {
      halting++;
      copies = !commits;
    }
    try {
      now(copies);
    } finally {
      synchronized (HALT) {
        halting--;
        haltAt = System.nanoTime() | 1;
      }
    }
  }

  /**
   * The task is about to commit: waits while the JVM is about to be halted, and then for the halt
   * itself. It goes on where that does not come, because somebody has switched it off.
   */
  public static void committing() {
    boolean interrupted = false;
    synchronized (HALT) {
      while (halting > 0 || haltAt != 0 && System.nanoTime() - haltAt < HALT_MS * 1_000_000) {
        try {
          HALT.wait(MOST_WAIT_MS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      commits = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A thread begins to count what a failed task had not come to. It asks {@link #isOver} at
   * intervals, and writes what it has by then: the ending waits for it, but not for long.
   */
  public static void countBegins() {
    synchronized (COUNTS) {
      counting++;
    }
  }

  /** That thread has written what it has counted. */
  public static void countEnds() {
    synchronized (COUNTS) {
      counting--;
      COUNTS.notifyAll();
    }
  }

  /** Whether the JVM is ending: what is not written soon will not be written. */
  public static boolean isOver() {
    return written;
  }

  private static void awaitCounts() throws InterruptedException {
    long until = System.nanoTime() + MOST_WAIT_MS * 1_000_000;
    synchronized (COUNTS) {
      for (long left = until - System.nanoTime();
          counting > 0 && left > 0;
          left = until - System.nanoTime()) {
        COUNTS.wait(left / 1_000_000 + 1);
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
    now(true);
  }

  private static void now(boolean copies) {
    synchronized (Ending.class) {
      if (written) {
        return;
      }
      written = true;
    }
    int steps = copies ? STEPS : STEPS - 1;
    for (int step = 0; step < steps; step++) {
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
        Events.useReserve();
        break;
      case 1:
        // At once: of a container that is killed a quarter of a second is left.
        ProcessMemory.last();
        break;
      case 2:
        OomDump.finish();
        break;
      case 3:
        awaitCounts();
        break;
      case 4:
        GcWatch.settle(MOST_WAIT_MS);
        break;
      case 5:
        Statistics.writeAll(false);
        Events.writeLosses();
        break;
      case 6:
        Events.over();
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
