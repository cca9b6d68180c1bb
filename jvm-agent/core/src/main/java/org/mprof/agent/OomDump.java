package org.mprof.agent;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.io.File;
import java.lang.management.ManagementFactory;

/**
 * The heap dump that the JVM itself makes at its first OutOfMemoryError: armed at run time through
 * the diagnostic MXBean, because an option unknown to an old JVM would keep it from starting.
 *
 * <p>In watch mode: the first two attempts of a task only (a task whose heap is nearly full is
 * slow, and the backup that Hadoop starts beside it may be the first to die), and one dump a job
 * and node ({@link OomClaim}). In profile and verify mode always. Never where the disk would become
 * too full or the task would stand still for too long. What the user said of dumps stays.
 */
final class OomDump {
  private static final String ON = "HeapDumpOnOutOfMemoryError";
  private static final String PATH = "HeapDumpPath";
  private static final String GZIP = "HeapDumpGzipLevel";

  /** Compressed dumps of many small objects were a fifth of the plain size; a third is assumed. */
  private static final int GZIP_SHRINKS = 3;

  /** Of ticks of a quarter of a second: ten seconds. */
  private static final int LOOK_EVERY = 40;

  /** The number of the last attempt of a task that is armed in watch mode. */
  private static final int LAST_ARMED = 1;

  /** A restarted ApplicationMaster numbers attempts from the next thousand on (TaskImpl). */
  private static final int ATTEMPTS_OF_A_MASTER = 1000;

  private static final Reason MADE_BY_ANOTHER = Reason.of("made_by_another_task");

  private static HotSpotDiagnosticMXBean bean;
  private static File file;
  private static boolean byUser;
  private static String pathOfUser;
  private static volatile boolean armed;
  private static volatile boolean withheld;

  /** Whether the event log says that the dump is left to another task. */
  private static volatile boolean withheldIsTold;

  private static volatile boolean reported;
  private static OomClaim claim;
  private static long seenBytes = -1;
  private static boolean compressed;
  private static int ticks;

  private OomDump() {}

  /** Arms the dump; null where it is armed, else why not. */
  static Reason arm(Mode mode) {
    boolean asked = mode == Mode.PROFILE || mode == Mode.VERIFY;
    if (!asked && !Settings.current().oomDump()) {
      return Reason.of("switched_off");
    }
    if (!asked && Attempt.current().number() % ATTEMPTS_OF_A_MASTER > LAST_ARMED) {
      return Reason.of("later_attempt");
    }
    try {
      return arm(asked);
    } catch (Exception | LinkageError e) {
      return Reason.error(e);
    }
  }

  private static Reason arm(boolean asked) {
    bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (bean == null) {
      return Reason.of("no_diagnostic_bean");
    }
    VMOption on = bean.getVMOption(ON);
    if (Boolean.parseBoolean(on.getValue())) {
      byUser = true;
      pathOfUser = bean.getVMOption(PATH).getValue();
      return null;
    }
    if (on.getOrigin() != VMOption.Origin.DEFAULT) {
      return Reason.of("refused_by_option");
    }
    Reason slow = Dumps.noTime(Dumps.mostBytes());
    if (slow != null) {
      return slow;
    }
    if (!asked && !Attempt.current().job().isEmpty()) {
      claim = new OomClaim(Attempt.current().job(), Attempt.current().planName());
      withheld = claim.heldByAnother();
    }
    File folder = Attempt.current().dir();
    int percent = Settings.current().diskPercent();
    Reason full = Dumps.noRoom(folder, Dumps.mostBytes(), percent);
    if (full != null) {
      compressed = hasOption(GZIP);
      full = compressed ? Dumps.noRoom(folder, Dumps.mostBytes() / GZIP_SHRINKS, percent) : full;
      if (full != null) {
        return full;
      }
    }
    // A path alone asks for no dump, and where it leads nobody looks for room or clears up.
    file = unused(folder, compressed ? ".hprof.gz" : ".hprof");
    bean.setVMOption(PATH, file.getPath());
    if (compressed) {
      bean.setVMOption(GZIP, "1");
    }
    armed = true;
    if (withheld) {
      withheldIsTold = true;
      return MADE_BY_ANOTHER;
    }
    bean.setVMOption(ON, "true");
    return null;
  }

