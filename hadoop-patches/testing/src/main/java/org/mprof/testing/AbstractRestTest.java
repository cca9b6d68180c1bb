package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.DataInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.Position;

/** What was left of the input when memory ran out is counted, and no user code sees it. */
abstract class AbstractRestTest {
  /** The exit code of a JVM that a key has ended. */
  private static final int ENDED = 42;

  /** Five records of "bang", of which the third is fatal; two groups before it, two after. */
  private static final String[] LINES = {
    "apple bang apple", "bang bang cat x", "ant bang zoo bang"
  };

  @Test
  void ofReduce(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    checkBang(rest(job.mapped().reduce(0), "reduce"), 2);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES).heap("-Xmx64m");
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    checkBang(rest(old.mapped().reduce(0), "reduce"), 2);
  }

  @Test
  void ofAPassOfTheCombiner(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    checkBang(rest(job.submit().map(0), "combine"), 2);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES).heap("-Xmx64m");
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    old.conf.setCombinerClass(OldApiJobs.Sum.class);
    checkBang(rest(old.submit().map(0), "combine"), 2);
  }

  /** All of "bang", and the groups beside it; so many of its records after the failure. */
  private static void checkBang(JsonNode rest, int ofBang) {
    assertEquals(5, rest.at("/group/records").asInt());
    assertEquals(5 * Brute.recordBytes("bang"), rest.at("/group/bytes").asLong());
    assertTrue(rest.at("/group/whole").asBoolean());
    assertTrue(rest.get("end").asBoolean());
    assertEquals(ofBang + 3, rest.get("records").asInt(), "cat, x and zoo come after it");
    Brute brute = Brute.of(1, LINES);
    assertEquals(brute.keys(0) - 1, rest.at("/others/records/count").asLong());
    assertEquals(brute.records(0) - 5, rest.at("/others/records/sum").asLong());
    assertEquals(
        brute.bytes(0) - 5 * Brute.recordBytes("bang"), rest.at("/others/bytes/sum").asLong());
  }

  @Test
  void ofTheVeryLastRecord(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a bang", "bang bang").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    JsonNode rest = rest(job.mapped().reduce(0), "reduce");
    assertEquals(3, rest.at("/group/records").asInt());
    assertTrue(rest.at("/group/whole").asBoolean());
    assertEquals(1, rest.at("/others/records/count").asInt());
    assertEquals(0, rest.get("records").asInt());
    assertTrue(rest.get("end").asBoolean());
  }

  @Test
  void ofTheLastRecordOfAGroup(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, FifthOfBang.class);
    checkBang(rest(job.mapped().reduce(0), "reduce"), 0);
  }

  /** Dies at the last value of "bang". */
  public static class FifthOfBang extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      int records = 0;
      for (IntWritable ignored : values) {
        if (++records == 5) {
          NewApiJobs.fill();
        }
      }
    }
  }

  @Test
  void ofAGroupThatDiesBeforeItsFirstValueIsRead(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NoValue.class);
    // The new API reads the first value before reduce() is called, the old one when it is asked.
    checkBang(rest(job.mapped().reduce(0), "reduce"), 4);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES).heap("-Xmx64m");
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldNoValue.class);
    checkBang(rest(old.mapped().reduce(0), "reduce"), 5);
  }

  /** Dies of "bang" without looking at a value. */
  public static class NoValue extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      if (key.toString().equals("bang")) {
        NewApiJobs.fill();
      }
    }
  }

  /** The same in the old API. */
  public static class OldNoValue extends org.apache.hadoop.mapred.MapReduceBase
      implements org.apache.hadoop.mapred.Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        java.util.Iterator<IntWritable> values,
        org.apache.hadoop.mapred.OutputCollector<Text, IntWritable> output,
        org.apache.hadoop.mapred.Reporter reporter) {
      if (key.toString().equals("bang")) {
        NewApiJobs.fill();
      }
    }
  }

  @Test
  void whereARecordCouldNotBeDeserialised(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a 1", "b 22", "b 4444", "b 1", "c 1").heap("-Xmx64m");
    NewApiJobs.use(job.conf, FragileLines.class, Reducer.class);
    job.conf.setMapOutputValueClass(Fragile.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    JsonNode rest = rest(reduce, "reduce");
    assertEquals(3, rest.at("/group/records").asInt());
    assertTrue(rest.at("/group/whole").asBoolean());
    assertEquals(2, rest.at("/others/records/count").asInt());
    assertTrue(rest.get("end").asBoolean());
    assertEquals("reduce", reduce.events("failure").get(0).get("place").asText());
  }

  /** A number that fills the heap when it is read and is 6. */
  public static class Fragile extends IntWritable {
    @Override
    public void readFields(DataInput in) throws IOException {
      super.readFields(in);
      if (get() == "b 4444".length()) {
        NewApiJobs.fill();
      }
    }
  }

  /** (first word, number of characters of the line). */
  public static class FragileLines extends Mapper<LongWritable, Text, Text, Fragile> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      Fragile length = new Fragile();
      length.set(value.getLength());
      context.write(new Text(value.toString().split(" ")[0]), length);
    }
  }

  @Test
  void whereAKeyCouldNotBeDeserialised(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("b:2 a:1 b:1", "c:9 b:7").heap("-Xmx64m");
    NewApiJobs.use(job.conf, FragileKeys.class, Reducer.class);
    ForkedJob.Attempt reduce = fragile(job).mapped().reduce(0);
    JsonNode rest = rest(reduce, "reduce");
    assertEquals(3, rest.at("/group/records").asInt());
    assertEquals(2, rest.at("/others/records/count").asInt());
    JsonNode failure = reduce.events("failure").get(0);
    assertEquals(2, failure.at("/at/group").asInt());
    assertEquals(2, failure.at("/at/record_in_group").asInt());
    assertEquals(3, failure.at("/record/ordinal").asInt());
    assertEquals(Brute.recordBytes("b:2"), failure.at("/record/bytes").asLong());
  }

  @Test
  void whereTheFirstKeyOfALaterGroupCouldNotBeDeserialised(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("reduce")).input("b:2 a:1 b:3 c:1").heap("-Xmx64m");
    NewApiJobs.use(job.conf, FragileKeys.class, Reducer.class);
    checkFirstOfB(rest(fragile(job).mapped().reduce(0), "reduce"));
    ForkedJob combining = new ForkedJob(dir.resolve("combine")).input("b:2 a:1 b:3 c:1");
    NewApiJobs.use(combining.heap("-Xmx64m").conf, FragileKeys.class, Reducer.class);
    NewApiJobs.combine(combining.conf, Reducer.class);
    combining.conf.setClass(
        "mapreduce.job.combiner.group.comparator.class",
        NewApiJobs.ByName.class,
        RawComparator.class);
    checkFirstOfB(rest(fragile(combining).submit().map(0), "combine"));
  }

  private static void checkFirstOfB(JsonNode rest) {
    assertEquals(2, rest.at("/group/records").asInt());
    assertTrue(rest.at("/group/whole").asBoolean());
    assertEquals(2, rest.at("/others/records/count").asInt());
    assertEquals(2, rest.at("/others/records/sum").asInt());
  }

  @Test
  void theRecordWhoseKeyIsBeingReadWhenTheProcessEndsIsKnown(@TempDir Path dir) throws Exception {
    String[] lines = {"b:1 a:1 b:9", "a:1 c:1 b:9"};
    for (int i = 0; i < lines.length; i++) {
      ForkedJob job = new ForkedJob(dir.resolve("reduce" + i)).input(lines[i]);
      NewApiJobs.use(job.conf, FragileKeys.class, Reducer.class);
      LongBuffer slots = endedAtB9(fragile(job).mapped().reduce(0));
      assertEquals(3 - i, slots.get(Position.RECORDS_IN));
      assertEquals(2, slots.get(Position.GROUP));
      assertEquals(2 - i, slots.get(Position.RECORD_IN_GROUP));
      assertEquals(Brute.recordBytes("b:9"), slots.get(Position.RECORD_BYTES));
    }
    char[] letters = new char[5000];
    Arrays.fill(letters, 'k');
    String large = "b:9" + new String(letters);
    LongBuffer ofLarge = combineEndedAtB9(dir.resolve("large"), "a:1 c:1 " + large);
    // Its length takes two bytes more than that of a short word.
    assertEquals(2 + Brute.recordBytes(large), ofLarge.get(Position.COMBINE_RECORD_BYTES));
    LongBuffer ofSmall = combineEndedAtB9(dir.resolve("small"), lines[1]);
    assertEquals(Position.UNKNOWN, ofSmall.get(Position.COMBINE_RECORD_BYTES));
  }

  private static LongBuffer combineEndedAtB9(Path dir, String line) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(line);
    NewApiJobs.use(job.conf, FragileKeys.class, Reducer.class);
    NewApiJobs.combine(job.conf, Reducer.class);
    LongBuffer slots = endedAtB9(fragile(job).submit().map(0));
    assertEquals(2, slots.get(Position.COMBINE_RECORDS_IN));
    assertEquals(2, slots.get(Position.COMBINE_GROUP));
    assertEquals(1, slots.get(Position.COMBINE_RECORD_IN_GROUP));
    return slots;
  }

  /** The position that an attempt left whose JVM the key "b:9" has ended. */
  private static LongBuffer endedAtB9(ForkedJob.Attempt attempt) throws IOException {
    assertEquals(ENDED, attempt.exit, attempt.toString());
    byte[] file = Files.readAllBytes(attempt.dir.resolve("position.bin"));
    int slotsAt = 64;
    return ByteBuffer.wrap(file, slotsAt, 8 * Position.SLOTS)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer();
  }

  /** Its keys are fragile, and "b:1" and "b:9" are of one group. */
  private static ForkedJob fragile(ForkedJob job) {
    job.conf.setMapOutputKeyClass(FragileKey.class);
    job.conf.setClass(MRJobConfig.KEY_COMPARATOR, Text.Comparator.class, RawComparator.class);
    job.conf.setClass(
        "mapreduce.job.output.group.comparator.class",
        NewApiJobs.ByName.class,
        RawComparator.class);
    return job;
  }

  /** A key that, when it is read, fills the heap if it is "b:2" and ends the JVM if "b:9...". */
  public static class FragileKey extends Text {
    @Override
    public void readFields(DataInput in) throws IOException {
      super.readFields(in);
      if (toString().equals("b:2")) {
        NewApiJobs.fill();
      } else if (toString().startsWith("b:9")) {
        Runtime.getRuntime().halt(ENDED);
      }
    }
  }

  /** (word, 1). */
  public static class FragileKeys extends Mapper<LongWritable, Text, FragileKey, IntWritable> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      for (String word : value.toString().split(" ")) {
        FragileKey fragile = new FragileKey();
        fragile.set(word);
        context.write(fragile, new IntWritable(1));
      }
    }
  }

  @Test
  void groupsAreThoseOfTheGroupingComparator(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir).input("b:3 a:1 b:1", "c:9 b:2 a:2", "b:2 b:7").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, ThirdOfB.class);
    job.conf.setClass(
        "mapreduce.job.output.group.comparator.class",
        NewApiJobs.ByName.class,
        RawComparator.class);
    job.conf.setClass(
        MRJobConfig.PARTITIONER_CLASS_ATTR, NewApiJobs.NamePartitioner.class, Partitioner.class);
    JsonNode rest = rest(job.mapped().reduce(0), "reduce");
    assertEquals(5, rest.at("/group/records").asInt());
    assertTrue(rest.at("/group/whole").asBoolean());
    assertEquals(2, rest.at("/others/records/count").asInt());
    assertEquals(3, rest.at("/others/records/sum").asInt());
  }

  /** Dies at the third value of the group whose keys begin with b. */
  public static class ThirdOfB extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      int records = 0;
      for (IntWritable ignored : values) {
        if (++records == 3 && key.toString().startsWith("b")) {
          NewApiJobs.fill();
        }
      }
    }
  }

  @Test
  void nothingIsCountedOfATaskThatMaySucceedOrDiesOfAnotherError(@TempDir Path dir)
      throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("lives")).input(LINES).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, LivesWithIt.class);
    ForkedJob.Attempt lives = job.mapped().reduce(0);
    assertEquals(0, lives.exit, lives.toString());
    assertEquals(Collections.emptyList(), lives.events("rest"));
    ForkedJob other = new ForkedJob(dir.resolve("other")).input(LINES);
    NewApiJobs.use(other.conf, NewApiJobs.Words.class, Throws.class);
    ForkedJob.Attempt throwing = other.mapped().reduce(0);
    assertNotEquals(0, throwing.exit);
    assertEquals(Collections.emptyList(), throwing.events("rest"));
  }

  /** Takes the error for the end of its input. */
  public static class LivesWithIt extends NewApiJobs.Sum {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      try {
        super.run(context);
      } catch (OutOfMemoryError e) {
        // As somebody's code does.
      }
    }
  }

  /** Throws. */
  public static class Throws extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      throw new IllegalStateException("as asked");
    }
  }

  @Test
  void nothingIsCountedWhereItIsSwitchedOff(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES).heap("-Xmx64m").agentSettings("rest.seconds=0");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(1, reduce.events("failure").size());
    assertEquals(Collections.emptyList(), reduce.events("rest"));
  }

  /** The one {@code rest} event, after the failure. */
  private static JsonNode rest(ForkedJob.Attempt attempt, String scope) {
    AbstractDataflowTest.checkNoFaults(attempt);
    assertEquals(1, attempt.events("rest").size(), attempt.toString());
    JsonNode rest = attempt.events("rest").get(0);
    assertEquals(scope, rest.get("scope").asText());
    assertTrue(rest.get("n").asInt() > attempt.events("failure").get(0).get("n").asInt());
    // What was read at the failure stays what the position says.
    assertEquals(
        attempt.events("failure").get(0).at("/at/records_in"), attempt.end().get("records_in"));
    return rest;
  }
}
