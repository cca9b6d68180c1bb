package org.mprof.agent;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;

/** Makes heap dumps, and knows whether the disk has room for one. */
final class Dumps {
  /** Bytes of dump per byte of live heap; 1.35 measured for many small objects, see the facts. */
  private static final double DUMP_PER_LIVE_BYTE = 1.4;

  private Dumps() {}

  /**
   * Dumps what is live into a new file in the attempt's folder, and writes the {@code dump} event.
   *
   * @return null when it is there, else why not
   */
  static synchronized Reason make(
      String name, String reason, String point, long ordinal, long group) {
    File file = new File(Attempt.current().dir(), name);
    if (file.exists()) {
      return Reason.of("file_exists", "file", name);
    }
    Runtime runtime = Runtime.getRuntime();
    long expected = (long) ((runtime.totalMemory() - runtime.freeMemory()) * DUMP_PER_LIVE_BYTE);
    Reason full = noRoom(file.getParentFile(), expected, Settings.current().diskPercent());
    if (full != null) {
      return full;
    }
    long start = System.nanoTime();
    try {
      HotSpotDiagnosticMXBean bean =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      bean.dumpHeap(file.getPath(), true);
    } catch (Exception | OutOfMemoryError e) {
      // Half a dump would be taken for evidence.
      file.delete();
      return Reason.error(e);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    written(file, reason, point, ordinal, group, seconds);
    return null;
  }

  /** Reports a dump that is complete and has it copied. */
  static void written(
      File file, String reason, String point, long ordinal, long group, double seconds) {
    EventLine line = Events.line("dump");
    describe(line, file.getName(), reason, point, ordinal, group, seconds, file.length());
    line.write();
    if (!Probes.thins() || reason.equals("oom")) {
      Copying.offer(file);
    }
  }

  /** Fills the line of a {@code dump} event. */
  static void describe(
      EventLine line,
      String file,
      String reason,
      String point,
      long ordinal,
      long group,
      double seconds,
      long bytes) {
    line.put("file", file)
        .put("reason", reason)
        .put("point", point)
        .putKnown("ordinal", ordinal)
        .putKnown("group", group)
        .put("seconds", seconds)
        .put("bytes", bytes)
        .at();
  }

  /** Why a file of that many bytes must not be written there, or null. */
  static Reason noRoom(File folder, long bytes, int percent) {
    long[] space = usedAndUsable(folder);
    return noRoom(space[0], space[1], bytes, percent);
  }

  /** As df counts: what the file system keeps for root is neither used nor there to be used. */
  static long[] usedAndUsable(File folder) {
    return new long[] {folder.getTotalSpace() - folder.getFreeSpace(), folder.getUsableSpace()};
  }

  /** The same for a file system with so many bytes used and so many that may still be. */
  static Reason noRoom(long used, long usable, long bytes, int percent) {
    if (used + usable <= 0) {
      return null;
    }
    return bytes < usable && (used + bytes) * 100.0 <= (double) (used + usable) * percent
        ? null
        : Reason.of("disk_full", "percent", percent);
  }

  /** Bytes an uncompressed dump of a full heap may take. */
  static long mostBytes() {
    return (long) (Runtime.getRuntime().maxMemory() * DUMP_PER_LIVE_BYTE);
  }
}
