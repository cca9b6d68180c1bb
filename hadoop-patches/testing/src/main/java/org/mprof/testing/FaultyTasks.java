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
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
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
 * {@code FaultyTasks FOLDER once JOB ATTEMPT} one task in a JVM whose agent met a fault as it
 * began. The folder holds one folder a job and {@code units}: a line {@code JOB ATTEMPT SETTINGS}
 * for each task. Those of a job {@code verify...} may fail, but commit nothing less than a plain
 * task does; those of {@code rest} read on after their failure. What stands in {@code JOB/before}
 * is there when the task begins, and what stands in {@code JOB/claims} among the claims of dumps.
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

  /** What a hang that lasts takes at least, and how much more at most. */
  private static final int HANGS_LONG_MS = 1000;

  private static final int HANGS_LONGER_MS = 4000;

  /** Tasks that take longer, hangs and full heaps are tried less often than others. */
  private static final long SLOW_MS = 250;

  private static final int SLOW_ONE_IN = 8;

  /** Of a task that took too long, or whose heap was full: the machine may have been busy. */
  private static final int TRIES = 3;

  /** Files that a task leaves in its log folder and in its capture, and bytes without the dumps. */
  private static final int MOST_FILES = 24;

  private static final long MOST_BYTES = 3L << 20;

  /**
   * A faulty task may take this much longer than the slowest plain one, and what hangs; more where
   * the machine does much else.
   */
  static final long MOST_LONGER_MS = Long.getLong("mprof.faults.longer", 2000);

  /** Tried first: a verify attempt committed what it had not discarded. */
  private static final Pattern ONCE_HARMFUL =
      Pattern.compile("^verify.*Hooks\\.committing.* at call 1$");

  /** Of all that ever ran in it, threads of earlier tasks included. */
  private static final Pattern OF_THE_JVM =
      Pattern.compile("MILLIS|MEMORY|COMMITTED_HEAP|BYTES_READ|FILE_");

  /** Where the heap is dumped because it was asked for, or memory ran out. */
  private static final Pattern DUMPS =
      Pattern.compile("^(profile|verify|.*dies|rest|area|thins|setup|full)");

  private static final long MOST_WITH_DUMP_MS = 18_000 + MOST_LONGER_MS;

  private static final String TOOK = ": took ";

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
    // What is said of the end is said by the test, and not in a full heap.
    OneTask.whenOver = AbstractFaultsTest.Filling::empty;
    int exit = 2;
    try {
      exit = run(units, folder, args);
    } catch (Throwable e) {
      e.printStackTrace(STDERR);
    }
    System.exit(exit);
  }

  /** The user, by a property of the JVMs, whose claims of dumps are those of this run alone. */
  static String claimant(Path folder) {
    return "faults-" + folder.getFileName();
  }

  static Path claims(Path folder) {
    return claimsOf(claimant(folder));
  }

  static Path claimsOf(String user) {
    return Paths.get("/tmp/mprof-" + user);
  }

  private static int run(List<Unit> units, Path folder, String[] args) throws Throwable {
    switch (args[1]) {
      case "plain":
        expect(units, folder);
        return 0;
      case "once":
        noteCalled(folder);
        Unit asked = unit(units, args[2], args[3]);
        List<String> wrong = asked.differences(asked.run(), expected(folder));
        wrong.addAll(asked.tooMuch());
        wrong.forEach(STDERR::println);
        noteCalled(folder);
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
      unit.prepare();
      Map<String, String> first = unit.run();
      Set<String> varies = new TreeSet<>();
      long longest = 0;
      for (int i = 0; i < PLAIN_RUNS; i++) {
        unit.prepare();
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

  private static Unit unit(List<Unit> units, String job, String attempt) {
    return units.stream()
        .filter(each -> each.job.endsWith(job) && each.attempt.equals(attempt))
        .findFirst()
        .get();
  }

  /** Adds the points that this JVM knows, and those that it has passed, to the lists of all. */
  private static void noteCalled(Path folder) throws IOException {
    List<String> names = FaultInjector.names();
    List<String> called = new ArrayList<>();
    for (int point = 0; point < names.size(); point++) {
      if (FaultInjector.calls(point) > 0) {
        called.add(names.get(point));
      }
    }
    add(folder.resolve("points"), names);
    add(folder.resolve("reached"), called);
  }

  private static void add(Path list, Collection<String> lines) throws IOException {
    Files.write(
        list, lines, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** The points that were passed so far, each with the kinds of fault there: faults of a start. */
  private static List<String> starts() {
    List<String> names = FaultInjector.names();
    List<String> starts = new ArrayList<>();
    for (int point = 0; point < names.size(); point++) {
      if (FaultInjector.calls(point) > 0) {
        for (FaultInjector.Kind kind : FaultInjector.allowed(point)) {
          if (kind != FaultInjector.Kind.FULL) {
            starts.add(names.get(point) + "|" + kind);
          }
        }
      }
    }
    return starts;
  }

  private static int inject(List<Unit> units, Path folder, int from, int tasks, long seed)
      throws Throwable {
    Properties expected = expected(folder);
    add(folder.resolve("starts"), starts());
    noteCalled(folder);
    Restarted.prepare(MapInput.class);
    Map<Integer, List<Fault>> byPoint = new TreeMap<>();
    Set<Integer> reached = new TreeSet<>();
    List<String> wrong = new ArrayList<>();
    for (Unit unit : units) {
      // The first one loads classes.
      unit.watched();
      noteReached(reached);
      FaultInjector.arm(-1, null, 0, 0);
      wrong.addAll(unit.differences(unit.watched(), expected));
      wrong.addAll(unit.tooMuch());
      unit.slow = unit.tookMs + unit.endedMs > SLOW_MS;
      for (int point = 0; point < FaultInjector.names().size(); point++) {
        int calls = FaultInjector.calls(point);
        if (calls > 0) {
          reached.add(point);
          addFaults(byPoint.computeIfAbsent(point, any -> new ArrayList<>()), unit, point, calls);
        }
      }
    }
    List<Fault> faults = inTurn(byPoint, new Random(seed));
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
      List<String> found = new ArrayList<>();
      int times = 0;
      for (int i = 0; i < TRIES && (i == 0 || fault.mayVary(found)); i++) {
        found.clear();
        FaultInjector.arm(none ? -1 : fault.point, fault.kind, fault.call, fault.delayMs());
        Map<String, String> left = fault.unit.watched();
        times = FaultInjector.fired();
        long keptMs = FaultInjector.keptMs();
        long keptBesideMs = FaultInjector.keptBesideMs();
        FaultInjector.disarm();
        noteReached(reached);
        if (!fault.reachedTheTask(left)) {
          for (String each : fault.unit.differences(left, expected)) {
            found.add(fault + ": " + each);
          }
        }
        for (String each : fault.unit.tooMuch()) {
          found.add(fault + ": " + each);
        }
        long took = fault.unit.tookMs - keptMs;
        if (took > most) {
          found.add(fault + TOOK + took + " ms, more than " + most);
        }
        // The last copy may be waited for.
        long ended = fault.unit.endedMs - keptMs - keptBesideMs;
        if (ended > MOST_WITH_DUMP_MS) {
          found.add(fault + TOOK + ended + " ms to end, more than " + MOST_WITH_DUMP_MS);
        }
        slowest.merge(fault.unit, took, Math::max);
      }
      wrong.addAll(found);
      if (times > 0) {
        fired++;
        covered.add(fault.name());
      }
    }
    List<String> names = FaultInjector.names();
    add(folder.resolve("points"), names);
    add(folder.resolve("reached"), reached.stream().map(names::get).collect(Collectors.toList()));
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

  private static void noteReached(Set<Integer> reached) {
    int points = FaultInjector.names().size();
    for (int point = 0; point < points; point++) {
      if (FaultInjector.calls(point) > 0) {
        reached.add(point);
      }
    }
  }

  /** One fault of each point, then another of each, and so on. */
  private static List<Fault> inTurn(Map<Integer, List<Fault>> byPoint, Random random) {
    Pattern only = Pattern.compile(System.getProperty("mprof.faults.only", ""));
    List<List<Fault>> rounds = new ArrayList<>();
    for (List<Fault> each : byPoint.values()) {
      each.removeIf(fault -> !only.matcher(fault.toString()).find());
      Collections.shuffle(each, random);
      // Of those that take long a few: they would leave no time for the others.
      each.sort(Comparator.comparing(fault -> fault.isSlow() && fault.hash(SLOW_ONE_IN) > 0));
      for (int i = 0; i < each.size(); i++) {
        if (rounds.size() <= i) {
          rounds.add(new ArrayList<>());
        }
        rounds.get(i).add(each.get(i));
      }
    }
    List<Fault> faults = new ArrayList<>();
    for (List<Fault> round : rounds) {
      Collections.shuffle(round, random);
      faults.addAll(round);
    }
    faults.sort(Comparator.comparing(fault -> !ONCE_HARMFUL.matcher(fault.toString()).find()));
    return faults;
  }

  private static void addFaults(List<Fault> faults, Unit unit, int point, int calls) {
    Set<Integer> when =
        new TreeSet<>(Arrays.asList(1, (calls + 1) / 2, calls, FaultInjector.EVERY));
    for (FaultInjector.Kind kind : FaultInjector.allowed(point)) {
      for (int call : when) {
        // Each time for seconds, the heap full at each record, or a file without an end: no.
        boolean once = kind.isOfValue() || ONCE.contains(kind);
        if (call != FaultInjector.EVERY || !once) {
          faults.add(new Fault(unit, point, kind, call));
        }
      }
    }
  }

  private static final Set<FaultInjector.Kind> ONCE =
      EnumSet.of(FaultInjector.Kind.HANG, FaultInjector.Kind.FULL);

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
      switch (kind) {
        case HANG:
          return HANGS_LONG_MS + hash(HANGS_LONGER_MS);
        case DELAY:
          return call == FaultInjector.EVERY ? EACH_HANGS_MS : HANGS_MS;
        default:
          return 0;
      }
    }

    boolean isSlow() {
      return unit.slow || ONCE.contains(kind);
    }

    /** A number below {@code most} that is its own. */
    int hash(int most) {
      return new Random(toString().hashCode()).nextInt(most);
    }

    /**
     * Whether the heap that was filled for the hook was full for the task too: C2 keeps objects in
     * registers, and makes them where the error leaves the hook, before the heap is emptied.
     */
    boolean reachedTheTask(Map<String, String> left) {
      return kind == FaultInjector.Kind.FULL
          && left.values().stream().anyMatch(each -> each.contains("scalar replaced objects"));
    }

    /** Whether it is to be tried again: other threads meet a full heap too, by chance. */
    boolean mayVary(List<String> found) {
      return !found.isEmpty()
          && (kind == FaultInjector.Kind.FULL
              || unit.fillsTheHeap()
              || found.stream().allMatch(each -> each.contains(TOOK)));
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
  static final class Unit {
    final String name;
    private final Path job;
    private final String attempt;
    private final String settings;
    private boolean slow;
    private long tookMs;
    private long endedMs;

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

    /** What the agent is told. */
    String settings() {
      return settings;
    }

    Path job() {
      return job;
    }

    String attempt() {
      return attempt;
    }

    /** What was there before the task. */
    void prepare() throws IOException {
      delete(job.resolve("mprof"));
      delete(job.resolve("capture"));
      Files.createDirectories(job.resolve("capture"));
      copy(job.resolve("before"), job);
      Path claims = claims(job.getParent());
      delete(claims);
      Files.createDirectory(
          claims,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      copy(job.resolve("claims"), claims);
    }

    private static void copy(Path from, Path to) throws IOException {
      if (Files.exists(from)) {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
          all = walk.collect(Collectors.toList());
        }
        for (Path each : all) {
          Path target = to.resolve(from.relativize(each));
          if (!Files.isDirectory(target)) {
            Files.copy(each, target, StandardCopyOption.COPY_ATTRIBUTES);
          }
        }
      }
    }

    /** What lies in the log folder and the capture beyond what the agent may leave there. */
    List<String> tooMuch() throws IOException {
      List<Path> files = new ArrayList<>();
      for (String each : Arrays.asList("mprof", "capture")) {
        if (Files.exists(job.resolve(each))) {
          try (Stream<Path> all = Files.walk(job.resolve(each))) {
            all.filter(Files::isRegularFile).forEach(files::add);
          }
        }
      }
      long bytes = 0;
      for (Path each : files) {
        bytes += each.toString().contains(".hprof") ? 0 : Files.size(each);
      }
      return files.size() <= MOST_FILES && bytes <= MOST_BYTES
          ? Collections.emptyList()
          : Collections.singletonList("left " + files.size() + " files, " + bytes + " B: " + files);
    }

    Map<String, String> watched() throws Throwable {
      prepare();
      try {
        Restarted.begin(settings, attempt);
      } catch (Throwable e) {
        // The agent says so, and the task runs without it.
      }
      Map<String, String> found = run();
      long begun = System.nanoTime();
      Restarted.end();
      endedMs = (System.nanoTime() - begun) / 1_000_000;
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

    boolean fillsTheHeap() {
      return name.startsWith("full");
    }

    List<String> differences(Map<String, String> found, Properties expected) {
      List<String> differences = new ArrayList<>();
      if (name.startsWith("verify") && !found.get("exit").equals("0")) {
        return differences;
      }
      boolean readsOn = name.startsWith("rest");
      // The spill thread dies: how far map() came in its own thread by then, no two runs agree on.
      boolean mapsBeside = name.startsWith("combine-dies");
      // Which thread's records stand before a spill, and so how many keys the spill has.
      boolean inAnyOrder = name.startsWith("threads");
      for (String key : expected.stringPropertyNames()) {
        String what = key.substring(key.indexOf(' ') + 1);
        // Of a task that has failed: what was left of its input was counted.
        boolean ofTheRest = what.equals("output") || what.equals("counter SPILLED_RECORDS");
        boolean ofTheMapper = what.startsWith("counter MAP_");
        // In a full heap what was written is flushed or not, as it happens.
        boolean ofTheDeath = what.equals("exit") || what.equals("thrown");
        boolean ofTheSpills =
            what.startsWith("counter COMBINE_") || what.equals("counter SPILLED_RECORDS");
        boolean varies =
            readsOn && ofTheRest
                || mapsBeside && ofTheMapper
                || fillsTheHeap() && !ofTheDeath
                || inAnyOrder && ofTheSpills;
        if (key.startsWith(name + " ") && !varies) {
          String here = found.get(what);
          String there = expected.getProperty(key);
          if (!there.equals(fillsTheHeap() ? alike(here) : here)) {
            differences.add(name + " " + what + ": " + there + " -> " + here);
          }
        }
      }
      return differences;
    }
  }

  /** The JVM's words for a full heap, of which it chooses with an agent or without. */
  private static String alike(String thrown) {
    return thrown == null
        ? null
        : thrown
            .replace("GC overhead limit exceeded", "Java heap space")
            .replace(": failed reallocation of scalar replaced objects", "");
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

  static void delete(Path folder) throws IOException {
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
