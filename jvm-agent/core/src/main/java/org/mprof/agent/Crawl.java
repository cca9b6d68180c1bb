package org.mprof.agent;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code crawl} events: some seconds of which collections took the larger part.
 *
 * <p>To a heap that is nearly full {@link GcWatch} does not listen any more, and a task that crawls
 * in one meets no error before it is killed: without these events nothing says that it was memory.
 * The collectors count for themselves, so that asking costs a few calls and allocates nothing.
 */
final class Crawl {
  private static final int WINDOW_MS = 5000;

  /** Of the window in collections, in per cent: a line is worth it from here on. */
  private static final int WORTH_A_LINE = 50;

  /** From here on the task crawls: a fifth of the time is its own. */
  private static final int CRAWLS = 80;

  /** So much of the heap was in use at every look, in per cent, where nothing is freed. */
  private static final int FULL = 80;

  /**
   * So many windows: HotSpot's own limit, of Parallel GC, gives up after five collections in a row
   * that took 98 % of the time, most often within a few seconds.
   */
  private static final int HOPELESS = 3;

  private static final GarbageCollectorMXBean[] NONE = {};

  /** Those whose time is time in which the program stands still. */
  private static GarbageCollectorMXBean[] timed = NONE;

  /** Those whose collections are of the whole heap. */
  private static GarbageCollectorMXBean[] whole = NONE;

  private static long windowBegan;
  private static long timeBefore;
  private static long countBefore;
  private static long leastUsed = Long.MAX_VALUE;
  private static int crawled;

  private Crawl() {}

  /** Finds the collectors. */
  static void prepare() {
    List<GarbageCollectorMXBean> times = new ArrayList<>();
    List<GarbageCollectorMXBean> counts = new ArrayList<>();
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (standsStill(bean.getName())) {
        times.add(bean);
      }
      if (isOfWholeHeap(bean.getName())) {
        counts.add(bean);
      }
    }
    timed = times.toArray(NONE);
    whole = counts.toArray(NONE);
    windowBegan = System.nanoTime();
    timeBefore = time();
    countBefore = count();
  }

  /** One look at how much is in use; at the end of a window a line, where it is worth one. */
  static void tick() {
    Runtime heap = Runtime.getRuntime();
    leastUsed = Math.min(leastUsed, heap.totalMemory() - heap.freeMemory());
    long now = System.nanoTime();
    long ms = (now - windowBegan) / 1_000_000;
    if (ms < WINDOW_MS) {
      return;
    }
    long time = time();
    long count = count();
    long collecting = Math.min(ms, time - timeBefore);
    if (collecting * 100 >= ms * WORTH_A_LINE) {
      Events.line("crawl")
          .put("ms", ms)
          .put("collecting_ms", collecting)
          .put("collections", count - countBefore)
          .put("used", leastUsed)
          .at()
          .write();
    }
    boolean crawls = collecting * 100 >= ms * CRAWLS && leastUsed >= heap.maxMemory() / 100 * FULL;
    crawled = crawls ? crawled + 1 : 0;
    windowBegan = now;
    timeBefore = time;
    countBefore = count;
    leastUsed = Long.MAX_VALUE;
    if (crawled == HOPELESS) {
      OomDump.crawls();
    }
  }

  private static long time() {
    long sum = 0;
    for (GarbageCollectorMXBean bean : timed) {
      sum += Math.max(0, bean.getCollectionTime());
    }
    return sum;
  }

  private static long count() {
    long sum = 0;
    for (GarbageCollectorMXBean bean : whole) {
      sum += Math.max(0, bean.getCollectionCount());
    }
    return sum;
  }

  /** Not the concurrent collections of G1, Shenandoah and ZGC, beside which the program runs. */
  static boolean standsStill(String name) {
    return !name.equals("G1 Concurrent GC") && !name.contains("Cycles");
  }

  /** "PS MarkSweep", "MarkSweepCompact", "G1 Old Generation", "Shenandoah Cycles", "ZGC ...". */
  static boolean isOfWholeHeap(String name) {
    return name.contains("MarkSweep")
        || name.contains("Old Gen")
        || name.contains("Cycles") && !name.contains("Minor");
  }
}
