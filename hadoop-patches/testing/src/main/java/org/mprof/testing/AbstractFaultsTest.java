package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.patch.PatchModule;

/**
 * Faults in every hook and every file operation of the agent: the task must not notice. {@code
 * -Dmprof.faults.tasks=N -Dmprof.faults.seed=S} tries others, and more of them.
 */
abstract class AbstractFaultsTest {
  private static final int TASKS = Integer.getInteger("mprof.faults.tasks", 100);
  private static final int TASKS_PER_JVM = 250;

  /** Faults of the start need a JVM each. */
  private static final int TASKS_PER_START = 50;

  private static final List<FaultInjector.Kind> UNDECLARED =
      Arrays.asList(
          FaultInjector.Kind.RUNTIME,
          FaultInjector.Kind.MEMORY,
          FaultInjector.Kind.STACK,
          FaultInjector.Kind.LINKAGE);

  /** The fault of the start of the next JVM, for {@link FaultInjector}. */
  private String atStart = "";

  private static final long SEED = Long.getLong("mprof.faults.seed", 1);
  private static final String TASK = "attempt_1700000000000_0001_";

  private static final List<String> PASSED_ON =
      Arrays.asList("mprof.faults.only", "mprof.faults.seconds", "mprof.faults.none");

  abstract PatchModule line();

  @Test
  void noFaultOfTheAgentChangesATask(@TempDir Path dir) throws Exception {
    Path units = dir.resolve("units");
    Files.write(units, new Jobs(dir).write(), StandardCharsets.UTF_8);
    assertEquals(0, run(dir, "plain"), said(dir));
    // A task that fails leaves threads and their buffers behind: hence several JVMs.
    for (int from = 0; from < TASKS; from += TASKS_PER_JVM) {
      String tasks = Integer.toString(Math.min(TASKS_PER_JVM, TASKS - from));
      int exit = run(dir, "faulty", Integer.toString(from), tasks, Long.toString(SEED));
      String[] lines = said(dir).split("\n");
      System.out.println(lines[lines.length - 1]);
      assertEquals(0, exit, said(dir));
    }
    List<String> starts = Files.readAllLines(dir.resolve("starts"), StandardCharsets.UTF_8);
    Random random = new Random(SEED);
    for (int i = 0; i < TASKS / TASKS_PER_START; i++) {
      String point = starts.get(random.nextInt(starts.size()));
      FaultInjector.Kind kind = UNDECLARED.get(random.nextInt(UNDECLARED.size()));
      atStart = "|" + point + "|" + kind;
      assertEquals(0, run(dir, "once"), atStart + "\n" + said(dir));
    }
    System.out.println(TASKS / TASKS_PER_START + " tasks whose agent met a fault as it began");
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
      writeFailing();
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
          .plan("r_000000.mode=profile")
          .plan("r_000000.probe=histogram")
          .plan("r_000000.before_group=3");
      String copied = ",capture=" + dir.resolve("profile/capture").toUri();
      add(job, "profile", copied, "m_000000_0", "r_000000_0");
      job = combining("verify-map");
      job.plan("m_000000.mode=verify")
          .plan("m_000000.verify_place=map")
          .plan("m_000000.verify_record=3")
          .plan("m_000000.verify_live=60000000");
      add(job, "verify-map", "", "m_000000_0");
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
      job.conf.setClass("fs.elsewhere.impl", AbstractOddJobsTest.Elsewhere.class, FileSystem.class);
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

  private int run(Path dir, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(Arrays.asList("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    // Claims of dumps stand in a folder of the user's in /tmp.
    command.add("-Duser.name=faults");
    for (String each : PASSED_ON) {
      if (System.getProperty(each) != null) {
        command.add("-D" + each + "=" + System.getProperty(each));
      }
    }
    if (!arguments[0].equals("plain")) {
      Path hooks = dir.resolve("hooks");
      Files.write(hooks, hooks(), StandardCharsets.UTF_8);
      command.add(
          "-javaagent:"
              + jar(dir, "FaultInjector", FaultInjector.class.getName())
              + "="
              + hooks
              + atStart);
      command.add("-javaagent:" + jar(dir, "Agent", "org.mprof.agent.Agent") + "=dir=" + dir);
    }
    command.addAll(Arrays.asList("-cp", System.getProperty("java.class.path")));
    command.addAll(Arrays.asList(FaultyTasks.class.getName(), dir.toString()));
    command.addAll(Arrays.asList(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("said").toFile())
            .directory(dir.toFile())
            .start();
    if (!process.waitFor(120 + 2 * TASKS_PER_JVM, TimeUnit.SECONDS)) {
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
