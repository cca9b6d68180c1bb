package org.mprof.testing;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.OneTask;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.mprof.agent.Restarted;
import org.mprof.hadoop.MapInput;

/**
 * Runs thousands of tasks in this JVM, each with one fault in the agent, and compares what becomes
 * of it with the same task in a JVM without the agent.
 *
 * <p>{@code FaultyTasks FOLDER plain} writes what is to be expected, {@code FaultyTasks FOLDER
 * faulty FROM TASKS SEED} runs so many of the tasks under {@link FaultInjector} and the agent,
 * {@code FaultyTasks FOLDER once} one task in a JVM whose agent met a fault as it began. The folder
 * holds one folder a job and {@code units}: a line {@code JOB ATTEMPT SETTINGS} for each task.
 * Those of a job {@code verify...} may fail, but commit nothing less than a plain task does; those
 * of {@code rest} read on after their failure.
 */
public final class FaultyTasks {
  private static final int PLAIN_RUNS = 4;
  private static final int MOST_REPORTED = 20;
  private static final int MAPS = 2;
  private static final long DAY = 86_400;

  /** What a disk that hangs keeps one call from returning. */
  private static final long HANGS_MS = 200;

  /** The same where each call hangs. */
  private static final long EACH_HANGS_MS = 2;

  /** Of a task that took too long: the machine may have been busy. */
  private static final int TRIES = 3;

  /** A faulty task may take this much longer than the slowest plain one, and what hangs. */
  static final long MOST_LONGER_MS = 2000;

  /** Tried first: a verify attempt committed what it had not discarded. */
  private static final Pattern ONCE_HARMFUL =
      Pattern.compile("^verify.*Hooks\\.committing.* at call 1$");

  /** Of all that ever ran in it, threads of earlier tasks included. */
  private static final Pattern OF_THE_JVM =
      Pattern.compile("MILLIS|MEMORY|COMMITTED_HEAP|BYTES_READ|FILE_");

  /** Where the heap is dumped because it was asked for, or memory ran out. */
  private static final Pattern DUMPS = Pattern.compile("^(profile|verify|.*dies|rest)");

  private static final long MOST_WITH_DUMP_MS = 20_000;

  private static final PrintStream STDERR = System.err;

  private FaultyTasks() {}

