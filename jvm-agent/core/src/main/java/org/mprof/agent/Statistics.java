package org.mprof.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What can be written as a {@code groups} or {@code records} event, and the list of all of them.
 */
public abstract class Statistics {
  /** Replaced as a whole, so that going through it allocates nothing, not even an iterator. */
  private static volatile Statistics[] all = {};

  private static final long MAJOR_INTERVAL_MS = 5000;

  private static volatile long lastAfterMajor;

  Statistics() {}

  /** Makes these statistics appear at phase ends, probes, major collections, failure and end. */
  public final void register() {
    replace(true);
  }

  /** Ends the reporting of these statistics. */
  public final void unregister() {
    replace(false);
  }

  private void replace(boolean with) {
    synchronized (Statistics.class) {
      List<Statistics> list = new ArrayList<>(Arrays.asList(all));
      list.remove(this);
      if (with) {
        list.add(this);
      }
      all = list.toArray(new Statistics[0]);
    }
  }

  /** Writes the event now; {@code whole} where the end of the input was reached. */
  public final void write(boolean whole) {
    EventLine line = Events.line(type());
    write(whole, line);
    line.write();
  }

  /** The type of the event. */
  abstract String type();

  /** Fills the event's line. */
  abstract void write(boolean whole, EventLine line);

  /** Number of things counted so far, the one in flight included; 0 means nothing to write. */
  abstract long seen();

  /** Writes all registered statistics that have counted something. */
  public static void writeAll(boolean whole) {
    for (Statistics each : all) {
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
