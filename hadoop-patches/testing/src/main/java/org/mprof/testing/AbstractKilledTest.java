package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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

/**
 * A task whose JVM is killed, by SIGKILL and at any point, leaves its position to the record and
 * every event before the last. The mapper counts what it was given into a mapped file of its own.
 * {@code -Dmprof.kills=N -Dmprof.faults.seed=S} kills others, and more of them.
 */
abstract class AbstractKilledTest {
  private static final int KILLS = Integer.getInteger("mprof.kills", 2);
  private static final long SEED = Long.getLong("mprof.faults.seed", 1);
  private static final int MOST_RECORDS = 100_000;
  private static final int RECORDS_IN = 64 + 8 * 2;

  @Test
  void aKilledTaskLosesNoMoreThanTheRecordInFlight(@TempDir Path dir) throws Exception {
    Random random = new Random(SEED);
    ForkedJob job = new ForkedJob(dir).input("a few words of text", "and some more of them");
    NewApiJobs.use(job.conf, Counting.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    job.conf.setClass("mapreduce.job.inputformat.class", Endless.class, InputFormat.class);
    job.conf.set("test.counted", dir.resolve("counted").toString());
    job.submit();
    long[] lost = new long[2];
    for (int i = 0; i < KILLS; i++) {
      lost[kill(job, dir.resolve("counted"), random)]++;
    }
    System.out.printf(
        "%d kills with seed %d: position of the record that map() was in %d times, of the next one"
            + " %d times%n",
        KILLS, SEED, lost[0], lost[1]);
  }

  /** By how many records the position was ahead of the mapper. */
  private static int kill(ForkedJob job, Path counted, Random random) throws Exception {
    Path attempt = job.folderOf("m", 0);
    Files.deleteIfExists(attempt.resolve("events.jsonl"));
    Files.write(counted, new byte[8]);
    MappedByteBuffer count = mapped(counted);
    long after = 1 + random.nextInt(MOST_RECORDS);
    Process process = job.begin("m", 0);
    long last = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (count.getLong(0) < after && process.isAlive() && System.nanoTime() < last) {
      Thread.yield();
    }
    process.destroyForcibly();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(128 + 9, process.exitValue(), "by SIGKILL, after " + after);
    long given = count.getLong(0);
    ByteBuffer position =
        ByteBuffer.wrap(Files.readAllBytes(attempt.resolve("position.bin")))
            .order(ByteOrder.LITTLE_ENDIAN);
    long ahead = position.getLong(RECORDS_IN) - given;
    assertTrue(ahead == 0 || ahead == 1, "position " + ahead + " records ahead of " + given);
    checkEvents(attempt.resolve("events.jsonl"));
    return (int) ahead;
  }

  /** All lines but the last are whole, and none is missing. */
  private static void checkEvents(Path log) throws IOException {
    String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    String[] lines = text.substring(0, text.lastIndexOf('\n') + 1).split("\n");
    assertTrue(lines.length > 5, text);
    for (int i = 0; i < lines.length; i++) {
      assertEquals(i + 1, new ObjectMapper().readTree(lines[i]).get("n").asInt(), lines[i]);
    }
  }

  private static MappedByteBuffer mapped(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 8);
    }
  }

  /** Counts its records where the count outlives it. */
  public static class Counting extends NewApiJobs.Words {
    private MappedByteBuffer count;

    @Override
    protected void setup(Context context) throws IOException {
      count = mapped(Paths.get(context.getConfiguration().get("test.counted")));
    }

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      count.putLong(0, count.getLong(0) + 1);
      super.map(key, value, context);
    }
  }

  /** The lines of the input over and over. */
  public static class Endless extends TextInputFormat {
    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new LineRecordReader() {
        private final Text[] lines = new Text[2];
        private long records;

        @Override
        public boolean nextKeyValue() throws IOException {
          if (records < lines.length && super.nextKeyValue()) {
            lines[(int) records] = new Text(super.getCurrentValue());
          }
          records++;
          return true;
        }

        @Override
        public Text getCurrentValue() {
          return lines[(int) (records - 1) % lines.length];
        }
      };
    }
  }
}
