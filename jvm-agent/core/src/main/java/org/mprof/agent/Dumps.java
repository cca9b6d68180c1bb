package org.mprof.agent;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** Makes heap dumps, and knows whether the disk has room for one. */
final class Dumps {
  /** Bytes of dump per byte of live heap; 1.35 measured for many small objects, see the facts. */
  private static final double DUMP_PER_LIVE_BYTE = 1.4;

  /** A slow disk's; all threads stand still meanwhile, including the one that reports progress. */
  private static final long BYTES_PER_SECOND = 100_000_000;

  /** So much may always be spent: the configuration need not be read for it. */
  private static final long ALWAYS_SECONDS = 30;

  private static final String TIMEOUT = "mapreduce.task.timeout";
  private static final long DEFAULT_TIMEOUT_MS = 600_000;

  private static long timeoutMs = -1;

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
    Reason not = noTime(expected);
    if (not == null) {
      not = noRoom(file.getParentFile(), expected, Settings.current().diskPercent());
    }
    if (not != null) {
      return not;
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
    if (!Probes.thins() || !reason.equals("probe")) {
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

  /** Why the task must not stand still for a dump of that many bytes, or null. */
  static Reason noTime(long bytes) {
    long seconds = bytes / BYTES_PER_SECOND;
    if (seconds <= ALWAYS_SECONDS) {
      return null;
    }
    long timeout = timeoutMs();
    return timeout == 0 || seconds * 1000 <= timeout / 2
        ? null
        : Reason.of("task_timeout", "seconds", seconds);
  }

  /** For how long a task may be silent; 0: for ever. */
  private static synchronized long timeoutMs() {
    if (timeoutMs < 0) {
      try {
        timeoutMs =
            Math.max(0, Long.parseLong(JobFile.read(new File(JobFile.NAME)).value(TIMEOUT)));
      } catch (IOException | NumberFormatException e) {
        timeoutMs = DEFAULT_TIMEOUT_MS;
      }
    }
    return timeoutMs;
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
