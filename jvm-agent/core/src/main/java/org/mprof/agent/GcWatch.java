package org.mprof.agent;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The {@code memory} events: the heap after the collections that happen anyway.
 *
 * <p>Notifications come on a service thread some time after the pause, so the position is not read
 * there but looked up in {@link PositionRing} by the times of the collection. A collection is
 * reported when the old generation moved by 2 % (a major one: by 0.1 %), or once a second; the
 * others are counted.
 */
final class GcWatch implements NotificationListener {
  private static final long QUIET_MS = 1000;

  /** Change of the old generation, as a share of its size, that is worth a line of its own. */
  private static final double MOVED = 0.02;

  private static final double MOVED_MAJOR = 0.001;

  /**
   * Fill after a major collection beyond which listening ends. Each notification makes the JVM
   * allocate on a thread of its own right after a collection; in a heap that is nearly full that
   * thread hits the OutOfMemoryError together with the user's, and when it is the first the dump is
   * made while the user's stack unwinds and shows nothing (seen on a real reducer, G1, 64 MB).
   */
  private static final double NEARLY_FULL = 0.85;

  private static final long LEAST_FREE = 8L << 20;

  private static volatile boolean ended;
  private static volatile double fill;
  private static volatile double fillAfterMajor;
  private static volatile long used;
  private static volatile double bytesPerMs;
  private static volatile long notified;
  private static long countAtStart;

  private final String oldPool;
  private final long oldMost;
  private final List<String> heapPools;
  private long skipped;
  private long lastWritten;
  private long lastEnd;
  private long lastOldUsed;

  private GcWatch(String oldPool, long oldMost, List<String> heapPools) {
    this.oldPool = oldPool;
    this.oldMost = oldMost;
    this.heapPools = heapPools;
  }