  /** Where the user wants the dump, or null where they did not say. */
  static String pathOfUser() {
    return pathOfUser;
  }

  /** Looks now and then whether a dump was made, here or by another task of the job. */
  static void tick() {
    if (file != null && !reported && file.exists()) {
      if (isWhole()) {
        report();
      }
    } else if (armed && claim != null && withheld != claim.heldByAnother()) {
      // Taken by another task, or given up by one that ended without a dump.
      withhold(!withheld);
    } else if (armed && ++ticks % LOOK_EVERY == 0) {
      lookAtDisk();
    }
  }

  /** The same in a heap that is nearly full, at intervals, and allocating next to nothing. */
  static void tickWhenFull() {
    if (armed && !reported && ++ticks % LOOK_EVERY == 0 && !file.exists()) {
      if (claim != null && (withheld || claim.isNewOfAnother())) {
        boolean another = claim.heldByAnother();
        if (withheld != another) {
          withhold(another);
        }
      }
      lookAtDisk();
    }
  }

  private static void lookAtDisk() {
    long bytes = Dumps.mostBytes() / (compressed ? GZIP_SHRINKS : 1);
    Reason full = Dumps.noRoom(file.getParentFile(), bytes, Settings.current().diskPercent());
    if (full != null) {
      skipped(full);
      disarm();
    }
  }

  private static void withhold(boolean now) {
    withheld = now;
    bean.setVMOption(ON, Boolean.toString(!now));
  }

  /** The heap will not recover; most tasks that are this full die. */
  static void nearlyFull() {
    boolean claims = claim != null && GcWatch.fillAfterMajor() >= OomClaim.FILL;
    if (armed && !withheld && claims && !claim.take()) {
      withhold(true);
    }
  }

  /** At the end: a dump of the last moment is reported, a claim without a dump given up. */
  static void finish() {
    if (file != null && !reported && file.exists()) {
      report();
    } else if (claim != null && !reported) {
      claim.release();
    }
  }

  /**
   * An OutOfMemoryError reached a hook. The JVM makes no dump for direct buffers and for errors
   * that an application throws itself; then the agent does.
   */
  static void seen(Throwable error) {
    if (armed && withheld && !withheldIsTold && Failures.isOfMemory(error)) {
      withheldIsTold = true;
      skipped(MADE_BY_ANOTHER);
    }
    if (!armed || withheld || reported || byUser || file == null) {
      return;
    }
    if (file.exists()) {
      report();
      return;
    }
    if (!Failures.isOfMemory(error)) {
      return;
    }
    disarm();
    reported = true;
    if (claim == null || claim.take()) {
      // The MXBean neither compresses nor takes another ending.
      String name = file.getName().replace(".hprof.gz", ".hprof");
      Reason why = Dumps.make(name, "oom", null, Position.UNKNOWN, Position.UNKNOWN);
      if (why == null) {
        keepClaim();
      } else {
        skipped(why);
      }
    }
  }

  /** Since JDK 22 parts of a dump are merged while the JVM runs on: wait until it stops growing. */
  private static boolean isWhole() {
    long before = seenBytes;
    seenBytes = file.length();
    return before == seenBytes && !new File(file.getPath() + ".p0").exists();
  }

  private static void report() {
    reported = true;
    if (claim != null) {
      claim.take();
    }
    keepClaim();
    Dumps.written(file, "oom", null, Position.UNKNOWN, Position.UNKNOWN, Double.NaN);
  }

  private static void skipped(Reason why) {
    why.putTo(Events.line("probe_skipped").put("point", "oom"), "why").at().write();
  }

  private static void keepClaim() {
    if (claim != null) {
      claim.keep();
    }
  }

  private static void disarm() {
    armed = false;
    try {
      bean.setVMOption(ON, "false");
    } catch (RuntimeException e) {
      Faults.caught(e, "oom_dump");
    }
  }

  private static boolean hasOption(String name) {
    try {
      return bean.getVMOption(name).isWriteable();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** A file that does not exist: the JVM does not overwrite. */
  private static File unused(File folder, String extension) {
    String id = Attempt.current().id().isEmpty() ? "jvm" : Attempt.current().id();
    File candidate = new File(folder, "oom-" + id + extension);
    for (int i = 2; candidate.exists(); i++) {
      candidate = new File(folder, "oom-" + id + "-" + i + extension);
    }
    return candidate;
  }
}
