package org.mprof.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OneTask;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * A job whose tasks run in JVMs of their own with the agent, through the stock classes that also
 * run on a cluster, but without one.
 */
final class ForkedJob {
  private static final String JOB = "job_1700000000000_0001";
  private static final int MOST_SECONDS = Integer.getInteger("mprof.task.seconds", 120);
  private static final ObjectMapper JSON = new ObjectMapper();

  final JobConf conf = new JobConf(false);
  private final Path folder;
  private final List<String> plan = new ArrayList<>(Arrays.asList("version=1", "default=watch"));
  private String heap = "-Xmx256m";
  private String agentSettings = "";
  private boolean agent = true;
  private int maps;

  ForkedJob(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    conf.addResource("core-default.xml");
    conf.addResource("mapred-default.xml");
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    conf.set(MRConfig.FRAMEWORK_NAME, "local");
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, folder.toString());
    conf.setInt(MRJobConfig.IO_SORT_MB, 1);
    conf.setNumReduceTasks(1);
    conf.set("mapreduce.output.fileoutputformat.outputdir", "file:" + output());
  }

  Path output() {
    return folder.resolve("out");
  }

  /** A file of input lines, one split. */
  ForkedJob input(String... lines) throws IOException {
    Path file = folder.resolve("in-" + maps++ + ".txt");
    Files.write(file, Arrays.asList(lines), StandardCharsets.UTF_8);
    String before = conf.get("mapreduce.input.fileinputformat.inputdir");
    conf.set(
        "mapreduce.input.fileinputformat.inputdir",
        (before == null ? "" : before + ",") + "file:" + file);
    return this;
  }

  ForkedJob heap(String option) {
    heap = option;
    return this;
  }

  ForkedJob plan(String line) {
    plan.add(line);
    return this;
  }

  ForkedJob agentSettings(String settings) {
    agentSettings = "," + settings;
    return this;
  }

  ForkedJob withoutAgent() {
    agent = false;
    return this;
  }

  /** Writes what a client writes at submission. */
  ForkedJob submit() throws Exception {
    if (conf.getUseNewMapper()) {
      Job job = Job.getInstance(conf);
      List<org.apache.hadoop.mapreduce.InputSplit> splits =
          ReflectionUtils.newInstance(job.getInputFormatClass(), conf)
              .getSplits(new JobContextImpl(conf, JobID.forName(JOB)));
      JobSplitWriter.createSplitFiles(submitted(), conf, submitted().getFileSystem(conf), splits);
      maps = splits.size();
    } else {
      InputSplit[] splits = conf.getInputFormat().getSplits(conf, 1);
      JobSplitWriter.createSplitFiles(submitted(), conf, submitted().getFileSystem(conf), splits);
      maps = splits.length;
    }
    try (OutputStream out = Files.newOutputStream(folder.resolve("job.xml"))) {
      conf.writeXml(out);
    }
    TaskAttemptID any = TaskAttemptID.forName("attempt_" + JOB.substring(4) + "_m_000000_0");
    new org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter(
            new org.apache.hadoop.fs.Path("file:" + output()),
            new TaskAttemptContextImpl(conf, any))
        .setupJob(new JobContextImpl(conf, JobID.forName(JOB)));
    Files.write(folder.resolve("mprof.plan"), plan, StandardCharsets.UTF_8);
    return this;
  }

  private org.apache.hadoop.fs.Path submitted() {
    return new org.apache.hadoop.fs.Path(folder.toUri());
  }

  /** Runs all maps, then all reduces; whatever becomes of them. */
  List<Attempt> run() throws Exception {
    submit();
    List<Attempt> attempts = new ArrayList<>();
    for (int i = 0; i < maps; i++) {
      attempts.add(map(i));
    }
    for (int i = 0; i < conf.getNumReduceTasks(); i++) {
      attempts.add(reduce(i));
    }
    return attempts;
  }

  /** Submits, and runs the maps in this JVM, without the agent: for tests of the reduce side. */
  ForkedJob mapped() throws Exception {
    submit();
    for (int i = 0; i < maps; i++) {
      String id = id("m", i);
      Files.createDirectories(folder.resolve(id));
      if (OneTask.run(folder.toFile(), id, maps) != 0) {
        throw new AssertionError(id + " failed");
      }
    }
    return this;
  }

  Attempt map(int index) throws Exception {
    return fork("m", index);
  }

  Attempt reduce(int index) throws Exception {
    return fork("r", index);
  }

  private Attempt fork(String type, int index) throws Exception {
    String id = id(type, index);
    Process process = begin(type, index);
    if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(id + " does not end: " + text(folder.resolve(id).resolve("stderr")));
    }
    return new Attempt(id, folder.resolve(id), process.exitValue());
  }

  /** Starts a map ({@code m}) or reduce ({@code r}) task in a JVM of its own. */
  Process begin(String type, int index) throws Exception {
    String id = id(type, index);
    Path dir = Files.createDirectories(folder.resolve(id));
    List<String> command = new ArrayList<>();
    command.add(
        System.getProperty("mprof.test.java", System.getProperty("java.home") + "/bin/java"));
    command.addAll(
        Arrays.asList(heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.add("-XX:-HeapDumpOnOutOfMemoryError");
    if (agent) {
      command.add(
          "-javaagent:"
              + agentJar()
              + "=dir="
              + dir
              + ",plan="
              + folder.resolve("mprof.plan")
              + agentSettings);
    }
    command.addAll(Arrays.asList("-cp", System.getProperty("java.class.path")));
    command.addAll(
        Arrays.asList(
            "org.apache.hadoop.mapred.OneTask", folder.toString(), id, Integer.toString(maps)));
    return new ProcessBuilder(command)
        .redirectError(dir.resolve("stderr").toFile())
        .redirectOutput(dir.resolve("stdout").toFile())
        .directory(dir.toFile())
        .start();
  }

  /** Where the attempt of a task leaves its files. */
  Path folderOf(String type, int index) {
    return folder.resolve(id(type, index));
  }

  private static String id(String type, int index) {
    return String.format("attempt_%s_%s_%06d_0", JOB.substring(4), type, index);
  }

  /** A jar with nothing but a manifest: the agent's classes are on the class path. */
  private Path agentJar() throws IOException {
    Path jar = folder.resolve("agent.jar");
    if (!Files.exists(jar)) {
      Manifest manifest = new Manifest();
      manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
      manifest.getMainAttributes().putValue("Premain-Class", "org.mprof.agent.Premain");
      new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }
    return jar;
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  /** What an attempt left behind. */
  static final class Attempt {
    final String id;
    final Path dir;
    final int exit;
    final List<JsonNode> events = new ArrayList<>();
    final Properties counters = new Properties();

    Attempt(String id, Path dir, int exit) throws IOException {
      this.id = id;
      this.dir = dir;
      this.exit = exit;
      File log = dir.resolve("events.jsonl").toFile();
      if (log.exists()) {
        for (String line : Files.readAllLines(log.toPath(), StandardCharsets.UTF_8)) {
          events.add(JSON.readTree(line));
        }
      }
      File file = dir.resolve("counters.properties").toFile();
      if (file.exists()) {
        try (InputStream in = new FileInputStream(file)) {
          counters.load(in);
        }
      }
    }

    String stderr() throws IOException {
      return text(dir.resolve("stderr"));
    }

    long counter(String name) {
      return Long.parseLong(counters.getProperty(name, "0"));
    }

    List<JsonNode> events(String type) {
      return events.stream()
          .filter(e -> e.get("type").asText().equals(type))
          .collect(Collectors.toList());
    }

    /** The only event of a type with these members. */
    JsonNode event(String type, String... members) {
      List<JsonNode> found = events(type);
      for (int i = 0; i < members.length; i += 2) {
        String name = members[i];
        String value = members[i + 1];
        found =
            found.stream()
                .filter(e -> e.path(name).asText().equals(value))
                .collect(Collectors.toList());
      }
      if (found.size() != 1) {
        throw new AssertionError(
            found.size() + " events " + type + Arrays.toString(members) + " in " + this);
      }
      return found.get(0);
    }

    /** The last event of a type with these members. */
    JsonNode last(String type, String... members) {
      JsonNode last = null;
      for (JsonNode event : events(type)) {
        boolean matches = true;
        for (int i = 0; i < members.length; i += 2) {
          matches &= event.path(members[i]).asText().equals(members[i + 1]);
        }
        last = matches ? event : last;
      }
      if (last == null) {
        throw new AssertionError("no event " + type + Arrays.toString(members) + " in " + this);
      }
      return last;
    }

    /** Phases in the order in which they began. */
    List<String> phases() {
      return events("phase").stream()
          .filter(e -> e.get("edge").asText().equals("begin"))
          .map(e -> e.get("phase").asText())
          .collect(Collectors.toList());
    }

    /** The position at the end of the JVM. */
    JsonNode end() {
      return event("end").get("at");
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(id).append(" exit ").append(exit).append('\n');
      events.forEach(e -> text.append(e).append('\n'));
      try {
        text.append(stderr());
      } catch (IOException e) {
        text.append(e);
      }
      return text.toString();
    }
  }
}
