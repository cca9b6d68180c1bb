package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.MarkableIterator;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.Restarted;

/** Jobs that use the framework in unusual ways must run as without the agent, and be counted. */
abstract class AbstractOddJobsTest {
  private static final String[] LINES = Brute.lines(9, 300, 10, 80);

  @Test
  void theOutputIsTheSameWithAndWithoutTheAgent(@TempDir Path dir) throws Exception {
    for (boolean oldApi : new boolean[] {false, true}) {
      List<String> with = output(job(dir.resolve("with" + oldApi), oldApi));
      List<String> without = output(job(dir.resolve("without" + oldApi), oldApi).withoutAgent());
      assertEquals(without, with);
      assertEquals(Brute.of(1, LINES).keys(0), with.size());
    }
  }

  private static ForkedJob job(Path dir, boolean oldApi) throws IOException {
    ForkedJob job = new ForkedJob(dir).input(LINES);
    if (oldApi) {
      OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
      job.conf.setCombinerClass(OldApiJobs.Sum.class);
    } else {
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
      NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    }
    return job;
  }

  private static List<String> output(ForkedJob job) throws Exception {
    for (ForkedJob.Attempt each : job.run()) {
      assertEquals(0, each.exit, each.toString());
    }
    try (java.util.stream.Stream<Path> files = Files.walk(job.output())) {
      Path part =
          files.filter(f -> f.getFileName().toString().startsWith("part-")).findFirst().get();
      return Files.readAllLines(part);
    }
  }

