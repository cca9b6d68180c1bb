package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the agent holds does not grow with the records of its task. {@code -Dmprof.soak.records=N}
 * for more of them.
 */
abstract class AbstractSoakTest {
  private static final long RECORDS = Long.getLong("mprof.soak.records", 2_000_000);
  private static final long EVENTS_BYTES = 1 << 20;

  @Test
  void aLongTaskHoldsNoMoreThanAShortOne(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir).input("one line").agentSettings("events.bytes=" + EVENTS_BYTES);
    NewApiJobs.use(job.conf, Measuring.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    job.conf.setClass("mapreduce.job.inputformat.class", Counted.class, InputFormat.class);
    job.conf.setLong("test.records", RECORDS);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(0, map.exit, map.stderr());
    assertEquals(RECORDS, map.end().get("records_in").asLong());
    List<String> said =
        Files.readAllLines(map.dir.resolve("stdout")).stream()
            .filter(line -> line.startsWith("agent "))
            .collect(Collectors.toList());
    assertEquals(2, said.size());
    Footprint early = Footprint.parse(said.get(0));
    Footprint late = Footprint.parse(said.get(1));
    long events = Files.size(map.dir.resolve("events.jsonl"));
    String what =
        RECORDS
            + " records; after a tenth: "
            + early
            + "; after all: "
            + late
            + "; events "
            + events
            + " B";
    System.out.println(what);
    assertTrue(late.agent <= early.agent + 4096, what);
    assertTrue(late.heap <= early.heap + (1 << 20), what);
    assertTrue(late.threads <= early.threads + 1, what);
    assertTrue(late.descriptors <= early.descriptors + 2, what);
    assertTrue(late.buffers <= early.buffers + 65536, what);
    assertTrue(events <= EVENTS_BYTES, what);
    assertEquals(512, Files.size(map.dir.resolve("position.bin")), what);
  }

  /** Writes a few keys, and says what its JVM holds after a tenth of its records and after all. */
  public static class Measuring extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static final int WRITTEN = 64;
    private final Text key = new Text();
    private final IntWritable one = new IntWritable(1);
    private long all;
    private long seen;

    @Override
    protected void setup(Context context) {
      all = context.getConfiguration().getLong("test.records", 0);
    }

    @Override
    protected void map(LongWritable place, Text line, Context context)
        throws IOException, InterruptedException {
      seen++;
      if (seen % WRITTEN == 0) {
        key.set(Long.toString(seen / WRITTEN % 1000));
        context.write(key, one);
      }
      if (seen == all / 10 || seen == all) {
        try {
          System.out.println(Footprint.now());
        } catch (Exception e) {
          throw new IOException(e);
        }
      }
    }
  }

  /** The same line again and again. */
  public static class Counted extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      long all = context.getConfiguration().getLong("test.records", 0);
      return new LineRecordReader() {
        private long read;

        @Override
        public boolean nextKeyValue() throws IOException {
          return read++ == 0 ? super.nextKeyValue() : read <= all;
        }
      };
    }
  }
}
