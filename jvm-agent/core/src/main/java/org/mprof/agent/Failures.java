package org.mprof.agent;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Records an error that left the user's code or the framework, with where the task stood.
 *
 * <p>Works when the heap is full: the buffer is there from the start, frames are written without
 * making strings of them, and a reserve is given up so that the JVM can copy the stack trace.
 */
public final class Failures {
  private static final int MOST_FRAMES = 200;

  /** Causes may stand in a circle ({@code Throwable.getCause} can be overridden). */
  private static final int MOST_CAUSES = 8;

  private static final int RESERVE_BYTES = 256 * 1024;

  /** Of G1; where they are larger than this there is room in those that are not full. */
  private static final long LARGEST_REGION = 4L << 20;

  private static final StackTraceElement[] NO_FRAMES = {};

  /** Of errors that are recognised when they come by again, wrapped by another thread perhaps. */
  private static final int REMEMBERED = 4;

  private static final Throwable[] RECORDED = new Throwable[REMEMBERED];
  private static final Thread[] THREADS = new Thread[REMEMBERED];

  private static volatile byte[] reserve;
  private static int recorded;
  private static String unwrittenPlace;
  private static Thread unwrittenThread;

  private Failures() {}

  /**
   * Sets memory aside for the hour of need, and goes the way of a failure once, to nowhere: a class
   * that is first loaded when the heap is full cannot be loaded any more.
   */
  static void prepare() {
    reserve = new byte[reserveBytes(regionBytes())];
    Ballast.release();
    Error rehearsed = new OutOfMemoryError();
    rehearsed.initCause(new IllegalStateException());
    EventLine nowhere = new EventLine(EventLine.START_BYTES, false);
    nowhere.start("failure", EventLine.Rank.IMPORTANT);
    fill(nowhere, rehearsed, "other", 1, 1, 1);
    isShared(rehearsed);
    new GroupStatistics("reduce").write(false, nowhere);
    new RecordStatistics("reduce").write(false, nowhere);
    Dumps.describe(nowhere, "", "oom", null, Position.UNKNOWN, Position.UNKNOWN, Double.NaN, 0);
    Events.rehearse();
    Copying.failed(false);
  }

  /**
   * Gives the reserve up; the first thing that is done wherever an error leaves a patched method.
   * What has been thrown is not allocated yet: the JVM copies its stack trace when it is asked.
   */
  public static void makeRoom() {
    reserve = null;
  }

  /**
   * So much that giving it up frees a region of G1, which allocates in nothing smaller: an array of
   * more than half a region has regions of its own.
   */
  static int reserveBytes(long region) {
    return region <= 0 || region > LARGEST_REGION ? RESERVE_BYTES : (int) region / 2 + 1024;
  }

  /** Of G1; 0 where another collector runs. */
  static long regionBytes() {
    try {
      return Long.parseLong(
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
              .getVMOption("G1HeapRegionSize")
              .getValue());
    } catch (RuntimeException | LinkageError e) {
      return 0;
    }
  }

  /** Whether it, or a cause of it, is an OutOfMemoryError. */
  public static boolean isOfMemory(Throwable error) {
    Throwable each = error;
    for (int i = 0; i <= MOST_CAUSES && each != null; i++) {
      if (each instanceof OutOfMemoryError) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }

  /**
   * Writes the {@code failure} event and the statistics so far. The same error passing several
   * places is recorded at the first one only. Where memory ran out before the event was written,
   * the thread's next error, often one of clearing up, is recorded with the place of the first.
   *
   * @param error what was thrown
   * @param place {@code setup}, {@code map}, {@code combine}, {@code reduce}, {@code cleanup},
   *     {@code init}, {@code shuffle}, {@code sort} or {@code other}
   */
  public static void record(Throwable error, String place) {
    record(error, place, Position.UNKNOWN, Position.UNKNOWN, Position.UNKNOWN);
  }

  /** As {@link #record(Throwable, String)}, with the record in flight where it is known. */
  public static void record(Throwable error, String place, long ordinal, long bytes, long digest) {
    makeRoom();
    Ballast.release();
    if (error == null || error instanceof MarkedFailure || alreadyRecorded(error)) {
      return;
    }
    String first = firstPlace(place);
    Ending.failed();
    Events.useReserve();
    EventLine line = Events.failureLine();
    fill(line, error, first, ordinal, bytes, digest);
    line.write();
    written();
    Statistics.writeAll(false);
    OomDump.seen(error);
    Copying.failed(isOfMemory(error));
  }

  private static void fill(
      EventLine line, Throwable error, String place, long ordinal, long bytes, long digest) {
    line.put("thread", Thread.currentThread().getName()).put("place", place);
    describe(line, error);
    line.beginList("causes");
    Throwable cause = error.getCause();
    for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
      line.beginObject();
      describe(line, cause);
      line.endObject();
      cause = cause.getCause();
    }
    line.endList();
    line.at();
    if (ordinal != Position.UNKNOWN) {
      line.beginObject("record")
          .put("ordinal", ordinal)
          .putKnown("bytes", bytes)
          .digest("digest", digest)
          .endObject();
    }
  }

  /**
   * Whether this error, or a cause of it, is one of those recorded last. They are several because
   * threads of one mapper fail together: the first to fail closes the input of the others, and the
   * task's own thread wraps the first error after that. When memory is exhausted the JVM throws one
   * and the same error without a stack in every thread: there the thread counts, too.
   */
  private static synchronized boolean alreadyRecorded(Throwable error) {
    Thread thread = Thread.currentThread();
    if (unwrittenPlace != null && thread == unwrittenThread) {
      return false;
    }
    Throwable each = error;
    for (int depth = 0; depth <= MOST_CAUSES && each != null; depth++) {
      for (int i = 0; i < REMEMBERED; i++) {
        if (each == RECORDED[i] && (thread == THREADS[i] || !isShared(each))) {
          return true;
        }
      }
      each = each.getCause();
    }
    RECORDED[recorded] = error;
    THREADS[recorded] = thread;
    recorded = (recorded + 1) % REMEMBERED;
    return false;
  }

  /** Where this thread failed first, of the errors that are not written yet. */
  private static synchronized String firstPlace(String place) {
    Thread thread = Thread.currentThread();
    if (unwrittenPlace == null || thread != unwrittenThread) {
      unwrittenPlace = place;
      unwrittenThread = thread;
    }
    return unwrittenPlace;
  }

  private static synchronized void written() {
    if (Thread.currentThread() == unwrittenThread) {
      unwrittenPlace = null;
      unwrittenThread = null;
    }
  }

  private static boolean isShared(Throwable error) {
    try {
      return error instanceof OutOfMemoryError && error.getStackTrace().length == 0;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private static void describe(EventLine line, Throwable error) {
    line.put("class", error.getClass().getName()).put("message", error.getMessage());
    StackTraceElement[] frames = NO_FRAMES;
    try {
      frames = error.getStackTrace();
    } catch (OutOfMemoryError e) {
      line.put("stack_lost", true);
    }
    line.beginList("stack");
    for (int i = 0; i < Math.min(frames.length, MOST_FRAMES); i++) {
      line.frame(frames[i]);
    }
    line.endList();
  }
}