  @Test
  void manyThreadsInOneMapper(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES);
    NewApiJobs.use(job.conf, MultithreadedMapper.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MultithreadedMapper.MAP_CLASS,
        NewApiJobs.Words.class,
        org.apache.hadoop.mapreduce.Mapper.class);
    job.conf.setInt(MultithreadedMapper.NUM_THREADS, 4);
    List<ForkedJob.Attempt> attempts = job.run();
    AbstractDataflowTest.checkNoFaults(attempts.get(0));
    assertEquals(300, attempts.get(0).end().get("records_in").asInt());
    assertEquals(3000, attempts.get(0).end().get("records_out").asInt());
    AbstractDataflowTest.checkCounters(attempts.get(1));
  }

  @Test
  void anErrorInOneOfManyThreadsIsToldWithItsThread(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a", "fail", "b");
    NewApiJobs.use(job.conf, MultithreadedMapper.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MultithreadedMapper.MAP_CLASS,
        NewApiJobs.Words.class,
        org.apache.hadoop.mapreduce.Mapper.class);
    job.conf.setInt(MultithreadedMapper.NUM_THREADS, 2);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(1, map.exit);
    // The thread that fails closes the input; the other one may find it closed, and fails by that.
    List<JsonNode> asked =
        map.events("failure").stream()
            .filter(e -> e.toString().contains("as asked"))
            .collect(Collectors.toList());
    assertEquals(1, asked.size(), "once is enough");
    assertTrue(asked.get(0).get("thread").asText().startsWith("Thread-"));
    assertTrue(asked.get(0).get("stack").toString().contains("NewApiJobs$Words.map"));
  }

  @Test
  void aRecordLargerThanTheBufferIsASpillOfItsOwn(@TempDir Path dir) throws Exception {
    char[] word = new char[1_500_000];
    Arrays.fill(word, 'x');
    ForkedJob job = new ForkedJob(dir).input("a b", new String(word), "c");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    List<ForkedJob.Attempt> attempts = job.run();
    ForkedJob.Attempt map = attempts.get(0);
    AbstractDataflowTest.checkNoFaults(map);
    JsonNode spill = map.last("spill", "reason", "record", "edge", "end");
    assertEquals(1, spill.get("records_in").asInt());
    assertEquals(1, spill.at("/partitions/records/0").asInt());
    assertEquals(4, map.event("map_output").at("/partitions/records/0").asInt());
    assertEquals(4, map.event("map_output").at("/partitions/keys/0").asInt());
    // A length of three bytes before the letters, then an IntWritable.
    assertEquals(
        word.length + 4 + 4, attempts.get(1).last("records").at("/largest/0/bytes").asInt());
  }

  @Test
  void valuesReadTwiceAreCountedOnce(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b a", "b a");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, Twice.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    AbstractDataflowTest.checkCounters(reduce);
    JsonNode groups = reduce.last("groups", "scope", "reduce");
    assertEquals(2, groups.get("count").asInt());
    assertEquals(5, groups.at("/records/sum").asInt());
  }

  /** Goes over the values, marks the first, resets and goes over them again. */
  public static class Twice extends NewApiJobs.Sum {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      MarkableIterator<IntWritable> again = new MarkableIterator<>(values.iterator());
      int sum = 0;
      again.mark();
      while (again.hasNext()) {
        sum += again.next().get();
      }
      again.reset();
      while (again.hasNext()) {
        sum += again.next().get();
      }
      context.write(key, new IntWritable(sum));
    }
  }

  @Test
  void manySmallFilesInOneSplit(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b").input("c").input("d");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        CombineTextInputFormat.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    ForkedJob.Attempt map = job.submit().map(0);
    AbstractDataflowTest.checkNoFaults(map);
    JsonNode split = map.event("split");
    assertEquals(3, split.get("paths").size());
    assertEquals(8, split.get("length").asInt());
    assertEquals(3, map.end().get("records_in").asInt());
    assertEquals(Collections.emptyList(), map.events("open"));
  }

  private static final int LINE = 50;

  /** Lines of {@link #LINE} bytes with their ends; the job fails at one of them. */
  private static String[] lines(int count, int failing) {
    char[] letters = new char[LINE - 1];
    Arrays.fill(letters, 'x');
    String[] lines = new String[count];
    Arrays.fill(lines, new String(letters));
    if (failing >= 0) {
      lines[failing] = "fail " + lines[failing].substring(5);
    }
    return lines;
  }

  /** The share of the split at the failure: it is sampled every 256 records, and read ahead. */
  private static void assertProgress(ForkedJob.Attempt map, long bytes, long length) {
    assertEquals(1, map.exit);
    long told = map.event("failure").at("/at/progress_ppm").asLong() * length / 1_000_000;
    assertTrue(told > bytes - 257 * LINE && told < bytes + 2 * 4096, told + " of " + bytes);
  }

  @Test
  void ofCombinedFilesThePositionInTheOneThatIsReadCounts(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(lines(2000, -1)).input(lines(3000, 1500));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setInt("io.file.buffer.size", 4096);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        CombineTextInputFormat.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    ForkedJob.Attempt map = job.submit().map(0);
    long first = map.event("split").get("path").asText().endsWith("in-0.txt") ? 2000 : 0;
    assertProgress(map, (first + 1500L) * LINE, 5000L * LINE);
  }

  @Test
  void aReaderThatDoesNotSayHowFarItIsIsKnownByItsFile(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(lines(3000, 2000));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setInt("io.file.buffer.size", 4096);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        MuteLines.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    assertProgress(job.submit().map(0), 2000L * LINE, 3000L * LINE);
  }

  @Test
  void whereTheMapperReadsItsOwnFileNothingIsSaidOfIt(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(lines(3000, 2000));
    NewApiJobs.use(job.conf, ReadsItsInput.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        MuteLines.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(1, map.exit);
    assertEquals(0, map.event("failure").at("/at/progress_ppm").asLong());
  }

  /** Lines of text, by a reader that always says that it is at the beginning. */
  public static class MuteLines extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        @Override
        public float getProgress() {
          return 0;
        }
      };
    }
  }

  /** Looks into the file of its split, near its end. */
  public static class ReadsItsInput extends NewApiJobs.Words {
    private FSDataInputStream own;

    @Override
    protected void setup(Context context) throws IOException {
      org.apache.hadoop.fs.Path path =
          ((org.apache.hadoop.mapreduce.lib.input.FileSplit) context.getInputSplit()).getPath();
      FileSystem files = path.getFileSystem(context.getConfiguration());
      own = files.open(path);
      own.seek(2900 * LINE);
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      own.close();
    }
  }

  @Test
  void aReaderIsAskedByTheMapperAlone(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "c");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        OnceFormat.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    List<ForkedJob.Attempt> attempts = job.run();
    ForkedJob.Attempt map = attempts.get(0);
    assertEquals(0, map.exit, map.toString());
    AbstractDataflowTest.checkNoFaults(map);
    assertEquals(2, map.end().get("records_in").asInt());
    // two offsets of 8 bytes, "a b" and "c"
    assertEquals(20, map.end().get("bytes_in").asInt());
    assertEquals(9, map.end().get("record_bytes").asInt());
    assertEquals(3, map.counter("MAP_OUTPUT_RECORDS"));
    assertEquals(3, attempts.get(1).counter("REDUCE_OUTPUT_RECORDS"));
  }

  /** A small job with an input format of its own. */
  private static List<ForkedJob.Attempt> readBy(Class<?> format, Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "c", "a");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR, format, org.apache.hadoop.mapreduce.InputFormat.class);
    return job.run();
  }

  @Test
  void aHookThatThrowsCostsALineAndNotTheJob(@TempDir Path dir) throws Exception {
    List<ForkedJob.Attempt> attempts = readBy(TouchyFormat.class, dir);
    ForkedJob.Attempt map = attempts.get(0);
    assertEquals(0, map.exit, map.toString());
    assertTrue(map.stderr().contains("the task goes on"), map.stderr());
    JsonNode fault = map.events("fault").get(0);
    assertEquals("hook", fault.get("where").asText());
    assertEquals(
        "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.<init>",
        fault.get("what").asText());
    assertTrue(fault.get("row").asText().startsWith(fault.get("what").asText()));
    assertEquals("java.lang.UnsupportedOperationException", fault.get("class").asText());
    assertEquals(3, map.counter("MAP_INPUT_RECORDS"));
    assertEquals(3, attempts.get(1).counter("REDUCE_OUTPUT_RECORDS"));
  }

  /** Gives each key, each value and each share of progress away once, as a new object. */
  public static class OnceFormat extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        private boolean keyGiven;
        private boolean valueGiven;
        private boolean progressGiven;

        @Override
        public boolean nextKeyValue() throws IOException {
          keyGiven = false;
          valueGiven = false;
          progressGiven = false;
          return super.nextKeyValue();
        }

        @Override
        public LongWritable getCurrentKey() {
          LongWritable key = keyGiven ? null : new LongWritable(super.getCurrentKey().get());
          keyGiven = true;
          return key;
        }

        @Override
        public Text getCurrentValue() {
          Text value = valueGiven ? null : new Text(super.getCurrentValue());
          valueGiven = true;
          return value;
        }

        @Override
        public float getProgress() throws IOException {
          if (progressGiven) {
            throw new IllegalStateException("asked twice for one record");
          }
          progressGiven = true;
          return super.getProgress();
        }
      };
    }
  }

  /** Splits that cannot bear being asked for their file by anybody but the job. */
  public static class TouchyFormat extends TextInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException {
      return super.getSplits(context).stream()
          .map(split -> new TouchySplit((FileSplit) split))
          .collect(Collectors.toList());
    }
  }

  /** A part of a file. */
  public static class TouchySplit extends FileSplit {
    public TouchySplit() {}

    TouchySplit(FileSplit split) {
      super(split.getPath(), split.getStart(), split.getLength(), new String[0]);
    }

    @Override
    public org.apache.hadoop.fs.Path getPath() {
      if (isAskedByTheAgent()) {
        throw new UnsupportedOperationException("not by you");
      }
      return super.getPath();
    }
  }

  private static boolean isAskedByTheAgent() {
    return Arrays.stream(new Throwable().getStackTrace())
        .anyMatch(frame -> frame.getClassName().startsWith("org.mprof.hadoop."));
  }

  @Test
  void splitsAndTextsOfTheUsersOwnAreNotAsked(@TempDir Path dir) throws Exception {
    List<ForkedJob.Attempt> attempts = readBy(OwnFormat.class, dir);
    ForkedJob.Attempt map = attempts.get(0);
    AbstractDataflowTest.checkNoFaults(map);
    assertEquals(OwnSplit.class.getName(), map.event("split").get("class").asText());
    assertTrue(map.event("split").path("length").isMissingNode(), map.toString());
    assertEquals(3, map.end().get("records_in").asInt());
    assertTrue(map.end().path("record_bytes").isMissingNode(), map.toString());
    assertEquals(3, attempts.get(1).counter("REDUCE_OUTPUT_RECORDS"));
  }

  /** Gives splits and values of classes of its own. */
  public static class OwnFormat extends TextInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext context) throws IOException {
      return super.getSplits(context).stream()
          .map(split -> new OwnSplit((FileSplit) split))
          .collect(Collectors.toList());
    }

    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        @Override
        public void initialize(InputSplit own, TaskAttemptContext task) throws IOException {
          super.initialize(((OwnSplit) own).part, task);
        }

        @Override
        public Text getCurrentValue() {
          return new OwnText(super.getCurrentValue());
        }
      };
    }
  }

  /** Somebody's split. */
  public static class OwnSplit extends InputSplit implements Writable {
    private final FileSplit part;

    public OwnSplit() {
      this(new FileSplit());
    }

    OwnSplit(FileSplit part) {
      this.part = part;
    }

    @Override
    public long getLength() throws IOException {
      if (isAskedByTheAgent()) {
        throw new AssertionError("it might ask a server");
      }
      return part.getLength();
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      part.write(out);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      part.readFields(in);
    }
  }

  /** Somebody's text. */
  public static class OwnText extends Text {
    OwnText(Text content) {
      super(content);
    }

    @Override
    public int getLength() {
      if (isAskedByTheAgent()) {
        throw new AssertionError("not by you");
      }
      return super.getLength();
    }
  }

  @Test
  void aTaskOutlivesAJobThatItsCodeRunsBesideIt(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a");
    NewApiJobs.use(job.conf, Launcher.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(0, map.exit, map.toString());
    assertEquals("java.lang.AssertionError", map.event("failure").get("class").asText());
    assertEquals("done", map.event("end").get("outcome").asText());
  }

  @Test
  void aTaskThatFailsAfterAJobOfItsOwnHasNotEndedWell(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a fail");
    NewApiJobs.use(job.conf, Launcher.class, NewApiJobs.Sum.class);
    job.conf.setBoolean(Launcher.SUCCEEDS, true);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals("failed", map.event("end").get("outcome").asText(), map.toString());
    assertEquals(1, map.phases().stream().filter("init"::equals).count());
  }

  /** Runs a job of its own, in the same JVM, and lives with its failure. */
  public static class Launcher extends NewApiJobs.Words {
    static final String SUCCEEDS = "mprof.test.succeeds";

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      JobConf conf = new JobConf(context.getConfiguration());
      boolean succeeds = conf.getBoolean(SUCCEEDS, false);
      Class<?> mapper = succeeds ? Ignoring.class : Asserting.class;
      NewApiJobs.use(conf, mapper, NewApiJobs.Sum.class);
      conf.setNumReduceTasks(0);
      conf.setClass(
          MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
          NullOutputFormat.class,
          org.apache.hadoop.mapreduce.OutputFormat.class);
      try {
        if (Job.getInstance(conf).waitForCompletion(false) != succeeds) {
          throw new IllegalStateException("it should have ended otherwise");
        }
      } catch (ClassNotFoundException e) {
        throw new IOException(e);
      }
      if (Restarted.isCertainToFail()) {
        throw new IllegalStateException("in half a minute the agent would end this JVM");
      }
    }
  }

  /** Takes its records and gives nothing. */
  public static class Ignoring extends NewApiJobs.Words {
    @Override
    protected void map(LongWritable key, Text value, Context context) {}
  }

  /** Fails of an Error. */
  public static class Asserting extends NewApiJobs.Words {
    @Override
    protected void map(LongWritable key, Text value, Context context) {
      throw new AssertionError("of a small job");
    }
  }

  @Test
  void filesThatTheUsersCodeOpens(@TempDir Path dir) throws Exception {
    Path model = dir.resolve("model.bin");
    Files.write(model, new byte[12345]);
    ForkedJob job = new ForkedJob(dir.resolve("job")).input("a", "b");
    NewApiJobs.use(job.conf, Opening.class, NewApiJobs.Sum.class);
    job.conf.set("test.model", model.toString());
    List<ForkedJob.Attempt> attempts = job.run();
    JsonNode open = attempts.get(0).event("open");
    assertTrue(open.get("path").asText().endsWith(model.toString()));
    assertEquals(12345, open.get("length").asInt());
    assertEquals("setup", open.at("/at/phase").asText());
    assertEquals(Collections.emptyList(), attempts.get(1).events("open"));
  }

  /** Reads a file in set-up, twice. */
  public static class Opening extends NewApiJobs.Words {
    @Override
    protected void setup(Context context) throws IOException {
      for (int i = 0; i < 2; i++) {
        FileSystem.getLocal(context.getConfiguration())
            .open(new org.apache.hadoop.fs.Path(context.getConfiguration().get("test.model")))
            .close();
      }
    }
  }

  @Test
  void eventsAreCopiedToAFolderOnAnotherFileSystem(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir.resolve("job"))
            .input("a", "b")
            .agentSettings("capture=elsewhere:" + dir.resolve("capture"));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setClass("fs.elsewhere.impl", Elsewhere.class, FileSystem.class);
    ForkedJob.Attempt map = job.submit().map(0);
    AbstractDataflowTest.checkNoFaults(map);
    assertEquals(Collections.emptyList(), map.events("copy"), map.toString());
    Path copied = dir.resolve("capture").resolve(map.id).resolve("events.jsonl");
    assertEquals(Files.readAllLines(map.dir.resolve("events.jsonl")), Files.readAllLines(copied));
    assertTrue(Files.exists(copied.resolveSibling("position.bin")));
  }

  /** Local files under another scheme, with HDFS's rule that a rename does not replace. */
  public static class Elsewhere extends org.apache.hadoop.fs.RawLocalFileSystem {
    @Override
    public java.net.URI getUri() {
      return java.net.URI.create("elsewhere:///");
    }

    @Override
    public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to)
        throws IOException {
      return !exists(to) && super.rename(from, to);
    }
  }

  @Test
  void probesAtRecordsAndGroups(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input("a b", "b", "c b d")
            .plan("m_000000.mode=profile")
            .plan("m_000000.before_record=1,3")
            .plan("m_000000.in_combine=0/0/2:2")
            .plan("m_000000.probe=histogram")
            .plan("r_000000.mode=profile")
            .plan("r_000000.before_group=2,4")
            .plan("r_000000.in_group=2:1,3")
            .plan("r_000000.probe=histogram");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, Keep.class);
    List<ForkedJob.Attempt> attempts = job.run();
    assertEquals(
        Arrays.asList("map 1 0", "map 3 0", "flush 3 3"),
        attempts.get(0).events("histogram").stream()
            .map(
                e ->
                    e.at("/at/phase").asText()
                        + " "
                        + e.at("/at/records_in").asInt()
                        + " "
                        + e.at("/at/combine_records_in").asInt())
            .collect(Collectors.toList()));
    assertEquals(
        Arrays.asList("2 0", "2 1", "2 3", "4 0"),
        attempts.get(1).events("histogram").stream()
            .map(e -> e.at("/at/group").asInt() + " " + e.at("/at/record_in_group").asInt())
            .collect(Collectors.toList()));
  }

  /** A combiner that combines nothing. */
  public static class Keep extends NewApiJobs.Sum {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      for (Iterator<IntWritable> i = values.iterator(); i.hasNext(); ) {
        context.write(key, i.next());
      }
    }
  }

  @Test
  void aTaskKilledInTheMiddleLeavesItsPosition(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "c kill", "d");
    NewApiJobs.use(job.conf, Killed.class, NewApiJobs.Sum.class);
    Path file = job.folderOf("m", 0).resolve("position.bin");
    job.conf.set("test.position", file.toString());
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(128 + 9, map.exit);
    assertEquals(Collections.emptyList(), map.events("end"));
    ByteBuffer position = positionIn(file);
    assertEquals("MPROFPOS", new String(position.array(), 0, 8, StandardCharsets.US_ASCII));
    assertEquals(3, position.getLong(64), "phase map");
    assertEquals(2, position.getLong(64 + 8 * 2), "records_in");
    assertEquals(8 + 6, position.getLong(64 + 8 * 4), "record_bytes");
    assertEquals(3, position.getLong(64 + 8 * 5), "records_out");
    assertEquals(3 * Brute.recordBytes("a"), position.getLong(64 + 8 * 6), "bytes_out");
  }

  private static ByteBuffer positionIn(Path file) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Kills its JVM at the word "kill", once what it has written by then is in the position. */
  public static class Killed extends NewApiJobs.Words {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      for (String word : value.toString().split(" ")) {
        if (word.equals("kill")) {
          Path file = Paths.get(context.getConfiguration().get("test.position"));
          long last = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
          while (positionIn(file).getLong(64 + 8 * 5) != 3 && System.nanoTime() < last) {
            Thread.yield();
          }
          String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName();
          new ProcessBuilder("kill", "-9", pid.substring(0, pid.indexOf('@'))).start().waitFor();
          Thread.sleep(60_000);
        }
        context.write(new Text(word), new IntWritable(1));
      }
    }
  }

  @Test
  void theCombinerOfTheShuffleVerified(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES).input(LINES).input(LINES);
    OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Echo.class);
    job.conf.setCombinerClass(OldApiJobs.Sum.class);
    job.conf.setLong("mapreduce.reduce.memory.totalbytes", 3_000);
    job.conf.setFloat("mapreduce.reduce.shuffle.input.buffer.percent", 0.9f);
    job.conf.setFloat("mapreduce.reduce.shuffle.memory.limit.percent", 0.6f);
    job.conf.setFloat("mapreduce.reduce.shuffle.merge.percent", 0.61f);
    ForkedJob.Attempt watched = job.mapped().reduce(0);
    assertEquals(0, watched.exit, watched.toString());
    JsonNode largest = watched.last("groups", "scope", "combine").at("/largest_by_records/0");
    JsonNode record = watched.last("records", "scope", "combine").at("/largest/0");
    assertTrue(largest.get("records").asInt() > 1, watched.toString());
    job.plan("r_000000.mode=verify")
        .plan("r_000000.verify_place=combine")
        .plan("r_000000.verify_digest=" + record.get("digest").asText());
    Files.delete(watched.dir.resolve("events.jsonl"));
    ForkedJob.Attempt verified = job.submit().reduce(0);
    assertEquals(1, verified.exit, verified.toString());
    assertEquals(
        Arrays.asList("met", "room", "survived", "group_total"),
        verified.events("verify").stream()
            .map(e -> e.get("step").asText())
            .collect(Collectors.toList()));
    assertTrue(verified.stderr().contains("mprof verify: the record was survived"));
    assertEquals(0, verified.end().path("group").asInt(), "reduce() is given nothing");
  }
}
