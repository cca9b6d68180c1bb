package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs with settings drawn at random, against a count of their data and Hadoop's own counters.
 * {@code -Dmprof.random.jobs=N} makes more of them.
 */
abstract class AbstractRandomJobsTest {
  @Test
  void whateverTheSettingsTheCountsAreRight(@TempDir Path dir) throws Exception {
    int jobs = Integer.getInteger("mprof.random.jobs", 2);
    for (int seed = 0; seed < jobs; seed++) {
      check(dir.resolve("job" + seed), seed);
    }
  }

  private static void check(Path dir, int seed) throws Exception {
    Random random = new Random(seed);
    ForkedJob job = new ForkedJob(dir);
    int reducers = 1 + random.nextInt(3);
    Brute brute = new Brute(reducers);
    List<String[]> inputs = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String[] lines =
          Brute.lines(
              random.nextLong(),
              random.nextInt(3000),
              1 + random.nextInt(20),
              1 + random.nextInt(3000));
      // An empty file makes no split.
      inputs.add(lines.length == 0 ? new String[] {"one"} : lines);
      job.input(inputs.get(inputs.size() - 1));
      for (int r = 0; r < reducers; r++) {
        Brute.of(reducers, inputs.get(inputs.size() - 1)).groups(r).forEach(brute::add);
      }
    }
    boolean oldApi = random.nextBoolean();
    boolean combiner = random.nextBoolean();
    if (oldApi) {
      OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
      if (combiner) {
        job.conf.setCombinerClass(OldApiJobs.Sum.class);
      }
    } else {
      NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
      if (combiner) {
        NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
      }
    }
    job.conf.setNumReduceTasks(reducers);
    job.conf.setCompressMapOutput(random.nextBoolean());
    job.conf.setInt("mapreduce.map.combine.minspills", 1 + random.nextInt(4));
    job.conf.setFloat("mapreduce.map.sort.spill.percent", 0.1f + 0.8f * random.nextFloat());
    job.conf.setInt("mapreduce.task.io.sort.factor", 2 + random.nextInt(5));
    job.conf.setLong("mapreduce.reduce.memory.totalbytes", 1000 + random.nextInt(300_000));
    job.conf.setFloat(
        "mapreduce.reduce.input.buffer.percent", random.nextBoolean() ? 0 : random.nextFloat());
    job.conf.setBoolean("mapreduce.reduce.merge.memtomem.enabled", random.nextInt(3) == 0);
    // With two segments stock Hadoop fails: the checksum does not fit into what is reserved.
    job.conf.setInt("mapreduce.reduce.merge.memtomem.threshold", 3);
    String what = "seed " + seed + " old " + oldApi + " combiner " + combiner + "\n";
    for (ForkedJob.Attempt each : job.run()) {
      AbstractDataflowTest.checkNoFaults(each);
      assertEquals(0, each.exit, what + each);
      if (each.id.contains("_m_")) {
        checkMap(each, inputs, what);
      } else {
        checkReduce(each, brute, combiner, what);
      }
    }
  }

  private static void checkMap(ForkedJob.Attempt map, List<String[]> inputs, String what) {
    JsonNode end = map.end();
    assertEquals(map.counter("MAP_INPUT_RECORDS"), end.get("records_in").asLong(), what);
    assertEquals(map.counter("MAP_OUTPUT_RECORDS"), end.get("records_out").asLong(), what);
    assertEquals(map.counter("MAP_OUTPUT_BYTES"), end.get("bytes_out").asLong(), what);
    JsonNode output = map.event("map_output");
    // Records that passed a writer: once a spill, once more in a merge of several.
    long spilled = sum(output, "/partitions/records");
    long combineIn = 0;
    int spills = output.get("spills").asInt();
    if (spills > 1) {
      combineIn += sum(output, "/partitions/combine_in");
      for (JsonNode spill : map.events("spill")) {
        spilled += sum(spill, "/partitions/records");
      }
    }
    for (JsonNode spill : map.events("spill")) {
      combineIn += sum(spill, "/partitions/combine_in");
    }
    assertEquals(map.counter("COMBINE_INPUT_RECORDS"), combineIn, what + map);
    // Merges of more spills than the sort factor write intermediate files, which are counted too.
    assertTrue(spilled <= map.counter("SPILLED_RECORDS"), what + map);
    assertTrue(inputs.stream().anyMatch(lines -> lines.length == end.get("records_in").asLong()));
    long materialized = sum(output, "/partitions/compressed_bytes");
    assertEquals(map.counter("MAP_OUTPUT_MATERIALIZED_BYTES"), materialized, what);
  }

  private static void checkReduce(
      ForkedJob.Attempt reduce, Brute brute, boolean combiner, String what) {
    AbstractDataflowTest.checkCounters(reduce);
    int partition = reduce.end().get("partition").asInt();
    assertEquals(brute.keys(partition), reduce.end().path("group").asLong(), what);
    if (!combiner) {
      assertEquals(brute.records(partition), reduce.end().get("records_in").asLong(), what);
      assertEquals(brute.bytes(partition), reduce.end().get("bytes_in").asLong(), what);
    }
    JsonNode total = reduce.end().get("reduce_total");
    if (total != null) {
      assertEquals(reduce.counter("REDUCE_INPUT_RECORDS"), total.asLong(), what + reduce);
    }
    long combineIn = 0;
    for (JsonNode merge : reduce.events("shuffle_merge")) {
      if (merge.path("combined").asBoolean()) {
        combineIn += merge.get("records_in").asLong();
      }
    }
    assertEquals(reduce.counter("COMBINE_INPUT_RECORDS"), combineIn, what + reduce);
    assertEquals(0, reduce.end().get("shuffle_in_flight").asLong(), what);
    assertEquals(0, reduce.end().get("shuffle_merging").asLong(), what);
    long raw =
        reduce.events("fetch").stream()
            .filter(e -> e.get("edge").asText().equals("done"))
            .mapToLong(e -> e.get("raw_bytes").asLong())
            .sum();
    assertEquals(raw, reduce.end().get("fetched_bytes").asLong(), what);
    assertEquals(
        Arrays.asList(
            "init", "shuffle", "sort", "reduce_setup", "reduce", "cleanup", "commit", "end"),
        reduce.phases());
  }

  private static long sum(JsonNode event, String list) {
    long sum = 0;
    for (JsonNode each : event.at(list)) {
      sum += each.asLong();
    }
    return sum;
  }
}
