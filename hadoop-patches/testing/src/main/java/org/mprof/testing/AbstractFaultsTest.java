package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.MergeManager;
import org.apache.hadoop.mapreduce.task.reduce.MergeManagerImpl;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.Restarted;
import org.mprof.agent.patch.PatchModule;
import org.mprof.hadoop.MapInput;
import org.objectweb.asm.ClassReader;

/**
 * Faults in every hook, every assignment and every file operation of the agent: the task must not
 * notice. {@code -Dmprof.faults.tasks=N -Dmprof.faults.seed=S} tries others, and more of them;
 * {@code -Dmprof.faults.from=F} goes on behind those of another run.
 */
abstract class AbstractFaultsTest {
  private static final int TASKS = Integer.getInteger("mprof.faults.tasks", 100);
  private static final int FROM = Integer.getInteger("mprof.faults.from", 0);
  private static final int TASKS_PER_JVM = 250;

  /** Faults of the start need a JVM each; there is at least one. */
  private static final int TASKS_PER_START = 50;

  /** So many of them meet an archive of patched classes that is damaged, and no other fault. */
  private static final int STARTS_PER_DAMAGE = 4;

  private static final long SEED = Long.getLong("mprof.faults.seed", 1);
  private static final String TASK = "attempt_1700000000000_0001_";

  private static final List<String> PASSED_ON =
      Arrays.asList(
          "mprof.faults.only", "mprof.faults.seconds", "mprof.faults.none", "mprof.faults.longer");

  /** Stands for another agent in a table of options. */
  private static final String JACOCO = "org.jacoco.agent";

