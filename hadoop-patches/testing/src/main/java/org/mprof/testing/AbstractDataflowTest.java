package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The events of whole jobs against a count of the same data by plain maps, and Hadoop's counters.
 */
abstract class AbstractDataflowTest {
  private static final String[] LEFT = Brute.lines(1, 3000, 12, 400);
  private static final String[] RIGHT = Brute.lines(2, 1500, 12, 4000);

  @Test
  void newApiWithThreeReducers(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LEFT).input(RIGHT);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setNumReduceTasks(3);
    List<ForkedJob.Attempt> attempts = job.run();
    checkMap(attempts.get(0), LEFT, 3);
    checkMap(attempts.get(1), RIGHT, 3);
    assertTrue(attempts.get(0).events("spill").size() > 2, "a merge is wanted here");
    for (int i = 0; i < 3; i++) {
      ForkedJob.Attempt reduce = attempts.get(2 + i);
      checkReduce(reduce, i, both(3));
      long raw = 0;
      for (int m = 0; m < 2; m++) {
        raw += attempts.get(m).event("map_output").at("/partitions/raw_bytes/" + i).asLong();
      }
      assertEquals(raw, reduce.end().get("fetched_bytes").asLong());
      assertEquals(2, reduce.end().get("fetched_segments").asLong());
      assertEquals(both(3).records(i), reduce.end().get("reduce_total").asLong());
      assertEquals(i, reduce.end().get("partition").asInt());
    }
  }

  @Test
  void keysOfTheWholeMapOutputAreSampledOnlyWhereTheUserAskedForKeys(@TempDir Path dir)
      throws Exception {
    // Frequent words, several spills and a merge; and words that are mostly seen once.
    ForkedJob job = sampled(dir.resolve("text"), "keys=text");
    checkSample(job.map(0), LEFT);
    checkSample(job.map(1), RIGHT);
    ForkedJob digests = sampled(dir.resolve("digest"), "keys=digest");
    assertEquals(Collections.emptyList(), digests.map(0).events("key_sample"));
  }

  private static ForkedJob sampled(Path dir, String settings) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LEFT).input(RIGHT).agentSettings(settings);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setNumReduceTasks(3);
    return job.submit();
  }

  private static void checkSample(ForkedJob.Attempt map, String[] lines) {
    checkNoFaults(map);
    Map<String, Integer> truth = Brute.of(1, lines).groups(0);
    long all = Brute.of(1, lines).records(0);
    JsonNode sample = map.event("key_sample");
    assertEquals(all, sample.get("records").asLong());
    TreeMap<String, Long> sampled = new TreeMap<>();
    for (JsonNode each : sample.get("keys")) {
      byte[] key = Base64.getDecoder().decode(each.get(0).asText());
      String word = new String(key, 1, key.length - 1, StandardCharsets.UTF_8);
      assertTrue(truth.containsKey(word), word);
      sampled.merge(word, each.get(1).asLong(), Long::sum);
    }
    for (String at : truth.keySet()) {
      long exact =
          truth.entrySet().stream()
              .filter(e -> e.getKey().compareTo(at) < 0)
              .mapToLong(Map.Entry::getValue)
              .sum();
      long told = sampled.headMap(at).values().stream().mapToLong(Long::longValue).sum();
      assertTrue(Math.abs(told - exact) <= all / 50, at + ": " + told + " " + exact);
    }
  }

  @Test
  void oldApiWithThreeReducersAndCompressedOutput(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LEFT);
    OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    job.conf.setNumReduceTasks(3);
    job.conf.setCompressMapOutput(true);
    job.conf.setMapOutputCompressorClass(DefaultCodec.class);
    List<ForkedJob.Attempt> attempts = job.run();
    checkMap(attempts.get(0), LEFT, 3);
    JsonNode partitions = attempts.get(0).event("map_output").get("partitions");
    for (int i = 0; i < 3; i++) {
      checkReduce(attempts.get(1 + i), i, Brute.of(3, LEFT));
      JsonNode fetch = attempts.get(1 + i).event("fetch", "edge", "done");
      assertEquals(partitions.at("/raw_bytes/" + i).asLong(), fetch.get("raw_bytes").asLong());
      assertEquals(
          partitions.at("/compressed_bytes/" + i).asLong(), fetch.get("compressed_bytes").asLong());
      assertTrue(fetch.get("compressed_bytes").asLong() < fetch.get("raw_bytes").asLong() / 2);
    }
  }

  @Test
  void aCombinerOfTheNewApiInSpillsAndInTheMapSideMerge(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LEFT);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Sum.class);
    job.conf.setInt("mapreduce.map.combine.minspills", 2);
    job.conf.setNumReduceTasks(2);
    List<ForkedJob.Attempt> attempts = job.run();
    checkCombined(attempts.get(0), LEFT, 2);
    checkCombinedReduces(attempts.subList(1, 3), Brute.of(2, LEFT));
  }

  @Test
  void aCombinerOfTheOldApiInSpillsMapSideMergeAndShuffle(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LEFT).input(RIGHT).input(LEFT);
    OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    job.conf.setCombinerClass(OldApiJobs.Sum.class);
    job.conf.setInt("mapreduce.map.combine.minspills", 2);
    // A shuffle of 12 kB, whose merger has something to do after each segment.
    job.conf.setLong("mapreduce.reduce.memory.totalbytes", 80_000);
    job.conf.setFloat("mapreduce.reduce.shuffle.input.buffer.percent", 0.9f);
    job.conf.setFloat("mapreduce.reduce.shuffle.memory.limit.percent", 0.6f);
    job.conf.setFloat("mapreduce.reduce.shuffle.merge.percent", 0.61f);
    List<ForkedJob.Attempt> attempts = job.run();
    checkCombined(attempts.get(0), LEFT, 1);
    checkCombined(attempts.get(1), RIGHT, 1);
    ForkedJob.Attempt reduce = attempts.get(3);
    long in = 0;
    long combinedIn = 0;
    for (JsonNode merge : reduce.events("shuffle_merge")) {
      if (merge.get("kind").asText().equals("memory") && merge.get("edge").asText().equals("end")) {
        assertTrue(merge.get("combined").asBoolean(), merge.toString());
        assertEquals(merge.get("segments").asInt(), merge.get("maps").size());
        // Each key is once in what a combiner that sums has written.
        assertEquals(merge.get("records_out"), merge.get("keys"));
        combinedIn += merge.get("records_in").asLong();
        in++;
      }
    }
    assertTrue(in > 0, "a merge in memory is wanted here\n" + reduce);
    assertEquals(reduce.counter("COMBINE_INPUT_RECORDS"), combinedIn);
    assertEquals(reduce.counter("REDUCE_INPUT_RECORDS"), reduce.end().get("reduce_total").asLong());
    checkCounters(reduce);
    assertEquals(both(1).keys(0), reduce.end().get("group").asLong());
  }

  @Test
  void merges(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir);
    for (int i = 0; i < 7; i++) {
      job.input(Brute.lines(i, 400, 10, 300));
    }
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setInt("mapreduce.task.io.sort.factor", 2);
    // Every segment is larger than a quarter of 8 kB and goes to the disk.
    job.conf.setLong("mapreduce.reduce.memory.totalbytes", 8_000);
    Brute brute = new Brute(1);
    for (int i = 0; i < 7; i++) {
      Brute.of(1, Brute.lines(i, 400, 10, 300)).groups(0).forEach(brute::add);
    }
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    checkReduce(reduce, 0, brute);
    for (JsonNode fetch : reduce.events("fetch")) {
      assertEquals("disk", fetch.get("to").asText());
    }
    List<JsonNode> merges = reduce.events("shuffle_merge");
    JsonNode first =
        merges.stream()
            .filter(
                m -> m.get("kind").asText().equals("disk") && m.get("edge").asText().equals("end"))
            .findFirst()
            .orElseThrow(() -> new AssertionError(reduce.toString()));
    assertEquals(2, first.get("segments").asInt());
    assertEquals(first.get("records_in"), first.get("records_out"));
    assertEquals(7, reduce.end().get("fetched_segments").asInt());
    assertEquals(0, reduce.end().get("shuffle_in_flight").asLong());
    assertEquals(0, reduce.end().get("shuffle_used").asLong());
  }

  @Test
  void mergesWithinMemory(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir);
    for (int i = 0; i < 5; i++) {
      job.input(Brute.lines(i, 100, 10, 50));
    }
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setBoolean("mapreduce.reduce.merge.memtomem.enabled", true);
    job.conf.setInt("mapreduce.reduce.merge.memtomem.threshold", 3);
    job.conf.setFloat("mapreduce.reduce.input.buffer.percent", 0.7f);
    Brute brute = new Brute(1);
    for (int i = 0; i < 5; i++) {
      Brute.of(1, Brute.lines(i, 100, 10, 50)).groups(0).forEach(brute::add);
    }
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    checkReduce(reduce, 0, brute);
    JsonNode merge = reduce.event("shuffle_merge", "kind", "memory_to_memory", "edge", "end");
    assertEquals(3, merge.get("segments").asInt());
    assertEquals(3000, merge.get("records_out").asInt());
    JsonNode input = reduce.event("reduce_input");
    assertEquals(0, input.get("disk_segments").asInt());
    assertEquals(3, input.get("memory_segments").asInt());
    assertFalse(input.has("records"), "segments in memory were never counted");
  }

  @Test
  void withoutReducers(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(RIGHT);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setNumReduceTasks(0);
    ForkedJob.Attempt map = job.run().get(0);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(RIGHT);
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Sum.class);
    old.conf.setNumReduceTasks(0);
    for (ForkedJob.Attempt each : Arrays.asList(map, old.run().get(0))) {
      checkNoFaults(each);
      assertEquals(0, each.exit);
      assertEquals(1500, each.end().get("records_in").asLong());
      assertEquals(each.counter("MAP_OUTPUT_RECORDS"), each.end().get("records_out").asLong());
      assertEquals(
          Arrays.asList("init", "setup", "map", "cleanup", "commit", "end"), each.phases());
    }
  }

  // ---- checks ---------------------------------------------------------------------------------

  private static Brute both(int reducers) {
    Brute brute = Brute.of(reducers, LEFT);
    Brute right = Brute.of(reducers, RIGHT);
    for (int i = 0; i < reducers; i++) {
      right.groups(i).forEach(brute::add);
    }
    return brute;
  }

  private static void checkMap(ForkedJob.Attempt map, String[] lines, int reducers) {
    checkNoFaults(map);
    assertEquals(0, map.exit, map.toString());
    assertEquals(
        Arrays.asList("init", "setup", "map", "cleanup", "flush", "merge", "commit", "end"),
        map.phases());
    Brute brute = Brute.of(reducers, lines);
    long bytesIn = 0;
    for (String line : lines) {
      bytesIn += 8 + line.length();
    }
    JsonNode end = map.end();
    assertEquals(lines.length, end.get("records_in").asLong());
    assertEquals(map.counter("MAP_INPUT_RECORDS"), end.get("records_in").asLong());
    assertEquals(bytesIn, end.get("bytes_in").asLong());
    assertEquals(map.counter("MAP_OUTPUT_RECORDS"), end.get("records_out").asLong());
    assertEquals(map.counter("MAP_OUTPUT_BYTES"), end.get("bytes_out").asLong());
    JsonNode output = map.event("map_output").get("partitions");
    long bytes = 0;
    for (int i = 0; i < reducers; i++) {
      assertEquals(brute.records(i), output.at("/records/" + i).asLong());
      assertEquals(brute.keys(i), output.at("/keys/" + i).asLong());
      assertEquals(brute.rawBytes(i), output.at("/raw_bytes/" + i).asLong());
      bytes += brute.bytes(i);
      checkLargestKey(output, i, brute.groups(i));
    }
    assertEquals(bytes, end.get("bytes_out").asLong());
    long spilled = 0;
    long spilledBytes = 0;
    long parts = 0;
    int spills = 0;
    for (JsonNode spill : map.events("spill")) {
      if (spill.get("edge").asText().equals("end")) {
        assertEquals(spills++, spill.get("spill").asInt());
        spilled += spill.get("records_in").asLong();
        spilledBytes += spill.get("bytes_in").asLong();
        parts += sum(spill.at("/partitions/records"));
        // A spill that others follow is merged with them, and keys are counted then.
        boolean isAll = spills == 1 && !spill.get("reason").asText().equals("full");
        assertEquals(isAll, spill.at("/partitions/keys").isArray(), spill.toString());
      }
    }
    assertEquals(map.counter("MAP_OUTPUT_RECORDS"), spilled);
    assertEquals(map.counter("MAP_OUTPUT_RECORDS"), parts);
    assertEquals(map.counter("MAP_OUTPUT_BYTES"), spilledBytes);
    assertEquals(spills, map.event("map_output").get("spills").asInt());
    assertEquals("flush", map.last("spill", "edge", "end").get("reason").asText());
    assertEquals(spills, end.get("spill").asInt());
    JsonNode records = map.last("records", "scope", "map");
    assertTrue(records.get("whole").asBoolean());
    assertEquals(lines.length, records.get("count").asLong());
    assertEquals(bytesIn, records.at("/bytes/sum").asLong());
  }

  /** The key of most bytes, lengths included; of several with as many any one. */
  private static void checkLargestKey(JsonNode output, int partition, Map<String, Integer> groups) {
    long most = 0;
    for (Map.Entry<String, Integer> each : groups.entrySet()) {
      most = Math.max(most, each.getValue() * (Brute.recordBytes(each.getKey()) + 2));
    }
    assertEquals(most, output.at("/largest_key_bytes/" + partition).asLong());
    String digest = output.at("/largest_key_digest/" + partition).asText();
    long records = output.at("/largest_key_records/" + partition).asLong();
    long bytes = most;
    assertTrue(
        groups.entrySet().stream()
            .filter(e -> e.getValue() * (Brute.recordBytes(e.getKey()) + 2) == bytes)
            .anyMatch(e -> e.getValue() == records && digest.equals(Brute.keyDigest(e.getKey()))),
        digest + " " + records);
  }

  private static void checkCombined(ForkedJob.Attempt map, String[] lines, int reducers) {
    checkNoFaults(map);
    assertEquals(0, map.exit, map.toString());
    Brute brute = Brute.of(reducers, lines);
    JsonNode output = map.event("map_output");
    assertTrue(output.get("combined").asBoolean());
    long combineIn = 0;
    for (JsonNode spill : map.events("spill")) {
      if (spill.get("edge").asText().equals("end")) {
        long in = sum(spill.at("/partitions/combine_in"));
        assertEquals(spill.get("records_in").asLong(), in);
        JsonNode keys = spill.at("/partitions/keys");
        assertTrue(keys.isMissingNode() || keys.equals(spill.at("/partitions/records")));
        combineIn += in;
      }
    }
    if (output.get("spills").asInt() > 1) {
      combineIn += sum(output.at("/partitions/combine_in"));
    }
    assertEquals(map.counter("COMBINE_INPUT_RECORDS"), combineIn);
    for (int i = 0; i < reducers; i++) {
      assertEquals(brute.keys(i), output.at("/partitions/records/" + i).asLong());
      assertEquals(brute.keys(i), output.at("/partitions/keys/" + i).asLong());
      // What is written is what the combiner has left.
      assertEquals(1, output.at("/partitions/largest_key_records/" + i).asLong());
    }
    JsonNode groups = map.last("groups", "scope", "combine");
    assertEquals(map.counter("COMBINE_INPUT_RECORDS"), groups.at("/records/sum").asLong());
    assertEquals(map.counter("COMBINE_OUTPUT_RECORDS"), groups.get("count").asLong());
    assertEquals(
        map.counter("COMBINE_INPUT_RECORDS"),
        map.last("records", "scope", "combine").get("count").asLong());
  }

  private static void checkCombinedReduces(List<ForkedJob.Attempt> reduces, Brute brute) {
    for (int i = 0; i < reduces.size(); i++) {
      checkCounters(reduces.get(i));
      assertEquals(brute.keys(i), reduces.get(i).end().get("group").asLong());
      assertEquals(brute.keys(i), reduces.get(i).end().get("records_in").asLong());
    }
  }

  private static void checkReduce(ForkedJob.Attempt reduce, int partition, Brute brute) {
    checkCounters(reduce);
    assertEquals(
        Arrays.asList(
            "init", "shuffle", "sort", "reduce_setup", "reduce", "cleanup", "commit", "end"),
        reduce.phases());
    JsonNode end = reduce.end();
    assertEquals(brute.records(partition), end.get("records_in").asLong());
    assertEquals(brute.bytes(partition), end.get("bytes_in").asLong());
    assertEquals(brute.keys(partition), end.get("group").asLong());
    JsonNode groups = reduce.last("groups", "scope", "reduce");
    assertTrue(groups.get("whole").asBoolean());
    assertEquals(brute.keys(partition), groups.get("count").asLong());
    assertEquals(brute.records(partition), groups.at("/records/sum").asLong());
    assertEquals(brute.bytes(partition), groups.at("/bytes/sum").asLong());
    Map<String, Integer> all = brute.groups(partition);
    long most = Collections.max(all.values());
    assertEquals(most, groups.at("/largest_by_records/0/records").asLong());
    long mostBytes =
        all.entrySet().stream()
            .mapToLong(e -> e.getValue() * Brute.recordBytes(e.getKey()))
            .max()
            .getAsLong();
    assertEquals(mostBytes, groups.at("/largest_by_bytes/0/bytes").asLong());
  }

  static void checkCounters(ForkedJob.Attempt reduce) {
    checkNoFaults(reduce);
    assertEquals(0, reduce.exit, reduce.toString());
    JsonNode end = reduce.end();
    assertEquals(reduce.counter("REDUCE_INPUT_RECORDS"), end.get("records_in").asLong());
    assertEquals(reduce.counter("REDUCE_INPUT_GROUPS"), end.get("group").asLong());
    assertEquals(reduce.counter("REDUCE_OUTPUT_RECORDS"), end.get("records_out").asLong());
  }

  static void checkNoFaults(ForkedJob.Attempt attempt) {
    assertEquals(Collections.emptyList(), attempt.events("fault"), attempt.toString());
    assertEquals(Collections.emptyList(), attempt.events("patch_missed"), attempt.toString());
  }

  private static long sum(JsonNode list) {
    long sum = 0;
    for (JsonNode each : list) {
      sum += each.asLong();
    }
    return sum;
  }
}
