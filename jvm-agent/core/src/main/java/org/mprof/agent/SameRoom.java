package org.mprof.agent;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;

/**
 * Gives the record of a verify attempt the room that it had in the job: fills the heap with {@link
 * Ballast} up to what was live before it there.
 *
 * <p>Less is filled where that would leave next to nothing: in a heap that something else has
 * filled to the brim any record dies, and that would prove nothing of this one. A record that dies
 * in more room than it had would have died in less; one that lives in it needs less than the margin
 * of a heap.
 */
final class SameRoom {
  /**
   * Of the usable heap: what is left free at least. With it, records that need half of the margin
   * live under each collector (heaps of 64 to 800 MB).
   */
  private static final double MARGIN = 0.05;

  private static final long LEAST_MARGIN = 2L << 20;

  /** Of G1, which keeps two or three to itself: a record that needs one MB dies in three. */
  private static final int MARGIN_REGIONS = 8;

  /**
   * Of the usable heap: live bytes of two attempts of one task may differ by so much before their
   * rooms do: caches of the JVM, and what warm-up records have left behind.
   */
  private static final double TOLERANCE = 0.02;

  private static final long MOST_NANOS = 60_000_000_000L;

  private final long target;
  private final String targetIs;
  private final long usable;
  private long live = Position.UNKNOWN;
  private boolean capped;

  private SameRoom(long target, String targetIs, long usable) {
    this.target = target;
    this.targetIs = targetIs;
    this.usable = usable;
  }

  /**
   * Fills the heap and says so in the event log. Never throws.
   *
   * @param step of the event
   * @param target bytes that were live before the record in the job, or not known
   * @param targetIs {@code least} or {@code most} where that is a bound, or ""
   * @param collected whether the whole heap has just been collected
   * @return whether the record has the room that it had
   */
  static boolean make(String step, long target, String targetIs, boolean collected) {
    SameRoom room = new SameRoom(target, targetIs, usableBytes());
    Reason why;
    try {
      OomDump.pause(true);
      try {
        why = room.fill(collected);
      } finally {
        OomDump.pause(false);
      }
    } catch (Throwable fault) {
      Ballast.release();
      Faults.caught(fault, "verify");
      why = Reason.error(fault);
    }
    room.write(step, why);
    return why == null;
  }

  /** Null where the room is the same, else why not. */
  private Reason fill(boolean collected) {
    if (target == Position.UNKNOWN) {
      return Reason.of("live_not_known");
    }
    if (!collected && !collect()) {
      return Reason.of("no_collection");
    }
    Runtime heap = Runtime.getRuntime();
    live = heap.totalMemory() - heap.freeMemory();
    long margin = marginBytes();
    capped = target > usable - margin;
    long wanted = capped ? usable - margin : target;
    if (live > wanted) {
      return live <= wanted + usable * TOLERANCE ? null : Reason.of("more_is_live");
    }
    Reason why = Ballast.hold(wanted - live, margin / 2, MOST_NANOS);
    if (why == null) {
      // Into the old generation, where what lives long is; where it cannot be, it gets there later.
      collect();
    }
    return why;
  }

  private long marginBytes() {
    long least = Math.max(LEAST_MARGIN, MARGIN_REGIONS * Failures.regionBytes());
    return Math.max(least, (long) (usable * MARGIN));
  }

  /**
   * What objects can take: the largest heap without the survivor space of Serial and Parallel,
   * which a full heap keeps empty. Other collectors have none of a fixed size.
   */
  private static long usableBytes() {
    long bytes = Runtime.getRuntime().maxMemory();
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP && pool.getName().contains("Survivor")) {
        bytes -= Math.max(0, pool.getUsage().getMax());
      }
    }
    return bytes;
  }

  /** Collects the whole heap; whether that was done. */
  private static boolean collect() {
    long before = collections();
    System.gc(); // does nothing under -XX:+DisableExplicitGC
    return collections() > before;
  }

  private static long collections() {
    long count = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      count += bean.getCollectionCount();
    }
    return count;
  }

  private void write(String step, Reason why) {
    EventLine line =
        Events.line("verify")
            .put("step", step)
            .put("same_room", why == null)
            .putKnown("target", target)
            .putKnown("live", live)
            .put("ballast", Ballast.bytes());
    if (!targetIs.isEmpty()) {
      line.put("target_is", targetIs);
    }
    if (capped) {
      line.put("capped", true);
    }
    (why == null ? line : why.putTo(line, "why")).write();
  }
}