  /** Collectors and compilers, in turn. */
  private static final String[][] JVMS = {
    {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"},
    {"-XX:+UseG1GC"},
    {"-XX:+UseParallelGC"},
    {"-XX:+UseG1GC", JACOCO},
  };

  /** A heap whose dump could take longer than a task may be silent: the job says how long. */
  private static final String LARGE_HEAP = "-Xmx3g";

  private static final String JOB = "job_1700000000000_0001";

  /** Points that no task of this test comes to, and why. */
  private static final String[][] NOT_REACHED = {
    {"PatchAhead", "patches ahead of time, for the command mprof and not in a task"},
    {"\\.close( #\\d+)?$", "closes what another fault has left open"},
    {
      "(LocalCopier.copy .*deleteIfExists|Dumps.make .*delete"
          + "|HadoopCaptureCopier.copyAsUser .*delete)( #2)?$",
      "clears up after another fault"
    },
    {
      "OomDump.(hasOption .*|arm .*etVMOption #2)$",
      "dumps that the user asks for, and a disk with room for a compressed one alone"
    },
    {"Ticker.bytesRead", "only from the start of a JVM on whose plan names bytes of the set-up"},
    {"Patches.find .*readLine #2$", "another Hadoop than the first in the list of patch modules"},
    {"^state ", "an assignment on a way that no task here goes"},
  };

  abstract PatchModule line();

  @Test
  void noFaultOfTheAgentChangesATask(@TempDir Path dir) throws Exception {
    Path list = dir.resolve("units");
    Files.write(list, new Jobs(dir).write(), StandardCharsets.UTF_8);
    // Where a container has it.
    Files.copy(dir.resolve("setup/job.xml"), dir.resolve("job.xml"));
    List<FaultyTasks.Unit> units = new ArrayList<>();
    for (String line : Files.readAllLines(list, StandardCharsets.UTF_8)) {
      units.add(new FaultyTasks.Unit(dir, line.split(" ", 3)));
    }
    assertEquals(0, run(dir, command(dir, JVMS[0], null, "plain")), said(dir));
    // A task that fails leaves threads and their buffers behind: hence several JVMs.
    for (int from = FROM; from < FROM + TASKS; from += TASKS_PER_JVM) {
      String tasks = Integer.toString(Math.min(TASKS_PER_JVM, FROM + TASKS - from));
      String[] jvm = JVMS[from / TASKS_PER_JVM % JVMS.length];
      String agent = jar(dir, "Agent", "org.mprof.agent.Premain") + "=dir=" + dir;
      String[] words = {"faulty", Integer.toString(from), tasks, Long.toString(SEED)};
      int exit = run(dir, command(dir, jvm, agent, words));
      String[] lines = said(dir).split("\n");
      System.out.println(lines[lines.length - 1] + "; " + String.join(" ", jvm));
      assertEquals(0, exit, said(dir));
    }
    start(dir, units);
    FaultyTasks.delete(FaultyTasks.claims(dir));
    tellOfPoints(dir);
  }

  /** Tasks in JVMs of their own, which begin with the agent's jar and the archive beside it. */
  private void start(Path dir, List<FaultyTasks.Unit> units) throws Exception {
    Path jar = agentJar(dir);
    Path archive = jar.resolveSibling("mprof-patched.zip");
    run(
        dir,
        Arrays.asList(java(), "-cp", jar + ":" + classPath(), PATCH_AHEAD, archive.toString()));
    byte[] whole = Files.readAllBytes(archive);
    Random random = new Random(SEED + FROM);
    int damaged = 0;
    int count = Math.max(1, TASKS / TASKS_PER_START);
    int first = FROM / TASKS * count; // of runs that go on behind each other
    for (int i = first; i < first + count; i++) {
      FaultyTasks.Unit unit = units.get(random.nextInt(units.size()));
      byte[] bytes = whole.clone();
      String fault = "";
      if (i % STARTS_PER_DAMAGE == 0) {
        bytes = damage(bytes, random);
        damaged++;
      } else {
        // Read again each time: a JVM that begins this way passes more points than those before.
        List<String> starts = Files.readAllLines(dir.resolve("starts"), StandardCharsets.UTF_8);
        fault = "|" + starts.get(random.nextInt(starts.size()));
      }
      Files.write(archive, bytes);
      String[] jvm = JVMS[random.nextInt(JVMS.length)].clone();
      List<String> options = new ArrayList<>(Arrays.asList(jvm));
      if (i % 2 == 0) {
        options.add(LARGE_HEAP);
      }
      atStart = fault;
      unit.prepare();
      List<String> command =
          command(
              dir,
              options.toArray(new String[0]),
              jar + "=" + unit.settings(),
              "once",
              unit.job().getFileName().toString(),
              unit.attempt());
      assertEquals(0, run(dir, command), unit.name + " " + atStart + options + "\n" + said(dir));
    }
    System.out.printf(
        "%d tasks whose agent met a fault as it began, %d of them an archive of patched classes that"
            + " was damaged%n",
        count, damaged);
  }

  /** A few bytes of it are others, or its end is missing. */
  private static byte[] damage(byte[] bytes, Random random) {
    if (random.nextBoolean()) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
    for (int i = 0; i < 3; i++) {
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }

  /** Says which points were not reached, and why; one without a reason needs a task. */
  private static void tellOfPoints(Path dir) throws IOException {
    Set<String> points = new TreeSet<>(Files.readAllLines(dir.resolve("points")));
    points.removeAll(Files.readAllLines(dir.resolve("reached")));
    int all = new TreeSet<>(Files.readAllLines(dir.resolve("points"))).size();
    for (String point : points) {
      String why =
          Arrays.stream(NOT_REACHED)
              .filter(row -> Pattern.compile(row[0]).matcher(point).find())
              .map(row -> row[1])
              .findFirst()
              .orElse("no task here comes to it yet");
      System.out.println("not reached: " + point + " (" + why + ")");
    }
    System.out.printf("%d of %d points reached%n", all - points.size(), all);
  }

  /** The jobs, each with settings of the agent that bring other hooks and files into play. */
  private static final class Jobs {
    private static final String[] LINES = Brute.lines(5, 250, 10, 300);
    private final Path dir;
    private final List<String> units = new ArrayList<>();

    Jobs(Path dir) {
      this.dir = dir;
    }

    List<String> write() throws Exception {
      add(shuffling(combining("new"), 3_000), "new", ",keys=text", "m_000000_0", "r_000000_0");
      ForkedJob job = shuffling(spilling("old"), 8_000);
      OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
      job.conf.setCombinerClass(OldApiJobs.Sum.class);
      add(job, "old", ",capture=" + dir.resolve("old/capture").toUri(), "m_000000_0", "r_000000_0");
      writeOnlyMaps();
      writeOtherWays();
      writeFailing();
      writeFull();
      writeClaims();
      writeAreas();
      writeRuns();
      return units;
    }

    private void writeOnlyMaps() throws Exception {
      ForkedJob job = new ForkedJob(dir.resolve("direct")).input(LINES).input(LINES);
      NewApiJobs.use(job.conf, AbstractOddJobsTest.Opening.class, NewApiJobs.Sum.class);
      job.conf.set("test.model", dir.resolve("model").toString());
      Files.write(dir.resolve("model"), new byte[100]);
      job.conf.setNumReduceTasks(0);
      add(job, "direct", elsewhere(job, "capture"), "m_000000_0");
      char[] word = new char[1_200_000];
      Arrays.fill(word, 'x');
      add(combining("large", new String(word)), "large", "", "m_000000_0");
      job = new ForkedJob(dir.resolve("old-direct")).input(LINES).input(LINES);
      OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
      job.conf.setNumReduceTasks(0);
      add(job, "old-direct", "", "m_000000_0");
    }

    /** Through several threads, a chain, and a shuffle that merges in memory or fails. */
    private void writeOtherWays() throws Exception {
      ForkedJob job = combining("threads");
      NewApiJobs.use(job.conf, MultithreadedMapper.class, NewApiJobs.Sum.class);
      job.conf.setClass(MultithreadedMapper.MAP_CLASS, NewApiJobs.Words.class, Mapper.class);
      job.conf.setInt(MultithreadedMapper.NUM_THREADS, 3);
      add(job, "threads", "", "m_000000_0");
      job = spilling("memory-merge");
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
      job.conf.setBoolean("mapreduce.reduce.merge.memtomem.enabled", true);
      job.conf.setInt("mapreduce.reduce.merge.memtomem.threshold", 2);
      add(job, "memory-merge", "", "r_000000_0");
      for (String name : Arrays.asList("aborts", "shuffle-fails")) {
        job = combining(name);
        job.conf.setClass(
            "mapreduce.job.reduce.shuffle.consumer.plugin.class",
            OddShuffle.class,
            ShuffleConsumerPlugin.class);
        job.conf.setBoolean("test.fails", name.equals("shuffle-fails"));
        add(job, name, "", "r_000000_0");
      }
    }

    /** Memory runs out in earnest, and what has filled the heap stays there. */
    private void writeFull() throws Exception {
      ForkedJob job = combining("full-map", "oom");
      NewApiJobs.use(job.conf, Filling.class, NewApiJobs.Sum.class);
      add(job, "full-map", ",oom.dump=never", "m_000000_0");
      job = combining("full-reduce");
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, FillingReducer.class);
      add(job, "full-reduce", "", "r_000000_0");
    }

    /** Tasks of the same job on the node, which have announced dumps or made them. */
    private void writeClaims() throws Exception {
      String old = "job_1600000000000_0001";
      ForkedJob job = asked("claims-dies", "crawl", "dump", "await", "oom");
      claim("claims-dies", old, "1 /nowhere\n").toFile().setLastModified(1_600_000_000_000L);
      claim("claims-dies", JOB, "x\n1 /nowhere\n999999999 /gone\n");
      add(job, "claims-dies", "", "m_000000_0");
      job = asked("claims-late-dies", "crawl", "append", "dump", "await", "oom");
      job.conf.set("test.text", "dumped 1\n");
      add(job, "claims-late-dies", "", "m_000000_0");
      job = asked("claims-freed-dies", "delete", "oom");
      String other = dir.resolve("claims-freed-dies/other.hprof").toString();
      claim("claims-freed-dies", JOB, "1 " + other + "\n");
      job.conf.set("test.delete", other);
      add(job, "claims-freed-dies", "", "m_000000_0");
      Files.createDirectories(dir.resolve("claims-freed-dies/before"));
      Files.write(dir.resolve("claims-freed-dies/before/other.hprof"), new byte[10]);
      job = asked("claims-gone-dies", "delete", "oom");
      job.conf.set("test.delete", FaultyTasks.claims(dir).resolve(JOB).toString());
      Files.createDirectories(dir.resolve("claims-gone-dies/before/mprof"));
      Files.write(
          dir.resolve("claims-gone-dies/before/mprof/events.jsonl"),
          "{\"v\":2,\"type\":\"att".getBytes(StandardCharsets.UTF_8));
      add(job, "claims-gone-dies", "", "m_000000_0");
    }

    private Path claim(String name, String of, String text) throws IOException {
      Path file = Files.createDirectories(dir.resolve(name).resolve("claims")).resolve(of);
      return Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private ForkedJob asked(String name, String... words) throws Exception {
      ForkedJob job = combining(name, words);
      NewApiJobs.use(job.conf, Asked.class, NewApiJobs.Sum.class);
      return job;
    }

    /** Areas that take no more attempts of the job, or no more dumps. */
    private void writeAreas() throws Exception {
      for (String name : Arrays.asList("area-attempts", "area-dumps", "area-elsewhere")) {
        Path before = dir.resolve(name).resolve("before/capture").resolve(JOB);
        Files.createDirectories(before);
        Files.setPosixFilePermissions(before, PosixFilePermissions.fromString("rwx------"));
        boolean attempts = !name.equals("area-dumps");
        for (int i = 1; i <= (attempts ? 16 : 2); i++) {
          Files.createFile(before.resolve((attempts ? ".attempt-" : ".dump-") + i));
        }
        ForkedJob job = asked(name, "oom");
        String setting =
            name.equals("area-elsewhere")
                ? elsewhere(job, "capture.area")
                : ",capture.area=" + dir.resolve(name).resolve("capture").toUri();
        add(job, name, setting, "m_000000_0");
      }
    }

    private void writeFailing() throws Exception {
      ForkedJob job = combining("fails", "fail");
      add(job, "fails", "", "m_000000_0");
      job = combining("map-dies", "oom");
      add(job, "map-dies", elsewhere(job, "capture.area"), "m_000000_0");
      job = combining("combine-dies");
      NewApiJobs.combine(job.conf, Dying.class);
      add(job, "combine-dies", ",oom.dump=never", "m_000000_0");
      job = combining("reduce-dies");
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, Dying.class);
      String area = ",capture.area=" + dir.resolve("reduce-dies/capture").toUri();
      add(job, "reduce-dies", ",rest.seconds=0" + area, "r_000000_0");
      job = combining("rest");
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, Dying.class);
      add(job, "rest", "", "r_000000_0");
      job = combining("reader-fails");
      job.conf.setClass("mapreduce.job.inputformat.class", BadInput.class, InputFormat.class);
      add(job, "reader-fails", "", "m_000000_0");
      add(
          combining("exit"),
          "exit",
          ",capture=" + dir.resolve("exit/capture").toUri(),
          "m_000001_0");
    }

    /** Probes and verifications. */
    private void writeRuns() throws Exception {
      ForkedJob job = combining("profile");
      job.plan("m_000000.mode=profile")
          .plan("m_000000.before_record=2,100")
          .plan("m_000000.points=1")
          .plan("m_000000.in_combine=0/0/2:2")
          .plan("r_000000.in_group=2:1,2")
          .plan("r_000000.mode=profile")
          .plan("r_000000.probe=histogram")
          .plan("r_000000.before_group=3");
      String copied = ",capture=" + dir.resolve("profile/capture").toUri();
      add(job, "profile", copied, "m_000000_0", "r_000000_0");
      job = combining("thins");
      job.plan("m_000000.mode=profile").plan("m_000000.doubling=map").plan("m_000000.points=1");
      add(job, "thins", "", "m_000000_0");
      job = combining("setup");
      NewApiJobs.use(job.conf, Loading.class, NewApiJobs.Sum.class);
      job.plan("job.mapreduce.map.class=" + Loading.class.getName())
          .plan("m_000000.mode=profile")
          .plan("m_000000.setup_bytes=1000")
          .plan("m_000000.probe=histogram");
      add(job, "setup", "", "m_000000_0");
      job = combining("verify-without-record");
      job.plan("m_000000.mode=verify").plan("m_000000.leave_out_record=3");
      add(job, "verify-without-record", "", "m_000000_0");
      job = combining("verify-without-group");
      job.plan("r_000000.mode=verify").plan("r_000000.leave_out_group=" + Brute.keyDigest("w20"));
      add(job, "verify-without-group", "", "r_000000_0");
      job = combining("verify-map");
      job.plan("m_000000.mode=verify")
          .plan("m_000000.verify_place=map")
          .plan("m_000000.verify_record=3")
          .plan("m_000000.verify_live=60000000");
      add(job, "verify-map", "", "m_000000_0");
      job = spilling("verify-value");
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
      job.plan("r_000000.mode=verify")
          .plan("r_000000.verify_place=reduce")
          .plan("r_000000.verify_group=" + Brute.keyDigest("w20"))
          .plan("r_000000.verify_digest=" + Brute.recordDigest("w20", 1));
      add(job, "verify-value", "", "r_000000_0");
      job = combining("verify-combine");
      job.plan("m_000000.mode=verify")
          .plan("m_000000.verify_place=combine")
          .plan("m_000000.verify_group=" + Brute.keyDigest("w20"))
          .plan("m_000000.verify_digest=" + Brute.recordDigest("w20", 1));
      add(job, "verify-combine", "", "m_000000_0");
      job = combining("verify-reduce");
      job.plan("r_000000.mode=verify").plan("r_000000.verify_place=reduce");
      add(job, "verify-reduce", "", "r_000000_0");
    }

    private ForkedJob combining(String name, String... more) throws Exception {
      ForkedJob job = spilling(name, more);
      NewApiJobs.use(job.conf, Throwing.class, NewApiJobs.Sum.class);
      NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
      return job;
    }

    private String elsewhere(ForkedJob job, String setting) {
      job.conf.setClass("fs.elsewhere.impl", Elsewhere.class, FileSystem.class);
      String name = job.output().getParent().getFileName().toString();
      return "," + setting + "=elsewhere:" + dir.resolve(name).resolve("capture");
    }

    private ForkedJob spilling(String name, String... more) throws IOException {
      List<String> first = new ArrayList<>(Arrays.asList(LINES));
      first.addAll(Arrays.asList(more));
      ForkedJob job =
          new ForkedJob(dir.resolve(name)).input(first.toArray(new String[0])).input(LINES);
      job.conf.setFloat("mapreduce.map.sort.spill.percent", 0.03f);
      job.conf.setInt("mapreduce.map.combine.minspills", 1);
      job.conf.setInt("mapreduce.task.io.sort.factor", 2);
      return job;
    }

    /** Segments of 3 KB that are kept on disk, or merged in memory by twos. */
    private static ForkedJob shuffling(ForkedJob job, int memory) {
      job.conf.setLong("mapreduce.reduce.memory.totalbytes", memory);
      job.conf.setFloat("mapreduce.reduce.shuffle.input.buffer.percent", 0.9f);
      job.conf.setFloat("mapreduce.reduce.shuffle.memory.limit.percent", 0.6f);
      job.conf.setFloat("mapreduce.reduce.shuffle.merge.percent", 0.61f);
      return job;
    }

    private void add(ForkedJob job, String name, String settings, String... tasks)
        throws Exception {
      job.submit();
      for (String task : tasks) {
        units.add(name + " " + TASK + task + " " + settings);
      }
    }
  }

