package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mprof.agent.CaptureCopier;
import org.mprof.agent.Copying;

/** Where a task stood when it failed. */
abstract class AbstractFailureTest {
  private static final String HEAP = "java.lang.OutOfMemoryError";

  @Test
  void inMap(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "c d e", "f boom", "g").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    JsonNode failure = check(map, "map", HEAP);
    assertEquals("map", failure.at("/at/phase").asText());
    assertEquals(3, failure.at("/at/records_in").asInt());
    assertEquals(6, failure.at("/at/records_out").asInt());
    assertEquals(3, failure.at("/record/ordinal").asInt());
    assertEquals(8 + "f boom".length(), failure.at("/record/bytes").asInt());
    assertTrue(failure.get("stack").toString().contains("NewApiJobs$Words.map"));
    // What the framework does with the buffer after the error is no part of the story.
    assertEquals(Collections.emptyList(), map.events("spill"));
    assertEquals("map", map.phases().get(map.phases().size() - 1));
    JsonNode records = map.last("records", "scope", "map");
    assertEquals(2, records.get("count").asInt());
    assertEquals(3, records.at("/current/record").asInt());
  }

  @Test
  void inMapOfTheOldApi(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "boom", "g").heap("-Xmx64m");
    OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    JsonNode failure = check(map, "map", HEAP);
    assertEquals(2, failure.at("/record/ordinal").asInt());
    assertEquals(8 + "boom".length(), failure.at("/at/record_bytes").asInt());
  }

  @Test
  void whileARecordIsRead(@TempDir Path dir) throws Exception {
    char[] line = new char[30_000_000];
    java.util.Arrays.fill(line, 'x');
    ForkedJob job = new ForkedJob(dir).input("a b", "c", new String(line)).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    JsonNode failure = check(job.submit().map(0), "map", HEAP);
    assertTrue(failure.get("stack").toString().contains("LineRecordReader"));
    assertEquals(2, failure.at("/at/records_in").asInt());
    assertEquals(3, failure.at("/record/ordinal").asInt());
    assertFalse(failure.get("record").has("bytes"));
  }

  @Test
  void anExceptionIsAFailureToo(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "fail");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    JsonNode failure = check(job.submit().map(0), "map", "java.lang.IllegalStateException");
    assertEquals("as asked", failure.get("message").asText());
  }

  @Test
  void anErrorThatTheUsersCodeLivesWithIsToldButTheTaskIsDone(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b", "fail", "c");
    NewApiJobs.use(job.conf, Forgiving.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(0, map.exit, map.toString());
    assertEquals(1, map.events("failure").size());
    assertEquals("done", map.event("end").get("outcome").asText());
    assertEquals(2, map.event("map_output").at("/partitions/records/0").asInt());
  }

  /** Takes an error for the end of the input. */
  public static class Forgiving extends NewApiJobs.Words {
    @Override
    public void run(Context context) throws java.io.IOException, InterruptedException {
      try {
        super.run(context);
      } catch (IllegalStateException e) {
        // As somebody's code does.
      }
    }
  }

  @Test
  void nothingIsCommittedBesideAThreadThatHaltsTheJvm(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a").agentSettings("capture=slow:/capture");
    NewApiJobs.use(job.conf, LosesAThread.class, NewApiJobs.Sum.class);
    job.conf.setNumReduceTasks(0);
    ForkedJob.Attempt map = job.submit().map(0);
    assertNotEquals(0, map.exit, map.toString());
    assertEquals(HEAP, map.event("failure").get("class").asText());
    try (java.util.stream.Stream<Path> files = Files.list(job.output())) {
      assertEquals(
          Collections.singletonList("_temporary"),
          files.map(f -> f.getFileName().toString()).collect(Collectors.toList()));
    }
  }

  /** Goes on without a thread of its own, which ran out of memory. */
  public static class LosesAThread extends NewApiJobs.Words {
    @Override
    protected void setup(Context context) {
      CountDownLatch copying = new CountDownLatch(1);
      Copying.use(new Slow(copying));
      Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
      new Thread(
              () -> {
                throw new OutOfMemoryError("Java heap space");
              })
          .start();
      boolean done = false;
      while (!done) {
        try {
          copying.await();
          done = true;
        } catch (InterruptedException e) {
          // Nobody interrupts it.
        }
      }
    }
  }

  /** Takes longer than a task for the rest of its work. */
  static final class Slow implements CaptureCopier {
    private final CountDownLatch began;

    Slow(CountDownLatch began) {
      this.began = began;
    }

    @Override
    public boolean accepts(URI folder) {
      return "slow".equals(folder.getScheme());
    }

    @Override
    public void copy(File file, URI folder, String name) {
      boolean isLast = Thread.currentThread().getName().equals("mprof last copy");
      if (isLast && name.equals("events.jsonl")) {
        began.countDown();
        LockSupport.parkNanos(3_000_000_000L);
      }
    }

    @Override
    public void makePrivate(URI folder) {}

    @Override
    public boolean claim(URI folder, String name) {
      return true;
    }

    @Override
    public long[] usedAndUsable(URI folder) {
      return new long[] {0, Long.MAX_VALUE / 2};
    }
  }

  @Test
  void inSetupAndInCleanup(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("setup")).input("a b").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.NoSetup.class, NewApiJobs.Sum.class);
    JsonNode failure = check(job.submit().map(0), "setup", HEAP);
    assertEquals(0, failure.at("/at/records_in").asInt());
    assertFalse(failure.has("record"));
    ForkedJob other = new ForkedJob(dir.resolve("cleanup")).input("a b").heap("-Xmx64m");
    NewApiJobs.use(other.conf, NewApiJobs.NoCleanup.class, NewApiJobs.Sum.class);
    check(other.submit().map(0), "cleanup", HEAP);
  }

  @Test
  void theBufferThatDoesNotFit(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a b").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setInt("mapreduce.task.io.sort.mb", 100);
    ForkedJob.Attempt map = job.submit().map(0);
    check(map, "init", HEAP);
    assertEquals(100 << 20, map.event("map_buffer").get("bytes").asInt());
    assertEquals("request", map.event("map_buffer").get("edge").asText());
    assertEquals(0, map.end().get("map_buffer_ready").asInt());
  }

  @Test
  void inReduce(@TempDir Path dir) throws Exception {
    String[] lines = {"apple bang apple", "bang bang", "bang zoo bang"};
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(lines).heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    checkReduce(check(job.mapped().reduce(0), "reduce", HEAP));
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(lines).heap("-Xmx64m");
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    checkReduce(check(old.mapped().reduce(0), "reduce", HEAP));
  }

  private static void checkReduce(JsonNode failure) {
    assertEquals(2, failure.at("/at/group").asInt());
    assertEquals(3, failure.at("/at/record_in_group").asInt());
    assertEquals(5, failure.at("/at/records_in").asInt());
    assertEquals(5, failure.at("/record/ordinal").asInt());
    assertEquals(Brute.recordBytes("bang"), failure.at("/record/bytes").asLong());
    assertEquals(3 * Brute.recordBytes("bang"), failure.at("/at/group_bytes").asLong());
    assertEquals(16, failure.at("/record/digest").asText().length());
    assertEquals(failure.at("/record/digest"), failure.at("/at/record_digest"));
    assertEquals(1, failure.at("/at/records_out").asInt());
  }

  @Test
  void inCombineOfASpill(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir.resolve("new"))
            .input("apple bang apple", "bang bang", "bang zoo bang")
            .heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    checkCombine(check(job.submit().map(0), "combine", HEAP));
    ForkedJob old =
        new ForkedJob(dir.resolve("old"))
            .input("apple bang apple", "bang bang", "bang zoo bang")
            .heap("-Xmx64m");
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    old.conf.setCombinerClass(OldApiJobs.Sum.class);
    checkCombine(check(old.submit().map(0), "combine", HEAP));
  }

  private static void checkCombine(JsonNode failure) {
    JsonNode at = failure.get("at");
    assertEquals(1, at.get("combine_place").asInt());
    assertEquals(1, at.get("combine_call").asInt());
    assertEquals(0, at.get("combine_partition").asInt());
    assertEquals(5, at.get("combine_records_in").asInt());
    assertEquals(8, at.get("combine_total").asInt());
    assertEquals(2, at.get("combine_group").asInt());
    assertEquals(3, at.get("combine_record_in_group").asInt());
    assertEquals(3 * Brute.recordBytes("bang"), at.get("combine_group_bytes").asLong());
    assertEquals(1, at.get("combine_records_out").asInt());
    assertEquals(5, failure.at("/record/ordinal").asInt());
    assertEquals(Brute.recordDigest("bang", 1), at.get("combine_record_digest").asText());
    assertEquals(at.get("combine_record_digest"), failure.at("/record/digest"));
  }

  @Test
  void aSegmentThatDoesNotFit(@TempDir Path dir) throws Exception {
    String[] lines = Brute.lines(5, 60000, 30, 100000);
    ForkedJob job = new ForkedJob(dir).input(lines);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    // The shuffle believes in a heap of 1 GB.
    job.conf.setLong("mapreduce.reduce.memory.totalbytes", 1 << 30);
    long raw = Brute.of(1, lines).rawBytes(0);
    assertTrue(raw > 20_000_000, "too small: " + raw);
    job.heap("-Xmx24m");
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    JsonNode failure = check(reduce, "shuffle", HEAP);
    assertTrue(failure.get("thread").asText().startsWith("localfetcher"));
    JsonNode fetch = reduce.events("fetch").get(0);
    assertEquals("fail", fetch.get("edge").asText());
    assertEquals(raw, fetch.get("raw_bytes").asLong());
    assertEquals(raw, failure.at("/at/shuffle_used").asLong());
    assertEquals(0, failure.at("/at/shuffle_in_flight").asLong());
  }

  /** The first failure, told once, with its place; the attempt fails. */
  private static JsonNode check(ForkedJob.Attempt attempt, String place, String error) {
    AbstractDataflowTest.checkNoFaults(attempt);
    assertNotEquals(0, attempt.exit, attempt.toString());
    assertFalse(attempt.events("failure").isEmpty(), attempt.toString());
    JsonNode failure = attempt.events("failure").get(0);
    assertEquals(place, failure.get("place").asText(), attempt.toString());
    assertEquals(error, failure.get("class").asText());
    assertEquals("failed", attempt.event("end").get("outcome").asText());
    return failure;
  }
}
