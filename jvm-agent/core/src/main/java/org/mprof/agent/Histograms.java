package org.mprof.agent;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Live class histograms through the DiagnosticCommand MBean: which classes grow, not who holds
 * them.
 *
 * <p>Each forces a full collection (630 MB live: 1.0 to 1.8 s), so in watch mode there is a budget,
 * none is made while the old generation is less than 70 % full, and all of them together take no
 * more than a stated share of the time that the task has run.
 */
final class Histograms {
  private static final int MOST_CLASSES = 100;

  /** The result is one string; with less than this free, asking for it could be what kills. */
  private static final long LEAST_FREE_BYTES = 8L << 20;

  /** The same for making the MBean server, which brings a hundred classes with it. */
  private static final long LEAST_FREE_BYTES_TO_BEGIN = 24L << 20;

  /** A heap that at its present pace is full sooner than this leaves no time for one. */
  private static final long LEAST_MS_TO_FULL = 400;

  /**
   * The MBean server is made when the heap is half as full as for the first histogram: that takes
   * memory and a tenth of a second of its own, and most tasks never come that far.
   */
  private static final double READY_AT = 0.5;

  /** What it takes to make the MBean server; 75 ms on an idle machine. */
  private static final long NANOS_TO_BEGIN = 100_000_000L;

  /** What a histogram takes for a byte in use, where none was made yet. */
  private static final double NANOS_PER_BYTE = 3;

  /** The longest pause that one may be expected to make: sessions with other servers live on. */
  private static final double MOST_NANOS = 5e9;

  /** Above this fill a histogram tells what the dump will tell. */
  private static final double LAST_FILL = 0.95;

  private static int budget;
  private static int made;
  private static boolean ready;
  private static double firstFill;
  private static double share;
  private static double nanosPerByte;
  private static long spentNanos;

  private Histograms() {}

  static void configure(Mode mode, Settings settings) {
    budget = mode == Mode.WATCH ? settings.histograms() : 0;
    firstFill = settings.histogramPercent() / 100.0;
    share = settings.histogramShare() / 100.0;
    nanosPerByte = NANOS_PER_BYTE;
    spentNanos = 0;
    made = 0;
    ready = false;
  }

  /** Makes one where the old generation has filled up to the next of the planned levels. */
  static void tick() {
    if (made >= budget || GcWatch.fill() < (ready ? nextFill() : READY_AT * firstFill)) {
      return;
    }
    long used = GcWatch.usedAfter();
    long free = Runtime.getRuntime().maxMemory() - used;
    boolean tooLate = GcWatch.bytesPerMs() * LEAST_MS_TO_FULL > free;
    if (!ready) {
      getReady(tooLate || free < LEAST_FREE_BYTES_TO_BEGIN);
    } else if (!tooLate && free >= LEAST_FREE_BYTES && isWithinShare(used * nanosPerByte)) {
      passLevels();
      long start = System.nanoTime();
      make("filling", null, Position.UNKNOWN, Position.UNKNOWN, start);
      long took = System.nanoTime() - start;
      spentNanos += took;
      nanosPerByte = (double) took / Math.max(1, used);
    }
  }

  /** One histogram tells of all levels that the heap has passed since the last one. */
  private static void passLevels() {
    do {
      made++;
    } while (made < budget && GcWatch.fill() >= nextFill());
  }

  private static void getReady(boolean tooLate) {
    if (!isWithinShare(NANOS_TO_BEGIN)) {
      return;
    }
    if (tooLate) {
      budget = made;
    } else {
      ready = true;
      long start = System.nanoTime();
      ManagementFactory.getPlatformMBeanServer();
      spentNanos += System.nanoTime() - start;
    }
  }

  /** Whether so much more time may go into histograms. */
  private static boolean isWithinShare(double nanos) {
    return nanos <= MOST_NANOS && spentNanos + nanos <= share * Attempt.current().ranNanos();
  }