  /** As words, but with an error of memory that costs no memory. */
  public static class Throwing extends NewApiJobs.Words {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      if (value.toString().equals("oom")) {
        throw new OutOfMemoryError("as asked");
      }
      super.map(key, value, context);
    }
  }

  /** As its words say: acts as the JVM, and as other tasks on the node. */
  public static class Asked extends NewApiJobs.Words {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      Configuration conf = context.getConfiguration();
      switch (value.toString()) {
        case "oom":
          throw new OutOfMemoryError("as asked");
        case "crawl":
          Restarted.crawls();
          return;
        case "dump":
          Path dump = dumpOfTheJvm();
          if (dump != null) {
            Files.write(dump, new byte[100]);
          }
          return;
        case "await":
          // Longer than it takes the agent to look at a dump twice.
          Thread.sleep(2 * LOOK_MS + LOOK_MS / 2);
          return;
        case "append":
          Files.write(
              FaultyTasks.claimsOf(System.getProperty("user.name")).resolve(JOB),
              conf.get("test.text").getBytes(StandardCharsets.UTF_8),
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
          return;
        case "delete":
          Files.deleteIfExists(Paths.get(conf.get("test.delete")));
          return;
        default:
          super.map(key, value, context);
      }
    }

    private static Path dumpOfTheJvm() {
      HotSpotDiagnosticMXBean bean =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      boolean on = Boolean.parseBoolean(bean.getVMOption("HeapDumpOnOutOfMemoryError").getValue());
      String path = bean.getVMOption("HeapDumpPath").getValue();
      return on && !path.isEmpty() ? Paths.get(path) : null;
    }
  }

  /** The agent's thread looks at everything so often. */
  private static final long LOOK_MS = 250;

  /** Reads for a while before its first record. */
  public static class Loading extends NewApiJobs.Words {
    @Override
    protected void setup(Context context) throws IOException {
      long until = System.nanoTime() + 3 * LOOK_MS * 1_000_000;
      while (System.nanoTime() < until) {
        Files.readAllBytes(Paths.get("/proc/self/status"));
      }
    }
  }

  /** Fills the heap to its last bytes. */
  public static class Filling extends NewApiJobs.Words {
    private static final Object[] KEPT = new Object[65_536];

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      if (value.toString().equals("oom")) {
        fill();
      }
      super.map(key, value, context);
    }

    static void fill() {
      int at = 0;
      for (int bytes = 1 << 20; ; bytes = Math.max(64, bytes >> 5)) {
        try {
          while (true) {
            KEPT[at++ % KEPT.length] = new byte[bytes];
          }
        } catch (OutOfMemoryError e) {
          if (bytes <= 64) {
            throw e;
          }
        }
      }
    }

    static void empty() {
      Arrays.fill(KEPT, null);
    }
  }

  /** The same in a group. */
  public static class FillingReducer extends NewApiJobs.Sum {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      if (key.toString().equals("w20")) {
        Filling.fill();
      }
      super.reduce(key, values, context);
    }
  }

  /** Fetches each segment at the second try; asked to, it fails when all are merged. */
  public static class OddShuffle extends Shuffle<Text, IntWritable> {
    private static final int MOST_TRIES = 20;

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    protected MergeManager<Text, IntWritable> createMergeManager(
        ShuffleConsumerPlugin.Context any) {
      ShuffleConsumerPlugin.Context<Text, IntWritable> context = any;
      return new MergeManagerImpl<Text, IntWritable>(
          context.getReduceId(),
          context.getJobConf(),
          context.getLocalFS(),
          context.getLocalDirAllocator(),
          context.getReporter(),
          context.getCodec(),
          context.getCombinerClass(),
          context.getCombineCollector(),
          context.getSpilledRecordsCounter(),
          context.getReduceCombineInputCounter(),
          context.getMergedMapOutputsCounter(),
          this,
          context.getMergePhase(),
          context.getMapOutputFile()) {
        private final Map<TaskAttemptID, Integer> tries = new ConcurrentHashMap<>();

        @Override
        public MapOutput<Text, IntWritable> reserve(
            TaskAttemptID map, long requestedSize, int fetcher) throws IOException {
          // Hadoop's fetcher goes on for ever where its task has died of a full heap and its files
          // are gone: it must not fill the logs of the tasks after it.
          if (tries.merge(map, 1, Integer::sum) > MOST_TRIES) {
            LockSupport.parkNanos(1_000_000_000L);
          }
          try {
            super.reserve(map, Long.MAX_VALUE / 2, fetcher);
          } catch (IOException e) {
            // No disk has so much room.
          }
          MapOutput<Text, IntWritable> first = super.reserve(map, requestedSize, fetcher);
          if (first != null) {
            first.abort();
          }
          return super.reserve(map, requestedSize, fetcher);
        }

        // Not before: whether it looks at the failure while it still waits depends on the time.
        @Override
        public RawKeyValueIterator close() throws Throwable {
          if (context.getJobConf().getBoolean("test.fails", false)) {
            reportException(new IOException("as asked"));
          }
          return super.close();
        }
      };
    }
  }

  /** As that of the odd jobs, and it says whose a folder is, and for whom. */
  public static class Elsewhere extends AbstractOddJobsTest.Elsewhere {
    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path file) throws IOException {
      Path local = Paths.get(file.toUri().getPath());
      if (!Files.exists(local)) {
        throw new FileNotFoundException(file.toString());
      }
      int mode = 0;
      for (PosixFilePermission each : Files.getPosixFilePermissions(local)) {
        mode |= 0400 >> each.ordinal();
      }
      return new FileStatus(
          Files.size(local),
          Files.isDirectory(local),
          1,
          1 << 25,
          Files.getLastModifiedTime(local).toMillis(),
          0,
          new FsPermission((short) mode),
          UserGroupInformation.getCurrentUser().getShortUserName(),
          "",
          file);
    }
  }

  /** Fails in the middle of a group. */
  public static class Dying extends NewApiJobs.Sum {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      if (key.toString().equals("w20")) {
        values.iterator().next();
        throw new OutOfMemoryError("as asked");
      }
      super.reduce(key, values, context);
    }
  }

  /** Its reader fails at the third line. */
  public static class BadInput extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        private int lines;

        @Override
        public boolean nextKeyValue() throws IOException {
          if (++lines == 3) {
            throw new IOException("as asked");
          }
          return super.nextKeyValue();
        }
      };
    }
  }

  private static final String PATCH_AHEAD = "org.mprof.agent.PatchAhead";

  /** The fault of the start of the next JVM, for {@link FaultInjector}. */
  private String atStart = "";

  /** {@code agent} is null for a JVM without one. */
  private List<String> command(Path dir, String[] jvm, String agent, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.add("-Xmx256m");
    // Claims of dumps stand in a folder of the user's in /tmp; two runs at once have two.
    command.add("-Duser.name=" + FaultyTasks.claimant(dir));
    String classPath = classPath();
    if (agent != null) {
      Path hooks = dir.resolve("hooks");
      Files.write(hooks, hooks(), StandardCharsets.UTF_8);
      String injector = jar(dir, "FaultInjector", FaultInjector.class.getName()) + "=" + hooks;
      command.add("-javaagent:" + injector + atStart);
      command.add("-javaagent:" + agent);
      classPath = agent.substring(0, agent.indexOf('=')) + ":" + classPath;
    }
    for (String option : jvm) {
      boolean isAgent = option.equals(JACOCO);
      if (!isAgent || agent != null) {
        command.add(isAgent ? jacoco(dir) : option);
      }
    }
    for (String each : PASSED_ON) {
      if (System.getProperty(each) != null) {
        command.add("-D" + each + "=" + System.getProperty(each));
      }
    }
    command.addAll(Arrays.asList("-cp", classPath));
    command.addAll(Arrays.asList(FaultyTasks.class.getName(), dir.toString()));
    command.addAll(Arrays.asList(arguments));
    return command;
  }

  /** An agent that counts which instructions ran, in Hadoop's classes and in mprof's. */
  private static String jacoco(Path dir) {
    return Arrays.stream(classPath().split(":"))
        .filter(each -> each.contains(JACOCO))
        .map(
            each ->
                "-javaagent:"
                    + each
                    + "=destfile="
                    + dir.resolve("jacoco.exec")
                    + ",includes=org.apache.hadoop.mapred.*:org.apache.hadoop.mapreduce.*"
                    + ":org.mprof.agent.*:org.mprof.hadoop.*")
        .findFirst()
        .get();
  }

  /** The classes of the agent and of its patches, as they are shipped. */
  private Path agentJar(Path dir) throws Exception {
    Path jar = Files.createDirectories(dir.resolve("shipped")).resolve("mprof-agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", "org.mprof.agent.Premain");
    Set<String> seen = new TreeSet<>();
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Class<?> each :
          Arrays.asList(
              PatchModule.class,
              Class.forName("org.mprof.agent.Words"),
              MapInput.class,
              line().getClass(),
              ClassReader.class)) {
        add(out, Paths.get(each.getProtectionDomain().getCodeSource().getLocation().toURI()), seen);
      }
    }
    return jar;
  }

  private static void add(JarOutputStream out, Path source, Set<String> seen) throws IOException {
    boolean isFolder = Files.isDirectory(source);
    URI zip = URI.create("jar:" + source.toUri());
    try (java.nio.file.FileSystem files =
            isFolder ? null : FileSystems.newFileSystem(zip, Collections.emptyMap());
        Stream<Path> all = Files.walk(isFolder ? source : files.getPath("/"))) {
      Path root = isFolder ? source : files.getPath("/");
      for (Path each : all.filter(Files::isRegularFile).collect(Collectors.toList())) {
        String name = root.relativize(each).toString();
        boolean wanted = !name.endsWith("MANIFEST.MF") && !name.equals("module-info.class");
        if (wanted && seen.add(name)) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(each, out);
          out.closeEntry();
        }
      }
    }
  }

  private static String java() {
    return System.getProperty("java.home") + "/bin/java";
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  private static int run(Path dir, List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("said").toFile())
            .directory(dir.toFile())
            .start();
    if (!process.waitFor(120 + 4 * TASKS_PER_JVM, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("does not end: " + said(dir));
    }
    return process.exitValue();
  }

  private List<String> hooks() {
    return line().patches().stream()
        .filter(row -> row.hookOwner() != null)
        .map(row -> row.hookOwner() + " " + row.hookName() + " " + row.hookDescriptor())
        .distinct()
        .collect(Collectors.toList());
  }

  private static String said(Path dir) throws IOException {
    return new String(Files.readAllBytes(dir.resolve("said")), StandardCharsets.UTF_8);
  }

  private static Path jar(Path dir, String name, String premain) throws IOException {
    Path jar = dir.resolve(name + ".jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", premain);
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }
}