  /** Starts listening. */
  static void start() {
    String oldPool = null;
    long oldMost = -1;
    List<String> heapPools = new ArrayList<>();
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        heapPools.add(pool.getName());
        if (isOld(pool.getName())) {
          oldPool = pool.getName();
          oldMost = pool.getUsage().getMax();
        }
      }
    }
    if (oldMost <= 0) {
      oldMost = Runtime.getRuntime().maxMemory();
    }
    GcWatch watch = new GcWatch(oldPool, oldMost, heapPools);
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (bean instanceof NotificationEmitter) {
        countAtStart += bean.getCollectionCount();
        ((NotificationEmitter) bean).addNotificationListener(watch, null, null);
      }
    }
  }

  /** Waits, not long, until every collection has been reported: notifications come late. */
  static void settle(long mostMs) throws InterruptedException {
    for (long waited = 0; waited < mostMs && !ended && notified < collections(); waited += 5) {
      Thread.sleep(5);
    }
  }

  private static long collections() {
    long count = -countAtStart;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      count += bean instanceof NotificationEmitter ? bean.getCollectionCount() : 0;
    }
    return count;
  }

  /** Fill of the old generation (of the heap, where there is none) after the last collection. */
  static double fill() {
    return fill;
  }

  /** The same after the last major collection, which left nothing but live objects. */
  static double fillAfterMajor() {
    return fillAfterMajor;
  }

  /** Whether the heap was so full that listening has ended. */
  static boolean hasEnded() {
    return ended;
  }

  /**
   * Whether a thread of the agent may load classes and allocate: an OutOfMemoryError of its own
   * could be the first. Garbage counts as used.
   */
  static boolean leavesRoom() {
    Runtime heap = Runtime.getRuntime();
    long heapUsed = heap.totalMemory() - heap.freeMemory();
    return !ended && heap.maxMemory() - heapUsed >= LEAST_FREE;
  }

  /** How fast the heap fills up: since the collection before the last, or on average. */
  static double bytesPerMs() {
    return bytesPerMs;
  }

  /** Bytes of the heap in use after the last collection. */
  static long usedAfter() {
    return used;
  }

  @Override
  public void handleNotification(Notification notification, Object handback) {
    // An exception here would print a stack trace for every collection of the task.
    try {
      String type = notification.getType();
      if (type.equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
        // One more sample: mostly the pause ended a moment ago.
        PositionRing.sample();
        CompositeData data = (CompositeData) notification.getUserData();
        collected(GarbageCollectionNotificationInfo.from(data));
        notified++;
      }
    } catch (Throwable fault) {
      Faults.caught(fault, "collections");
    }
  }

  private synchronized void collected(GarbageCollectionNotificationInfo info) {
    GcInfo gc = info.getGcInfo();
    if (isConcurrentCycle(info)) {
      // Its numbers span a time in which the program ran: no state of the heap.
      return;
    }
    boolean major = isMajor(info);
    long usedBefore = heapUsed(gc.getMemoryUsageBeforeGc());
    long usedAfter = heapUsed(gc.getMemoryUsageAfterGc());
    MemoryUsage old = oldPool == null ? null : gc.getMemoryUsageAfterGc().get(oldPool);
    long oldUsed = old == null ? usedAfter : old.getUsed();
    long elapsed = Math.max(1, gc.getEndTime() - lastEnd);
    double average = (double) usedAfter / Math.max(1, gc.getEndTime());
    bytesPerMs = Math.max(average, (double) (usedAfter - used) / elapsed);
    lastEnd = gc.getEndTime();
    used = usedAfter;
    fill = (double) oldUsed / oldMost;
    if (major) {
      fillAfterMajor = fill;
    }
    Position.touch();
    long now = System.currentTimeMillis();
    double moved = Math.abs(oldUsed - lastOldUsed) / (double) oldMost;
    // A dying JVM makes hundreds of major collections that free nothing.
    if (moved < (major ? MOVED_MAJOR : MOVED) && now - lastWritten < QUIET_MS) {
      skipped++;
      return;
    }
    lastWritten = now;
    lastOldUsed = oldUsed;
    EventLine line =
        Events.line("memory")
            .put("collector", info.getGcName())
            .put("action", info.getGcAction())
            .put("cause", info.getGcCause())
            .put("major", major)
            .put("start", gc.getStartTime())
            .put("end", gc.getEndTime())
            .put("used_before", usedBefore)
            .put("used_after", usedAfter)
            .put("old_used_after", oldUsed)
            .put("old_max", oldMost);
    if (skipped > 0) {
      line.put("skipped", skipped);
    }
    skipped = 0;
    PositionRing.at(line, gc.getStartTime(), gc.getEndTime()).write();
    if (major) {
      Statistics.writeAfterMajorCollection();
      if (usedAfter >= NEARLY_FULL * Runtime.getRuntime().maxMemory()) {
        end();
      }
    }
  }

  /** Stops listening for good; the heap will not recover. */
  private void end() {
    ended = true;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (bean instanceof NotificationEmitter) {
        try {
          ((NotificationEmitter) bean).removeNotificationListener(this);
        } catch (ListenerNotFoundException e) {
          // Another collection ended it in the meantime.
        }
      }
    }
    OomDump.nearlyFull();
  }

  private long heapUsed(Map<String, MemoryUsage> pools) {
    long sum = 0;
    for (String pool : heapPools) {
      MemoryUsage usage = pools.get(pool);
      sum += usage == null ? 0 : usage.getUsed();
    }
    return sum;
  }

  /**
   * "Tenured Gen", "PS Old Gen", "G1 Old Gen", "ZGC Old Generation"; ZGC 17 and Shenandoah: none.
   */
  private static boolean isOld(String pool) {
    return pool.contains("Old Gen") || pool.contains("Tenured Gen");
  }

  /** The "cycle" beans of ZGC and Shenandoah, and G1's concurrent marking since JDK 20. */
  private static boolean isConcurrentCycle(GarbageCollectionNotificationInfo info) {
    String name = info.getGcName();
    return name.equals("G1 Concurrent GC")
        || name.startsWith("Shenandoah Cycles")
        || name.endsWith("Pauses") && name.startsWith("ZGC");
  }

  private static boolean isMajor(GarbageCollectionNotificationInfo info) {
    return info.getGcAction().contains("major")
        || info.getGcName().equals("ZGC Cycles")
        || info.getGcName().equals("ZGC Major Cycles");
  }
}
