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
 * The R_n-only run: user code sees a few records to warm up and then one, in the room that it had;
 * the rest of its group is counted, nothing commits.
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
    assertEquals(Arrays.asList("map saw apple bang apple", "map saw bang cat"), said(map));
    assertEquals(Arrays.asList("met", "room", "survived"), steps(map));
    assertEquals(2, map.event("verify", "step", "met").get("ordinal").asInt());
    assertEquals(1, map.event("verify", "step", "met").get("warm_up").asInt());
    JsonNode room = map.event("verify", "step", "room");
    assertFalse(room.get("same_room").asBoolean());
    assertEquals("live_not_known", room.at("/why/code").asText());
    checkNotCommitted(map, "the record was survived");
  }

  @Test
  void theFirstRecordsOfTheInputWarmUpAndTheOthersAreLeftOut(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input("a", "b", "c", "d", "e", "f");
    NewApiJobs.use(job.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    checkWarmedUp(job);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input("a", "b", "c", "d", "e", "f");
    OldApiJobs.use(old.conf, OldApiJobs.EchoMapper.class, OldApiJobs.Sum.class);
    checkWarmedUp(old);
  }

  private static void checkWarmedUp(ForkedJob job) throws Exception {
    job.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=5")
        .plan("m_000000.verify_warm_up=2");
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(Arrays.asList("map saw a", "map saw b", "map saw e"), said(map), map.toString());
    assertEquals(2, map.event("verify", "step", "met").get("warm_up").asInt());
    assertEquals(5, map.event("verify", "step", "met").get("ordinal").asInt());
    checkNotCommitted(map, "the record was survived");
  }

  @Test
  void recordsToWarmUpAreNoMoreThanSixteenOrAFewHundredKilobytes(@TempDir Path dir)
      throws Exception {
    String[] lines = new String[40];
    Arrays.fill(lines, "a");
    char[] word = new char[200_000];
    Arrays.fill(word, 'x');
    assertEquals(16, warmUps(new ForkedJob(dir.resolve("many")).input(lines)));
    Arrays.fill(lines, new String(word));
    assertEquals(2, warmUps(new ForkedJob(dir.resolve("large")).input(lines)));
  }

  private static int warmUps(ForkedJob job) throws Exception {
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=40");
    return job.submit().map(0).event("verify", "step", "met").get("warm_up").asInt();
  }

  @Test
  void theFirstRecordIsGivenWithoutAnyToWarmUp(@TempDir Path dir) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.verify_place=map")
            .plan("m_000000.verify_record=1");
    NewApiJobs.use(job.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(Collections.singletonList("map saw apple bang apple"), said(map));
    assertEquals(0, map.event("verify", "step", "met").get("warm_up").asInt());
  }

  @Test
  void userCodeThatFailsAtARecordToWarmUpIsSaidToHave(@TempDir Path dir) throws Exception {
    ForkedJob map = new ForkedJob(dir.resolve("map")).input("apple", "fail", "bang");
    NewApiJobs.use(map.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    map.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=3");
    checkWarmUpFailed(map.submit().map(0), 2, "java.lang.IllegalStateException");
    ForkedJob reduce = new ForkedJob(dir.resolve("reduce")).input("apple bang", "bang");
    NewApiJobs.use(reduce.conf, NewApiJobs.Words.class, Refusing.class);
    reduce
        .plan("r_000000.mode=verify")
        .plan("r_000000.verify_place=reduce")
        .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 1));
    checkWarmUpFailed(reduce.mapped().reduce(0), 1, "java.lang.IllegalArgumentException");
  }

  private static void checkWarmUpFailed(ForkedJob.Attempt attempt, int records, String error)
      throws IOException {
    assertEquals(Collections.singletonList("warm_up_failed"), steps(attempt), attempt.toString());
    JsonNode failed = attempt.event("verify", "step", "warm_up_failed");
    assertEquals(records, failed.get("warm_up").asInt());
    assertEquals(error, failed.get("class").asText());
    assertTrue(attempt.exit != 0);
  }

  /** Wants no apples. */
  public static class Refusing extends NewApiJobs.Sum {
    @Override
    protected void reduce(
        org.apache.hadoop.io.Text key,
        Iterable<org.apache.hadoop.io.IntWritable> values,
        Context context) {
      throw new IllegalArgumentException(key.toString());
    }
  }

  @Test
  void aRecordDiesInTheRoomThatItHadAndLivesInAWholeHeap(@TempDir Path dir) throws Exception {
    ForkedJob.Attempt same = needing(dir.resolve("same"), "24", 42);
    assertEquals(
        Arrays.asList("control", "control_survived", "met", "room", "failed"),
        steps(same),
        same.toString());
    JsonNode room = same.event("verify", "step", "room");
    assertTrue(room.get("same_room").asBoolean(), same.toString());
    assertEquals(42L << 20, room.get("live").asLong() + room.get("ballast").asLong(), 64 << 10);
    ForkedJob.Attempt whole = needing(dir.resolve("whole"), "24", 0);
    assertEquals(Arrays.asList("met", "room", "survived"), steps(whole), whole.toString());
    ForkedJob.Attempt small = needing(dir.resolve("small"), "4", 42);
    assertEquals(
        Arrays.asList("control", "control_survived", "met", "room", "survived"),
        steps(small),
        small.toString());
    assertTrue(small.event("verify", "step", "room").get("same_room").asBoolean());
    checkNotCommitted(small, "the record was survived");
  }

  private static ForkedJob.Attempt needing(Path dir, String megabytes, int live) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("1", "1", megabytes, "1").heap("-Xmx64m");
    NewApiJobs.use(job.conf, Needing.class, NewApiJobs.Sum.class);
    job.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=3");
    if (live > 0) {
      job.plan("m_000000.verify_live=" + ((long) live << 20));
    }
    return job.submit().map(0);
  }

  /** Needs as many MB for a record as it says; and much when all are done. */
  public static class Needing extends NewApiJobs.Words {
    private int most;

    @Override
    protected void map(
        org.apache.hadoop.io.LongWritable key, org.apache.hadoop.io.Text value, Context context) {
      most = Math.max(most, rows(Integer.parseInt(value.toString())));
    }

    @Override
    protected void cleanup(Context context) {
      rows(30);
    }

    private static int rows(int megabytes) {
      byte[][] rows = new byte[megabytes * 1024][];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = new byte[1000];
      }
      return rows.length;
    }
  }

  @Test
  void inReduceAndCombineItDiesInTheRoomThatItHadToo(@TempDir Path dir) throws Exception {
    for (String place : Arrays.asList("reduce", "combine")) {
      ForkedJob.Attempt same = needingKey(dir.resolve("same-" + place), place, 42);
      assertEquals(
          Arrays.asList("met", "room", "failed", "group_total"), steps(same), same.toString());
      assertEquals(2, same.event("verify", "step", "met").get("warm_up").asInt());
      assertTrue(same.event("verify", "step", "room").get("same_room").asBoolean());
      JsonNode total = same.event("verify", "step", "group_total");
      assertEquals(2, total.get("records").asInt(), "the ballast is given up, and it is counted");
      ForkedJob.Attempt whole = needingKey(dir.resolve("whole-" + place), place, 0);
      assertEquals(
          Arrays.asList("met", "room", "survived", "group_total"), steps(whole), whole.toString());
    }
  }

  private static ForkedJob.Attempt needingKey(Path dir, String place, int live) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a1 b1 c24 d1 c24").heap("-Xmx64m");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NeedingReducer.class);
    String task = place.equals("reduce") ? "r_000000" : "m_000000";
    job.plan(task + ".mode=verify")
        .plan(task + ".verify_place=" + place)
        .plan(task + ".verify_group=" + Brute.keyDigest("c24"))
        .plan(task + ".verify_digest=" + Brute.recordDigest("c24", 1));
    if (live > 0) {
      job.plan(task + ".verify_live=" + ((long) live << 20));
    }
    if (place.equals("reduce")) {
      return job.mapped().reduce(0);
    }
    NewApiJobs.combine(job.conf, NeedingReducer.class);
    return job.submit().map(0);
  }

  /** Needs as many MB for each value as its key says. */
  public static class NeedingReducer extends NewApiJobs.Sum {
    @Override
    protected void reduce(
        org.apache.hadoop.io.Text key,
        Iterable<org.apache.hadoop.io.IntWritable> values,
        Context context) {
      for (Object value : values) {
        Needing.rows(Integer.parseInt(key.toString().substring(1)));
      }
    }
  }

  @Test
  void whatIsLoadedAtItsFirstUseIsThereBeforeTheRecord(@TempDir Path dir) throws Exception {
    long with = liveBefore(dir.resolve("with"), 16);
    long without = liveBefore(dir.resolve("without"), 0);
    assertTrue(with > 20 << 20, with + " with records to warm up");
    assertTrue(without < 18 << 20, without + " without");
  }

  private static long liveBefore(Path dir, int warmUp) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a", "b", "c").heap("-Xmx64m");
    NewApiJobs.use(job.conf, Loading.class, NewApiJobs.Sum.class);
    job.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=3")
        .plan("m_000000.verify_live=" + (30 << 20))
        .plan("m_000000.verify_warm_up=" + warmUp);
    ForkedJob.Attempt map = job.submit().map(0);
    checkNotCommitted(map, "the record was survived");
    return map.event("verify", "step", "room").get("live").asLong();
  }

  /** Loads 15 MB for whichever record is the first. */
  public static class Loading extends NewApiJobs.Words {
    private static byte[][] table;

    @Override
    protected void map(
        org.apache.hadoop.io.LongWritable key, org.apache.hadoop.io.Text value, Context context) {
      if (table == null) {
        table = new byte[15][];
        for (int i = 0; i < table.length; i++) {
          table[i] = new byte[1 << 20];
        }
      }
    }
  }

  @Test
  void ofSeveralThreadsOfOneMapperTheOneThatHasTheRecordSaysThatItIsDone(@TempDir Path dir)
      throws Exception {
    ForkedJob job = new ForkedJob(dir).input("first", "slow", "third");
    NewApiJobs.use(
        job.conf,
        org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper.class,
        NewApiJobs.Sum.class);
    job.conf.setClass(
        "mapreduce.mapper.multithreadedmapper.mapclass",
        Slow.class,
        org.apache.hadoop.mapreduce.Mapper.class);
    job.conf.setInt("mapreduce.mapper.multithreadedmapper.threads", 3);
    job.plan("m_000000.mode=verify")
        .plan("m_000000.verify_place=map")
        .plan("m_000000.verify_record=2");
    ForkedJob.Attempt map = job.submit().map(0);
    assertEquals(Arrays.asList("met", "room", "survived"), steps(map), map.toString());
    long met = map.event("verify", "step", "room").get("t").asLong();
    long survived = map.event("verify", "step", "survived").get("t").asLong();
    assertTrue(survived - met >= Slow.MS, met + " " + survived);
  }

  /** Takes its time for one record. */
  public static class Slow extends NewApiJobs.Words {
    static final int MS = 1500;

    @Override
    protected void map(
        org.apache.hadoop.io.LongWritable key, org.apache.hadoop.io.Text value, Context context)
        throws IOException, InterruptedException {
      if (value.toString().equals("slow")) {
        Thread.sleep(MS);
      }
    }
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
    assertEquals(3, said(map).size(), "all of them were to warm up");
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
    assertEquals(
        Arrays.asList("reduce saw apple 1", "reduce saw apple 1", "reduce saw bang 1"),
        said(reduce),
        reduce.toString());
    assertEquals(Arrays.asList("met", "room", "survived", "group_total"), steps(reduce));
    assertEquals(2, reduce.event("verify", "step", "met").get("warm_up").asInt());
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
            .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 2))
            .plan("r_000000.verify_warm_up=0");
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
    // What comes before it in its group is given in the same call.
    assertEquals(
        Arrays.asList(
            "reduce saw a:1 1", "reduce saw a:2 1", "reduce saw b:1 1", "reduce saw b:2 1"),
        said(reduce),
        reduce.toString());
    assertEquals(3, reduce.event("verify", "step", "met").get("warm_up").asInt());
    assertEquals(
        2, reduce.event("verify", "step", "group_total").at("/others/records/count").asInt());
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
            .plan("r_000000.verify_digest=" + Brute.recordDigest("bang", 1))
            .plan("r_000000.verify_warm_up=0");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, DyingReducer.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    assertEquals(
        Arrays.asList("met", "room", "failed", "group_total"), steps(reduce), reduce.toString());
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
    assertEquals(
        Arrays.asList("reduce saw apple 1", "reduce saw apple 1", "reduce saw bang 1"),
        said(map),
        map.toString());
    assertEquals(Arrays.asList("met", "room", "survived", "group_total"), steps(map));
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
