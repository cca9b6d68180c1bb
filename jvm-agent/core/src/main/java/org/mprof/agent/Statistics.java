package org.mprof.agent;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What can be written as a {@code groups} or {@code records} event, and the list of all of them.
 */
public abstract class Statistics {
  private static final CopyOnWriteArrayList<Statistics> ALL = new CopyOnWriteArrayList<>();
  private static final long MAJOR_INTERVAL_MS = 5000;

  private static volatile long lastAfterMajor;

  Statistics() {}

  /** Makes these statistics appear at phase ends, probes, major collections, failure and end. */
  public final void register() {
    ALL.addIfAbsent(this);
  }

  /** Ends the reporting of these statistics. */
  public final void unregister() {
    ALL.remove(this);
  }

  /** Writes the event now; {@code whole} where the end of the input was reached. */
  public abstract void write(boolean whole);

  /** Number of things counted so far, the one in flight included; 0 means nothing to write. */
  abstract long seen();

  /** Writes all registered statistics that have counted something. */
  public static void writeAll(boolean whole) {
    for (Statistics each : ALL) {
      try {
        if (each.seen() > 0) {
          each.write(whole);
        }
      } catch (Throwable fault) {
        Faults.caught(fault, "statistics");
      }
    }
  }

  /** As {@link #writeAll}, but at most every five seconds. */
  static void writeAfterMajorCollection() {
    long now = System.currentTimeMillis();
    if (now - lastAfterMajor >= MAJOR_INTERVAL_MS) {
      lastAfterMajor = now;
      writeAll(false);
    }
  }
}
