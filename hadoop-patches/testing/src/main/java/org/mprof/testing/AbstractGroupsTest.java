package org.mprof.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Partitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group is what one call of reduce() gets, however much of it that call reads. */
abstract class AbstractGroupsTest {
  private static final String[] LINES = Brute.lines(3, 200, 8, 60);

  @Test
  void reducersThatReadOneValueOfEachGroup(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir.resolve("new")).input(LINES);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.First.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    ForkedJob old = new ForkedJob(dir.resolve("old")).input(LINES);
    OldApiJobs.use(old.conf, OldApiJobs.Words.class, OldApiJobs.First.class);
    ForkedJob.Attempt oldReduce = old.mapped().reduce(0);
    checkWholeGroups(reduce);
    checkWholeGroups(oldReduce);
    // The old API does not count what it passes over, neither does it hand it over.
    assertEquals(Brute.of(1, LINES).keys(0), oldReduce.end().get("records_in").asLong());
  }

  @Test
  void aGroupIsOneThoughTheReducerChangesItsKeyAndIsCalledForEachRecord(@TempDir Path dir)
      throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES);
    OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Marks.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    AbstractDataflowTest.checkNoFaults(reduce);
    Brute brute = Brute.of(1, LINES);
    assertEquals(brute.records(0), reduce.counter("REDUCE_OUTPUT_RECORDS"), "calls of reduce()");
    checkGroups(reduce, brute);
    assertEquals(brute.keys(0), reduce.end().get("group").asLong());
  }

  @Test
  void aReducerThatReadsNoValue(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input(LINES);
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Keys.class);
    checkWholeGroups(job.mapped().reduce(0));
  }

  private static void checkWholeGroups(ForkedJob.Attempt reduce) {
    AbstractDataflowTest.checkCounters(reduce);
    checkGroups(reduce, Brute.of(1, LINES));
  }

  private static void checkGroups(ForkedJob.Attempt reduce, Brute brute) {
    JsonNode groups = reduce.last("groups", "scope", "reduce");
    assertEquals(brute.keys(0), groups.get("count").asLong());
    assertEquals(brute.records(0), groups.at("/records/sum").asLong());
    assertEquals(brute.bytes(0), groups.at("/bytes/sum").asLong());
    long most = Collections.max(brute.groups(0).values());
    assertEquals(most, groups.at("/largest_by_records/0/records").asLong());
  }

  @Test
  void aReducerThatStopsAfterTwoGroupsLeavesAnInputThatIsNotWhole(@TempDir Path dir)
      throws Exception {
    ForkedJob job = new ForkedJob(dir).input("a a a", "b", "c c");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.TwoGroups.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    AbstractDataflowTest.checkCounters(reduce);
    JsonNode groups = reduce.last("groups", "scope", "reduce");
    assertFalse(groups.get("whole").asBoolean());
    assertEquals(1, groups.get("count").asLong());
    assertEquals(3, groups.at("/largest_by_records/0/records").asLong());
    assertEquals(2, groups.at("/current/group").asLong());
    assertEquals(1, groups.at("/current/records").asLong());
  }

  @Test
  void aSecondarySortGroupsByItsOwnComparator(@TempDir Path dir) throws Exception {
    // Keys differ in their bytes within a group: b:1 b:2 b:3 are one call of reduce().
    ForkedJob job = new ForkedJob(dir).input("b:3 a:1 b:1", "c:9 b:2 a:2", "b:2");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    job.conf.setClass(
        "mapreduce.job.output.group.comparator.class",
        NewApiJobs.ByName.class,
        RawComparator.class);
    job.conf.setClass(
        MRJobConfig.PARTITIONER_CLASS_ATTR, NewApiJobs.NamePartitioner.class, Partitioner.class);
    ForkedJob.Attempt map = job.submit().map(0);
    ForkedJob.Attempt reduce = job.reduce(0);
    AbstractDataflowTest.checkCounters(reduce);
    assertEquals(7, map.event("map_output").at("/partitions/records/0").asInt());
    assertEquals(6, map.event("map_output").at("/partitions/keys/0").asInt());
    JsonNode groups = reduce.last("groups", "scope", "reduce");
    assertEquals(3, groups.get("count").asLong());
    assertEquals(4, groups.at("/largest_by_records/0/records").asLong());
    assertEquals(2, groups.at("/largest_by_records/0/group").asLong());
    assertEquals(4 * Brute.recordBytes("b:1"), groups.at("/largest_by_records/0/bytes").asLong());
  }

  @Test
  void keysAppearAsTextOnlyWhereTheUserAskedForThem(@TempDir Path dir) throws Exception {
    ForkedJob job = new ForkedJob(dir).input("x y x").agentSettings("keys=text");
    NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    ForkedJob.Attempt reduce = job.mapped().reduce(0);
    List<JsonNode> largest =
        Arrays.asList(
            reduce.last("groups").at("/largest_by_records/0"),
            reduce.last("groups").at("/largest_by_records/1"));
    assertEquals("x", largest.get(0).get("key").asText());
    assertEquals("y", largest.get(1).get("key").asText());
    char[] letters = new char[3000];
    Arrays.fill(letters, 'k');
    ForkedJob huge =
        new ForkedJob(dir.resolve("huge")).input(new String(letters)).agentSettings("keys=text");
    NewApiJobs.use(huge.conf, NewApiJobs.Words.class, NewApiJobs.Sum.class);
    assertFalse(huge.mapped().reduce(0).last("groups").at("/largest_by_records/0").has("key"));
    ForkedJob.Attempt digests = job.agentSettings("keys=digest").reduce(0);
    assertFalse(digests.last("groups").at("/largest_by_records/0").has("key"));
  }
}
