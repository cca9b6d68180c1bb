package org.mprof.agent;

/**
 * Records an error that left the user's code or the framework, with where the task stood.
 *
 * <p>Works when the heap is full: the buffer is there from the start, frames are written without
 * making strings of them, and a reserve is given up so that the JVM can copy the stack trace.
 */
public final class Failures {
  private static final int MOST_FRAMES = 200;
  private static final int MOST_CAUSES = 8;
  private static final int RESERVE_BYTES = 256 * 1024;
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
    reserve = new byte[RESERVE_BYTES];
    EventLine nowhere = new EventLine(EventLine.START_BYTES, false);
    nowhere.start("failure", EventLine.Rank.IMPORTANT);
    describe(nowhere, new OutOfMemoryError());
    nowhere.at();
    new GroupStatistics("reduce").write(false, nowhere);
    new RecordStatistics("reduce").write(false, nowhere);
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
    if (error == null || error instanceof MarkedFailure || alreadyRecorded(error)) {
      return;
    }
    String first = firstPlace(place);
    reserve = null;
    Ending.failed();
    Events.useReserve();
    EventLine line = Events.failureLine();
    line.put("thread", Thread.currentThread().getName()).put("place", first);
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
    line.write();
    written();
    Statistics.writeAll(false);
    OomDump.seen(error);
    Copying.failed();
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
    for (Throwable each = error; each != null; each = each.getCause()) {
      for (int i = 0; i < REMEMBERED; i++) {
        if (each == RECORDED[i] && (thread == THREADS[i] || !isShared(each))) {
          return true;
        }
      }
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