  /** Whether there is memory for the table; a dump takes nothing of the heap. */
  private static boolean isRoomForOne() {
    long least = ready ? LEAST_FREE_BYTES : LEAST_FREE_BYTES_TO_BEGIN;
    if (freeBytes() >= least) {
      return true;
    }
    // Before R_n the heap is nearly full, and some of that is garbage.
    System.gc();
    return freeBytes() >= least;
  }

  /** What is free now, garbage counted as in use. */
  private static long freeBytes() {
    Runtime runtime = Runtime.getRuntime();
    return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
  }

  /** A probe of the plan; whether it could be made. */
  static boolean probe(String point, long ordinal, long group) {
    long start = System.nanoTime();
    boolean done = isRoomForOne() && make("probe", point, ordinal, group, start) > 0;
    if (done) {
      Position.add(Position.PROBES_DONE, 1);
    }
    return done;
  }

  private static double nextFill() {
    return firstFill + (Math.max(LAST_FILL, firstFill) - firstFill) * made / budget;
  }

  /** Seconds since {@code start}, or 0 where it could not be made. */
  private static double make(String reason, String point, long ordinal, long group, long start) {
    String table;
    try {
      ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
      table =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      name,
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
    } catch (JMException | RuntimeException | OutOfMemoryError e) {
      EventLine line = Events.line("probe_skipped").put("point", point == null ? reason : point);
      Reason.error(e).putTo(line.putKnown("ordinal", ordinal), "why").at().write();
      budget = made;
      return 0;
    }
    ready = true;
    double seconds = (System.nanoTime() - start) / 1e9;
    EventLine line =
        Events.line("histogram")
            .put("reason", reason)
            .put("point", point)
            .putKnown("ordinal", ordinal)
            .putKnown("group", group)
            .put("seconds", seconds)
            .at();
    write(table, line);
    line.write();
    return seconds;
  }

  /**
   * Rows such as {@code 1: 5000 120000 java.lang.String (java.base@17)}, largest first; the last
   * one is {@code Total 5100 130000}.
   */
  static void write(String table, EventLine line) {
    line.beginList("classes");
    int rows = 0;
    int at = 0;
    while (at < table.length() && rows < MOST_CLASSES) {
      int end = table.indexOf('\n', at);
      end = end < 0 ? table.length() : end;
      String[] words = table.substring(at, end).trim().split("\\s+");
      at = end + 1;
      if (words.length >= 4 && words[0].endsWith(":") && isNumber(words[1])) {
        line.beginList()
            .element(sourceName(words[3]))
            .element(Long.parseLong(words[1]))
            .element(Long.parseLong(words[2]))
            .endList();
        rows++;
      }
    }
    line.endList();
    int total = table.lastIndexOf("Total");
    String[] words = total < 0 ? new String[0] : table.substring(total).trim().split("\\s+");
    if (words.length >= 3 && isNumber(words[1]) && isNumber(words[2])) {
      line.put("total_objects", Long.parseLong(words[1]));
      line.put("total_bytes", Long.parseLong(words[2]));
    }
  }

  /** {@code [Ljava.util.HashMap$Node;} as {@code java.util.HashMap$Node[]}. */
  static String sourceName(String name) {
    int dimensions = 0;
    while (dimensions < name.length() && name.charAt(dimensions) == '[') {
      dimensions++;
    }
    if (dimensions == 0 || dimensions == name.length()) {
      return name;
    }
    String element = name.substring(dimensions);
    StringBuilder text = new StringBuilder(elementName(element));
    for (int i = 0; i < dimensions; i++) {
      text.append("[]");
    }
    return text.toString();
  }

  private static String elementName(String element) {
    switch (element.charAt(0)) {
      case 'L':
        return element.substring(1, element.length() - (element.endsWith(";") ? 1 : 0));
      case 'B':
        return "byte";
      case 'C':
        return "char";
      case 'D':
        return "double";
      case 'F':
        return "float";
      case 'I':
        return "int";
      case 'J':
        return "long";
      case 'S':
        return "short";
      case 'Z':
        return "boolean";
      default:
        return element;
    }
  }

  private static boolean isNumber(String word) {
    return !word.isEmpty() && word.chars().allMatch(Character::isDigit);
  }
}
