package org.mprof.agent;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/**
 * The {@code process} events: what the kernel counts as memory of this process, beside what the JVM
 * knows of it. YARN kills a container by the kernel's count, and leaves no time for questions.
 *
 * <p>Once a second the agent's thread reads {@code /proc/self/status} into a buffer of its own. A
 * line is written when the resident memory has moved, and one at the end. Nothing is allocated once
 * the heap is nearly full. Where there is no such file (not Linux) there are no such events.
 */
final class ProcessMemory {
  private static final String STATUS = "/proc/self/status";

  /** The file has about 1.5 kB; what is looked for stands in its first half. */
  private static final int MOST_TEXT = 4096;

  /** Resident memory that moved by less is not worth a line of its own. */
  private static final long LEAST_MOVE = 8L << 20;

  /** The same as a part of it (1/32), so that a large process writes no more lines. */
  private static final int LEAST_PART = 32;

  private static final byte[] PEAK = label("VmHWM:");
  private static final byte[] RESIDENT = label("VmRSS:");
  private static final byte[] ANONYMOUS = label("RssAnon:");
  private static final byte[] OF_FILES = label("RssFile:");
  private static final byte[] VIRTUAL = label("VmSize:");
  private static final byte[] THREADS = label("Threads:");

  private static byte[] text;
  private static int length;
  private static long heapUsed;
  private static RandomAccessFile file;

  /** Whether a thread is at it. Nobody waits for that one: its file, or the disk, may hang. */
  private static boolean busy;

  private static BufferPoolMXBean direct;
  private static boolean absent;
  private static long lastWritten = Long.MIN_VALUE;

  private ProcessMemory() {}

  /** Writes a line where the resident memory has moved since the last one. */
  static void tick() throws IOException {
    if (take()) {
      try {
        writeIfMoved();
      } finally {
        giveBack();
      }
    }
  }

  private static synchronized boolean take() {
    boolean free = !busy;
    busy = true;
    return free;
  }

  private static synchronized void giveBack() {
    busy = false;
  }

  private static void writeIfMoved() throws IOException {
    if (!begin() || !read()) {
      return;
    }
    long resident = kilobytes(RESIDENT);
    long moved = Math.abs(resident - lastWritten);
    if (resident != Position.UNKNOWN
        && (lastWritten == Long.MIN_VALUE
            || moved >= Math.max(LEAST_MOVE, lastWritten / LEAST_PART))) {
      write(resident, GcWatch.leavesRoom());
    }
  }

  /**
   * Writes a line whatever has moved: the JVM ends. Begins and allocates nothing, for the heap may
   * be full: what fails there costs full collections.
   */
  static void last() throws IOException {
    if (take()) {
      try {
        if (file != null && read()) {
          long resident = kilobytes(RESIDENT);
          if (resident != Position.UNKNOWN) {
            write(resident, false);
          }
        }
      } finally {
        giveBack();
      }
    }
  }

  /** Opens what is read, once; not in a heap that is nearly full, where it would be the last. */
  private static boolean begin() throws IOException {
    if (file == null && !absent) {
      if (!GcWatch.leavesRoom()) {
        return false;
      }
      try {
        text = new byte[MOST_TEXT];
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
          if (pool.getName().equals("direct")) {
            direct = pool;
          }
        }
        file = new RandomAccessFile(STATUS, "r");
      } catch (java.io.FileNotFoundException e) {
        absent = true;
      }
    }
    return file != null;
  }

  /** First what is in use, then what is resident: what was in use is resident by then. */
  private static boolean read() throws IOException {
    Runtime runtime = Runtime.getRuntime();
    heapUsed = runtime.totalMemory() - runtime.freeMemory();
    file.seek(0);
    length = Math.max(0, file.read(text, 0, text.length));
    return length > 0;
  }

  private static void write(long resident, boolean mayAllocate) {
    lastWritten = resident;
    EventLine line =
        Events.line("process")
            .put("resident", resident)
            .putKnown("resident_peak", kilobytes(PEAK))
            .putKnown("anonymous", kilobytes(ANONYMOUS))
            .putKnown("of_files", kilobytes(OF_FILES))
            .putKnown("virtual", kilobytes(VIRTUAL))
            .putKnown("threads", number(THREADS))
            .put("heap_used", heapUsed)
            .put("heap_committed", Runtime.getRuntime().totalMemory());
    if (direct != null) {
      line.put("direct", direct.getMemoryUsed()).put("direct_buffers", direct.getCount());
    }
    if (mayAllocate) {
      // The one value here that comes in an object of its own.
      line.put(
          "non_heap", ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted());
    }
    line.at().write();
  }

  /** The bytes of a line that gives kilobytes, or {@link Position#UNKNOWN}. */
  private static long kilobytes(byte[] label) {
    long value = number(label);
    return value == Position.UNKNOWN ? value : value << 10;
  }

  /** The number after a label at the beginning of a line, or {@link Position#UNKNOWN}. */
  private static long number(byte[] label) {
    return numberAfter(label, text, length);
  }

  static long numberAfter(byte[] label, byte[] text, int length) {
    int at = 0;
    while (at < length) {
      int i = 0;
      while (i < label.length && at + i < length && text[at + i] == label[i]) {
        i++;
      }
      if (i == label.length) {
        return digits(text, at + i, length);
      }
      while (at < length && text[at] != '\n') {
        at++;
      }
      at++;
    }
    return Position.UNKNOWN;
  }

  private static long digits(byte[] text, int from, int length) {
    int at = from;
    while (at < length && (text[at] == ' ' || text[at] == '\t')) {
      at++;
    }
    long value = 0;
    int first = at;
    while (at < length && text[at] >= '0' && text[at] <= '9') {
      value = value * 10 + (text[at] - '0');
      at++;
    }
    return at == first ? Position.UNKNOWN : value;
  }

  static byte[] label(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
