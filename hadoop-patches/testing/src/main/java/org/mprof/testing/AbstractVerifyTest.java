package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.io.RawComparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The R_n-only run: user code sees one record, the rest of its group is counted, nothing commits.
 */
abstract class AbstractVerifyTest {
  private static final String[] LINES = {"apple bang apple", "bang cat", "bang zoo bang"};

  @Test
  void oneRecordOfMap(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir.resolve("new"))
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.verify_place=map")
            .plan("m_000000.verify_record=2");
    NewApiJobs.use(job.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    checkMap(job.submit().map(0));
    ForkedJob old =
        new ForkedJob(dir.resolve("old"))
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.verify_place=map")
            .plan("m_000000.verify_record=2");
    OldApiJobs.use(old.conf, OldApiJobs.EchoMapper.class, OldApiJobs.Sum.class);
    checkMap(old.submit().map(0));
  }

  private static void checkMap(ForkedJob.Attempt map) throws IOException {
    assertEquals(Collections.singletonList("map saw bang cat"), said(map));
    assertEquals(Arrays.asList("met", "survived"), steps(map));
    assertEquals(2, map.event("verify", "step", "met").get("ordinal").asInt());
    checkNotCommitted(map, "the record was survived");
  }

  @Test
  void aRecordThatIsNotMet(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.verify_place=map")
            .plan("m_000000.verify_record=7");
    NewApiJobs.use(job.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(Collections.emptyList(), said(map));
    assertEquals(Collections.singletonList("not_met"), steps(map));
    checkNotCommitted(map, "the record was not met");
  }

  @Test
  void oneRecordOfReduce(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Echo.class);
    checkReduce(job);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES);
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Echo.class);
    checkReduce(old);
  }

  private static void checkReduce(ForkedJob job) throws Exception {
    job.plan("r_000000.mode=verify")
        .plan("r_000000.verify_place=reduce")
        .plan("r_000000.verify_group=" + Brute.keyDigest("bang"))
        .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 1));
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(Collections.singletonList("reduce saw bang 1"), said(reduce), reduce.toString());
    assertEquals(Arrays.asList("met", "survived", "group_total"), steps(reduce));
    JsonNode total = reduce.event("verify", "step", "group_total");
    assertEquals(4, total.get("records").asInt());
    assertEquals(4 * Brute.recordBytes("bang"), total.get("bytes").asLong());
    assertEquals(Brute.keyDigest("bang"), total.get("digest").asText());
    assertTrue(total.get("whole").asBoolean());
    assertEquals(3, total.at("/others/bytes/count").asInt());
    assertTrue(total.get("end").asBoolean());
    checkNotCommitted(reduce, "the record was survived");
    assertFalse(
        Files.list(job.output()).anyMatch(f -> f.getFileName().toString().startsWith("part")),
        "nothing may be committed");
  }

  @Test
  void aPlanWithoutARecordCountsTheGroupsAndShowsTheUsersCodeNone(@TempDir Path dir)
      throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Echo.class);
    checkCounted(job);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES);
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.Echo.class);
    checkCounted(old);
  }

  private static void checkCounted(ForkedJob job) throws Exception {
    job.plan("r_000000.mode=verify").plan("r_000000.verify_place=reduce");
    long began = System.nanoTime();
    job.plan("r_000000.verify_hold=2");
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(Collections.emptyList(), said(reduce), reduce.toString());
    assertEquals(Collections.singletonList("counted"), steps(reduce));
    JsonNode counted = reduce.event("verify", "step", "counted");
    assertTrue(counted.get("end").asBoolean());
    Brute brute = Brute.of(1, LINES);
    long most = Collections.max(brute.groups(0).values());
    assertEquals(brute.keys(0), counted.at("/others/records/count").asLong());
    assertEquals(brute.records(0), counted.at("/others/records/sum").asLong());
    assertEquals(most, counted.at("/others/records/max").asLong());
    assertEquals(brute.bytes(0), counted.at("/others/bytes/sum").asLong());
    assertTrue(System.nanoTime() - began >= 2_000_000_000L, "it holds before it fails");
    checkNotCommitted(reduce, "the groups of this partition were counted");
  }

  @Test
  void aRecordThatIsNotMetAgainStillHasItsGroupCounted(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input(LINES)
            .plan("r_000000.mode=verify")
            .plan("r_000000.verify_place=reduce")
            .plan("r_000000.verify_group=" + Brute.keyDigest("bang"))
            .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 2));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Echo.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(Collections.emptyList(), said(reduce), reduce.toString());
    assertEquals(Arrays.asList("group_total", "not_met"), steps(reduce));
    JsonNode total = reduce.event("verify", "step", "group_total");
    assertEquals(4, total.get("records").asInt());
    assertTrue(total.get("whole").asBoolean());
    assertEquals(3, total.at("/others/records/count").asInt());
    checkNotCommitted(reduce, "the record was not met");
  }

  @Test
  void aGroupOfASecondarySortIsDrainedByItsComparator(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input("b:3 a:1 b:1", "c:9 b:2 a:2", "b:2")
            .plan("r_000000.mode=verify")
            .plan("r_000000.verify_place=reduce")
            .plan("r_000000.verify_group=" + Brute.keyDigest("b:1"))
            .plan("r_000000.verify_digest=" + Brute.recordDigest("b:2", 1));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Echo.class);
    job.conf.setClass(
        "mapreduce.job.output.group.comparator.class",
        NewApiJobs.ByName.class,
        RawComparator.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(Collections.singletonList("reduce saw b:2 1"), said(reduce), reduce.toString());
    assertEquals(4, reduce.event("verify", "step", "group_total").get("records").asInt());
  }

  @Test
  void aRecordThatKillsStillHasItsGroupCounted(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input("apple bang", "bang", "bang")
            .heap("-Xmx64m")
            .plan("r_000000.mode=verify")
            .plan("r_000000.verify_place=reduce")
            .plan("r_000000.verify_group=" + Brute.keyDigest("bang"))
            .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 1));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, DyingReducer.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(Arrays.asList("met", "failed", "group_total"), steps(reduce), reduce.toString());
    assertEquals(3, reduce.event("verify", "step", "group_total").get("records").asInt());
    assertEquals(1, reduce.event("verify", "step", "met").at("/at/verified").asInt());
    assertEquals(2, reduce.exit);
  }

  @Test
  void oneRecordOfCombine(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.verify_place=combine")
            .plan("m_000000.verify_group=" + Brute.keyDigest("bang"))
            .plan("m_000000.verify_digest=" + Brute.recordDigest("bang", 1));
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    NewApiJobs.combine(job.conf, NewApiJobs.Echo.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(Collections.singletonList("reduce saw bang 1"), said(map), map.toString());
    assertEquals(Arrays.asList("met", "survived", "group_total"), steps(map));
    JsonNode total = map.event("verify", "step", "group_total");
    assertEquals(4, total.get("records").asInt());
    // apple twice before it, cat and zoo once each after it
    assertEquals(3, total.at("/others/records/count").asInt());
    assertEquals(4, total.at("/others/records/sum").asInt());
    assertEquals(2, total.at("/others/records/max").asInt());
    assertEquals(3, map.end().get("records_in").asInt());
    checkNotCommitted(map, "the record was survived");
  }

  /** Dies of any record. */
  public static class DyingReducer extends NewApiJobs.Sum {
    @Override
    protected void reduce(
        org.apache.hadoop.io.Text key,
        Iterable<org.apache.hadoop.io.IntWritable> values,
        Context context) {
      NewApiJobs.fill();
    }
  }

  // ---- checks ---------------------------------------------------------------------------------

  private static void checkNotCommitted(ForkedJob.Attempt attempt, String outcome)
      throws IOException {
    AbstractDataflowTest.checkNoFaults(attempt);
    assertEquals(1, attempt.exit, attempt.toString());
    assertEquals("failed", attempt.event("end").get("outcome").asText());
    assertTrue(attempt.stderr().contains("mprof verify: " + outcome), attempt.toString());
  }

  private static List<String> steps(ForkedJob.Attempt attempt) {
    return attempt.events("verify").stream()
        .map(e -> e.get("step").asText())
        .collect(Collectors.toList());
  }

  private static List<String> said(ForkedJob.Attempt attempt) throws IOException {
    return Files.readAllLines(attempt.dir.resolve("stdout")).stream()
        .filter(line -> line.contains(" saw "))
        .collect(Collectors.toList());
  }
}
