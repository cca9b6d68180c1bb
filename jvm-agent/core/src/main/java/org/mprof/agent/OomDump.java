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
 *
 * <p>A task that crawls in a full heap ({@link Crawl}) meets no error before it is killed: its dump
 * is made while it crawls.
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

  /** Why it is withheld: the disk has no room for all that were announced before; else null. */
  private static Reason crowded;

  /** The dump that was made while the task crawled; null where there is none. */
  private static File whileCrawling;

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
    file = unused("oom-", folder, compressed ? ".hprof.gz" : ".hprof");
    if (!asked && !Attempt.current().job().isEmpty()) {
      claim = new OomClaim(Attempt.current().job(), file);
      claim.open();
      withheld = claim.isHeld();
    }
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
    } else {
      tickWhenFull();
    }
  }

  /** The same in a heap that is nearly full, allocating next to nothing while nothing changes. */
  static void tickWhenFull() {
    if (!armed || reported || file.exists()) {
      return;
    }
    if (claim != null && withheld != (crowded != null || claim.isHeld())) {
      // Another task dumps or has dumped, or one ended that did not come to the end of its dump.
      withhold(!withheld);
    }
    if (++ticks % LOOK_EVERY == 0) {
      lookAtDisk();
    }
  }

  /**
   * Where the disk has no room for one dump none is made. Where it has some, but not for those of
   * all tasks that are nearly full, the first of them may dump.
   */
  private static void lookAtDisk() {
    long bytes = Dumps.mostBytes() / (compressed ? GZIP_SHRINKS : 1);
    File folder = file.getParentFile();
    int percent = Settings.current().diskPercent();
    Reason full = Dumps.noRoom(folder, bytes, percent);
    if (full != null) {
      skipped(full);
      disarm();
      return;
    }
    int ahead = claim == null ? 0 : claim.ahead();
    Reason now = ahead == 0 ? null : Dumps.noRoom(folder, bytes * (ahead + 1L), percent);
    if ((now == null) != (crowded == null)) {
      withhold(now != null || claim.isHeld());
    }
    crowded = now;
  }

  /** Off while the agent itself fills the heap: the JVM makes one dump, at its first error. */
  static void pause(boolean now) {
    if (armed && !withheld && !reported) {
      bean.setVMOption(ON, Boolean.toString(!now));
    }
  }

  private static void withhold(boolean now) {
    withheld = now;
    bean.setVMOption(ON, Boolean.toString(!now));
  }

  /** The heap will not recover; most tasks that are this full die. */
  static void nearlyFull() {
    if (armed && claim != null && GcWatch.fillAfterMajor() >= OomClaim.FILL) {
      claim.announce();
      if (claim.ahead() > 0) {
        lookAtDisk();
      }
    }
  }

  /**
   * At the end: a dump of the last moment is reported, one that was not made is announced no more.
   */
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
    boolean alone = armed && withheld && crowded == null && Failures.isOfMemory(error);
    if (alone && !claim.isHeld()) {
      withhold(false); // who was writing a dump did not come to its end
    }
    if (armed && withheld && !withheldIsTold && Failures.isOfMemory(error)) {
      withheldIsTold = true;
      skipped(crowded != null ? crowded : MADE_BY_ANOTHER);
    }
    if (!armed || withheld || reported || byUser || file == null) {
      return;
    }
    if (file.exists()) {
      report();
    } else if (Failures.isOfMemory(error)) {
      disarm();
      reported = true;
      // The MXBean neither compresses nor takes another ending.
      Reason why = make(file.getName().replace(".hprof.gz", ".hprof"), "oom");
      if (why != null) {
        skipped(why);
      }
    }
  }

  /**
   * The task has crawled for so long that it will not come out again, and an error may never come.
   * Where it comes after all, the dump that it brings takes the place of this one.
   */
  static void crawls() {
    boolean may = armed && !withheld && !reported && whileCrawling == null && !file.exists();
    if (may && (claim == null || !claim.isHeld())) {
      whileCrawling = unused("crawl-", file.getParentFile(), ".hprof");
      Reason why = make(whileCrawling.getName(), "crawl");
      if (why != null) {
        why.putTo(Events.line("probe_skipped").put("point", "crawl"), "why").at().write();
      }
    }
  }

  /** Makes a dump that the JVM does not make; null where it is there, else why not. */
  private static Reason make(String name, String reason) {
    Reason why = Dumps.make(name, reason, null, Position.UNKNOWN, Position.UNKNOWN);
    if (why == null) {
      keepClaim();
    }
    return why;
  }

  /** Since JDK 22 parts of a dump are merged while the JVM runs on: wait until it stops growing. */
  private static boolean isWhole() {
    long before = seenBytes;
    seenBytes = file.length();
    return before == seenBytes && !new File(file.getPath() + ".p0").exists();
  }

  private static void report() {
    reported = true;
    if (keepClaim()) {
      Dumps.written(file, "oom", null, Position.UNKNOWN, Position.UNKNOWN, Double.NaN);
      if (whileCrawling != null && whileCrawling.delete()) {
        EventLine line = Events.line("dump_removed").put("file", whileCrawling.getName());
        Reason.of("thinned").putTo(line, "why").write();
      }
    } else {
      // Both were at it when they died; one is enough.
      file.delete();
      skipped(MADE_BY_ANOTHER);
    }
  }

  private static void skipped(Reason why) {
    why.putTo(Events.line("probe_skipped").put("point", "oom"), "why").at().write();
  }

  /** Whether no other task's dump was complete before this one. */
  private static boolean keepClaim() {
    return claim == null || claim.keep();
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
  private static File unused(String kind, File folder, String extension) {
    String id = Attempt.current().id().isEmpty() ? "jvm" : Attempt.current().id();
    File candidate = new File(folder, kind + id + extension);
    for (int i = 2; candidate.exists(); i++) {
      candidate = new File(folder, kind + id + "-" + i + extension);
    }
    return candidate;
  }
}