  public static void main(String[] args) throws Throwable {
    Path folder = Paths.get(args[0]);
    List<Unit> units = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("units"), StandardCharsets.UTF_8)) {
      units.add(new Unit(folder, line.split(" ", 3)));
    }
    ExitUtil.disableSystemExit();
    ExitUtil.disableSystemHalt();
    int exit = 2;
    try {
      exit = run(units, folder, args);
    } catch (Throwable e) {
      e.printStackTrace(STDERR);
    }
    System.exit(exit);
  }

  private static int run(List<Unit> units, Path folder, String[] args) throws Throwable {
    switch (args[1]) {
      case "plain":
        expect(units, folder);
        return 0;
      case "once":
        Unit first = units.get(0);
        List<String> wrong = first.differences(first.run(), expected(folder));
        wrong.forEach(STDERR::println);
        return wrong.isEmpty() ? 0 : 1;
      default:
        return inject(
            units,
            folder,
            Integer.parseInt(args[2]),
            Integer.parseInt(args[3]),
            Long.parseLong(args[4]));
    }
  }

  /** What does not vary between plain runs is what has to be the same with a fault. */
  private static void expect(List<Unit> units, Path folder) throws Exception {
    Properties expected = new Properties();
    for (Unit unit : units) {
      unit.map();
      Map<String, String> first = unit.run();
      Set<String> varies = new TreeSet<>();
      long longest = 0;
      for (int i = 0; i < PLAIN_RUNS; i++) {
        Map<String, String> again = unit.run();
        longest = i == 0 ? 0 : Math.max(longest, unit.tookMs);
        first.forEach(
            (name, value) -> {
              if (!value.equals(again.get(name))) {
                varies.add(name);
              }
            });
      }
      first.keySet().removeAll(varies);
      first.forEach((name, value) -> expected.setProperty(unit.name + " " + name, value));
      expected.setProperty("ms " + unit.name, Long.toString(longest));
    }
    try (OutputStream out = Files.newOutputStream(folder.resolve("expected"))) {
      expected.store(out, null);
    }
  }

  private static Properties expected(Path folder) throws IOException {
    Properties expected = new Properties();
    try (InputStream in = new FileInputStream(folder.resolve("expected").toFile())) {
      expected.load(in);
    }
    return expected;
  }

  /** The points that were passed so far. */
  private static List<String> called() {
    List<String> names = FaultInjector.names();
    List<String> called = new ArrayList<>();
    for (int point = 0; point < names.size(); point++) {
      if (FaultInjector.calls(point) > 0) {
        called.add(names.get(point));
      }
    }
    return called;
  }

  private static int inject(List<Unit> units, Path folder, int from, int tasks, long seed)
      throws Throwable {
    Properties expected = expected(folder);
    Files.write(folder.resolve("starts"), called(), StandardCharsets.UTF_8);
    Restarted.prepare(MapInput.class);
    List<Fault> faults = new ArrayList<>();
    Set<Integer> reached = new TreeSet<>();
    List<String> wrong = new ArrayList<>();
    for (Unit unit : units) {
      // The first one loads classes.
      unit.watched();
      FaultInjector.arm(-1, null, 0, 0);
      wrong.addAll(unit.differences(unit.watched(), expected));
      for (int point = 0; point < FaultInjector.names().size(); point++) {
        int calls = FaultInjector.calls(point);
        if (calls > 0) {
          reached.add(point);
          addFaults(faults, unit, point, calls);
        }
      }
    }
    Pattern only = Pattern.compile(System.getProperty("mprof.faults.only", ""));
    faults.removeIf(fault -> !only.matcher(fault.toString()).find());
    Collections.shuffle(faults, new Random(seed));
    faults.sort(Comparator.comparing(fault -> !ONCE_HARMFUL.matcher(fault.toString()).find()));
    boolean none = Boolean.getBoolean("mprof.faults.none");
    Footprint before = Footprint.now();
    long begun = System.nanoTime();
    int done = 0;
    int fired = 0;
    Map<Unit, Long> slowest = new HashMap<>();
    Set<String> covered = new LinkedHashSet<>();
    long last = begun + Long.getLong("mprof.faults.seconds", DAY) * 1_000_000_000L;
    for (; done < tasks && wrong.size() < MOST_REPORTED && System.nanoTime() < last; done++) {
      Fault fault = faults.get((from + done) % faults.size());
      long most =
          Long.parseLong(expected.getProperty("ms " + fault.unit.name))
              + (DUMPS.matcher(fault.unit.name).find() ? MOST_WITH_DUMP_MS : MOST_LONGER_MS);
      long took = Long.MAX_VALUE;
      int times = 0;
      for (int i = 0; i < TRIES && took > most; i++) {
        FaultInjector.arm(none ? -1 : fault.point, fault.kind, fault.call, fault.delayMs());
        Map<String, String> found = fault.unit.watched();
        times = FaultInjector.fired();
        FaultInjector.disarm();
        took = Math.min(took, fault.unit.tookMs - times * fault.delayMs());
        for (String each : fault.unit.differences(found, expected)) {
          wrong.add(fault + ": " + each);
        }
      }
      if (took > most) {
        wrong.add(fault + ": took " + took + " ms, more than " + most);
      }
      if (times > 0) {
        fired++;
        covered.add(fault.name());
        slowest.merge(fault.unit, took, Math::max);
      }
    }
    List<String> names = FaultInjector.names();
    for (int point = 0; point < names.size(); point++) {
      if (!reached.contains(point)) {
        STDERR.println("not reached: " + names.get(point));
      }
    }
    for (Unit unit : units) {
      STDERR.printf(
          "%s: slowest plain %s ms, slowest faulty %s ms%n",
          unit.name, expected.getProperty("ms " + unit.name), slowest.get(unit));
    }
    wrong.forEach(STDERR::println);
    STDERR.println("before: " + before);
    STDERR.println("after: " + Footprint.now());
    STDERR.printf(
        "%d tasks from %d with seed %d in %d s, %d faults met, of %d possible; %d of %d points reached, %d"
            + " of them failed; %d differences%n",
        done,
        from,
        seed,
        (System.nanoTime() - begun) / 1_000_000_000L,
        fired,
        faults.size(),
        reached.size(),
        names.size(),
        covered.size(),
        wrong.size());
    return wrong.isEmpty() ? 0 : 1;
  }

  private static void addFaults(List<Fault> faults, Unit unit, int point, int calls) {
    Set<Integer> when =
        new TreeSet<>(Arrays.asList(1, (calls + 1) / 2, calls, FaultInjector.EVERY));
    for (FaultInjector.Kind kind : FaultInjector.Kind.values()) {
      for (int call : when) {
        if (FaultInjector.allows(point, kind)) {
          faults.add(new Fault(unit, point, kind, call));
        }
      }
    }
  }

  private static final class Fault {
    final Unit unit;
    final int point;
    final FaultInjector.Kind kind;
    final int call;

    Fault(Unit unit, int point, FaultInjector.Kind kind, int call) {
      this.unit = unit;
      this.point = point;
      this.kind = kind;
      this.call = call;
    }

    long delayMs() {
      return kind != FaultInjector.Kind.DELAY
          ? 0
          : call == FaultInjector.EVERY ? EACH_HANGS_MS : HANGS_MS;
    }

    String name() {
      return FaultInjector.names().get(point);
    }

    @Override
    public String toString() {
      return unit.name + " " + name() + " " + kind + " at call " + call;
    }
  }

  /** A task that is run again and again. */
  private static final class Unit {
    final String name;
    private final Path job;
    private final String attempt;
    private final String settings;
    private long tookMs;

    Unit(Path folder, String[] words) {
      this.job = folder.resolve(words[0]);
      this.attempt = words[1];
      this.name = words[0] + "/" + words[1].substring(words[1].indexOf("_0001_") + 6);
      this.settings =
          "dir="
              + job.resolve("mprof")
              + ",disk.percent=100,plan="
              + job.resolve("mprof.plan")
              + words[2];
    }

    Map<String, String> watched() throws Throwable {
      delete(job.resolve("mprof"));
      delete(job.resolve("capture"));
      Files.createDirectories(job.resolve("capture"));
      try {
        Restarted.begin(settings, attempt);
      } catch (Throwable e) {
        // The agent says so, and the task runs without it.
      }
      Map<String, String> found = run();
      long begun = System.nanoTime();
      Restarted.end();
      tookMs += (System.nanoTime() - begun) / 1_000_000;
      return found;
    }

    /** Ends the threads that Hadoop leaves behind in the JVM of a task that failed. */
    private static void end(Set<Thread> before) {
      for (Thread each : threads()) {
        if (!before.contains(each) && !each.getName().startsWith("mprof")) {
          each.interrupt();
        }
      }
    }

    private static Set<Thread> threads() {
      Thread[] all = new Thread[2 * Thread.activeCount() + 16];
      return new LinkedHashSet<>(Arrays.asList(all).subList(0, Thread.enumerate(all)));
    }

    /** Its exit code, what it said of its end, its counters and a digest of its output. */
    Map<String, String> run() throws Exception {
      Map<String, String> found = new TreeMap<>();
      Path own = Files.createDirectories(job.resolve(attempt));
      emptyLocal(own);
      FileSystem.clearStatistics();
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      System.setErr(new PrintStream(said, true, "UTF-8"));
      long begun = System.nanoTime();
      Set<Thread> before = threads();
      found.put("exit", job.endsWith("exit") ? exit() : task());
      tookMs = (System.nanoTime() - begun) / 1_000_000;
      end(before);
      System.setErr(STDERR);
      found.put(
          "thrown",
          Stream.of(said.toString("UTF-8").split("\n"))
              .filter(line -> !line.startsWith("\t") && !line.startsWith("mprof: "))
              .collect(Collectors.joining("; ")));
      Properties counters = new Properties();
      File file = own.resolve("counters.properties").toFile();
      if (file.exists()) {
        try (InputStream in = new FileInputStream(file)) {
          counters.load(in);
        }
      }
      for (String counter : counters.stringPropertyNames()) {
        if (!OF_THE_JVM.matcher(counter).find()) {
          found.put("counter " + counter, counters.getProperty(counter));
        }
      }
      found.put("output", digest(own.resolve("local")) + digest(job.resolve("out")));
      delete(job.resolve("out"));
      return found;
    }

    /** What a reduce task fetches; its maps are whole, whatever became of the tasks of before. */
    private void map() throws Exception {
      for (int i = 0; i < MAPS && attempt.contains("_r_"); i++) {
        String map = attempt.replace("_r_000000", "_m_00000" + i);
        emptyLocal(job.resolve(map));
        if (OneTask.run(job.toFile(), map, MAPS) != 0) {
          throw new IllegalStateException(map + " failed");
        }
      }
    }

    private String task() throws Exception {
      return Integer.toString(OneTask.run(job.toFile(), attempt, MAPS));
    }

    /** The ways out of a JVM that run no shutdown hooks, as far as they can be kept from it. */
    private static String exit() {
      StringBuilder ends = new StringBuilder();
      try {
        new YarnUncaughtExceptionHandler()
            .uncaughtException(Thread.currentThread(), new AssertionError("as asked"));
      } catch (ExitUtil.ExitException e) {
        ends.append(e.status).append(e.getMessage());
      }
      try {
        ExitUtil.halt(7, "as asked");
      } catch (ExitUtil.HaltException e) {
        ends.append(e.status).append(e.getMessage());
      }
      return ends.toString();
    }

    List<String> differences(Map<String, String> found, Properties expected) {
      List<String> differences = new ArrayList<>();
      if (name.startsWith("verify") && !found.get("exit").equals("0")) {
        return differences;
      }
      boolean readsOn = name.startsWith("rest");
      // The spill thread dies: how far map() came in its own thread by then, no two runs agree on.
      boolean mapsBeside = name.startsWith("combine-dies");
      for (String key : expected.stringPropertyNames()) {
        String what = key.substring(key.indexOf(' ') + 1);
        // Of a task that has failed: what was left of its input was counted.
        boolean ofTheRest = what.equals("output") || what.equals("counter SPILLED_RECORDS");
        boolean ofTheMapper = what.startsWith("counter MAP_");
        boolean varies = readsOn && ofTheRest || mapsBeside && ofTheMapper;
        if (key.startsWith(name + " ") && !varies) {
          String here = found.get(what);
          if (!expected.getProperty(key).equals(here)) {
            differences.add(name + " " + what + ": " + expected.getProperty(key) + " -> " + here);
          }
        }
      }
      return differences;
    }
  }

  private static String digest(Path folder) throws Exception {
    if (!Files.exists(folder)) {
      return "nothing ";
    }
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
    }
    for (Path file : files) {
      digest.update(folder.relativize(file).toString().getBytes(StandardCharsets.UTF_8));
      digest.update(Files.readAllBytes(file));
    }
    return files.isEmpty()
        ? "nothing "
        : files.size() + " files " + new BigInteger(1, digest.digest()).toString(16) + " ";
  }

  /** An old LocalDirAllocator does not make a folder again that it has made in this JVM. */
  private static void emptyLocal(Path attempt) throws IOException {
    delete(attempt.resolve("local"));
    Files.createDirectories(attempt.resolve("local"));
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      List<Path> all;
      try (Stream<Path> walk = Files.walk(folder)) {
        all = walk.collect(Collectors.toList());
      }
      Collections.reverse(all);
      for (Path each : all) {
        Files.delete(each);
      }
    }
  }
}
