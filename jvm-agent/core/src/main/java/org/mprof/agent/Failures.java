package org.mprof.agent;

/** Records an error that left the user's code or the framework, with where the task stood. */
public final class Failures {
  private static final int MOST_FRAMES = 200;
  private static final int MOST_CAUSES = 8;

  private static Throwable last;

  private Failures() {}

  /**
   * Writes the {@code failure} event and the statistics so far. The same error passing several
   * places is recorded at the first one only.
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
    EventLine line = Events.line("failure");
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
      line.beginObject("record").put("ordinal", ordinal).putKnown("bytes", bytes)
          .digest("digest", digest).endObject();
    }
    line.write();
    Statistics.writeAll(false);
  }

  private static synchronized boolean alreadyRecorded(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each == last) {
        return true;
      }
    }
    last = error;
    return false;
  }

  private static void describe(EventLine line, Throwable error) {
    line.put("class", error.getClass().getName()).put("message", error.getMessage());
    line.beginList("stack");
    StackTraceElement[] frames = error.getStackTrace();
    for (int i = 0; i < Math.min(frames.length, MOST_FRAMES); i++) {
      line.element(frames[i].toString());
    }
    line.endList();
  }
}
