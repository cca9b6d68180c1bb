package org.mprof.agent;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.List;

/** The order in which the parts of the agent begin. */
public final class Agent {
  static final String EVENTS = "events.jsonl";
  static final String POSITION = "position.bin";

  private Agent() {}

  /** Begins, where it is not switched off. */
  static void start(String arguments, Instrumentation instrumentation) {
    if (!isSwitchedOff()) {
      begin(arguments, instrumentation);
    }
  }

  private static boolean isSwitchedOff() {
    String environment = System.getenv("MPROF_OFF");
    return Boolean.getBoolean("mprof.off")
        || "1".equals(environment)
        || "true".equalsIgnoreCase(environment);
  }

  private static void begin(String arguments, Instrumentation instrumentation) {
    Settings settings = Settings.parse(arguments, Complaints.ON_STDERR);
    if (settings.mode() == Mode.OFF) {
      return;
    }
    Settings.use(settings);
    String id = Attempt.idIn(System.getProperty("sun.java.command"));
    String task = Attempt.of(id, new File(".")).planName();
    Plan plan = Plan.read(new File(settings.plan()), task, settings.mode(), Complaints.ON_STDERR);
    if (plan.mode() == Mode.OFF) {
      return;
    }
    Plan.use(plan);
    File dir = open(id, settings);
    if (dir == null) {
      Faults.say("not attached: no folder to write to; the task runs without it");
      return;
    }
    Failures.prepare();
    LeaveOut.configure(plan);
    Verify.configure(plan);
    Probes.configure(plan);
    Histograms.configure(plan.mode(), settings);
    Patches patches = Patches.find(Agent.class.getClassLoader());
    try {
      GcWatch.start();
      Crawl.prepare();
    } catch (RuntimeException | LinkageError e) {
      // A JVM without these beans: no heap curve, everything else.
      Faults.caught(e, "collections");
    }
    writeAttach(settings, plan, patches, OomDump.arm(plan.mode()));
    Patching.patch(patches, instrumentation);
    startTicker(plan.mode() == Mode.PROFILE ? plan.setupBytes() : 0);
    startCopying(settings);
    Ending.atShutdown();
    Faults.say(
        "attached, version " + version() + ", " + plan.mode().word() + " mode, files in " + dir);
  }

  /** A process may be allowed no more threads: the hooks need none. */
  private static void startTicker(long setupBytes) {
    try {
      new Ticker(setupBytes).start();
    } catch (OutOfMemoryError e) {
      Faults.caught(e, "ticker");
    }
  }

  private static void startCopying(Settings settings) {
    String capture = settings.capture();
    String area = settings.captureArea();
    try {
      if (capture != null) {
        Copying.start(capture, settings.copySeconds());
      } else if (area != null && Attempt.current().index() >= 0) {
        Copying.start(CaptureArea.of(area, Attempt.current()), settings.copySeconds());
      }
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      Faults.caught(e, "capture", capture != null ? capture : area);
    }
  }

  /**
   * Opens event log and position file in the folder asked for, else in the container's log folder,
   * else in the working folder. A position that cannot be mapped is kept in memory, for the events.
   *
   * @return the folder, or null where none can be written
   */
  private static File open(String id, Settings settings) {
    List<String> candidates = new ArrayList<>();
    candidates.add(settings.dir());
    candidates.add(System.getProperty("yarn.app.container.log.dir"));
    candidates.add(".");
    for (String candidate : candidates) {
      if (candidate == null) {
        continue;
      }
      File dir = new File(candidate).getAbsoluteFile();
      try {
        dir.mkdirs();
        Events.open(new File(dir, EVENTS), settings.eventsBytes());
      } catch (IOException | RuntimeException e) {
        Faults.say("cannot write to " + dir + ": " + e.getMessage());
        continue;
      }
      Attempt.use(Attempt.of(id, dir));
      openPosition(new File(dir, POSITION), id);
      return dir;
    }
    return null;
  }

  private static void openPosition(File file, String id) {
    try {
      PositionFile.use(PositionFile.map(file.toPath(), id));
    } catch (IOException | RuntimeException e) {
      Faults.say("no position file: " + e.getMessage());
    }
    Position.touch();
  }

  private static void writeAttach(Settings settings, Plan plan, Patches patches, Reason noOomDump) {
    Attempt attempt = Attempt.current();
    EventLine line =
        Events.line("attach")
            .put("agent", version())
            .put("mode", plan.mode().word())
            .put("run", settings.run())
            .put("pid", Long.parseLong(pid()))
            .put("host", host())
            .put("java_version", System.getProperty("java.version"))
            .put("vm", System.getProperty("java.vm.name"))
            .put("heap_max", Runtime.getRuntime().maxMemory())
            .put("patches", patches.line())
            .put("hadoop_version", patches.hadoopVersion());
    if (attempt.index() >= 0) {
      line.put("attempt", attempt.id())
          .put("task_type", attempt.taskType())
          .put("index", attempt.index())
          .put("attempt_number", attempt.number());
    }
    line.beginObject("oom_dump").put("armed", noOomDump == null).put("path", OomDump.pathOfUser());
    (noOomDump == null ? line : noOomDump.putTo(line, "why")).endObject();
    line.beginList("collectors");
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      line.element(bean.getName());
    }
    line.endList().beginList("pools");
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      line.beginObject()
          .put("name", pool.getName())
          .putKnown("max", pool.getUsage().getMax())
          .endObject();
    }
    line.endList().write();
  }

  static String pid() {
    // ProcessHandle came with Java 9, and the MXBean's "pid@host" takes ten milliseconds.
    try {
      File self = new File("/proc/self").getCanonicalFile();
      Long.parseLong(self.getName());
      return self.getName();
    } catch (IOException | NumberFormatException e) {
      return pidByBean();
    }
  }

  private static String pidByBean() {
    String name = ManagementFactory.getRuntimeMXBean().getName();
    int at = name.indexOf('@');
    return at > 0 ? name.substring(0, at) : "0";
  }

  /** Without a look-up, which can take seconds: YARN tells containers, the kernel all others. */
  private static String host() {
    String byYarn = System.getenv("NM_HOST");
    if (byYarn != null && !byYarn.isEmpty()) {
      return byYarn;
    }
    try (BufferedReader reader = new BufferedReader(new FileReader("/proc/sys/kernel/hostname"))) {
      return reader.readLine();
    } catch (IOException e) {
      return System.getenv("HOSTNAME");
    }
  }

  private static String version() {
    String version = Agent.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }
}
