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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One record or group left out: user code sees all others, and nothing commits. */
abstract class AbstractLeaveOutTest {
  private static final String[] LINES = {"apple", "bang cat", "zoo"};

  @Test
  void userCodeSeesAllOtherRecords(@TempDir Path dir) throws Exception {
    check(dir, 2, Arrays.asList("map saw apple", "map saw zoo"));
  }

  @Test
  void theFirstRecordMayBeLeftOutAndTheLast(@TempDir Path dir) throws Exception {
    check(dir.resolve("first"), 1, Arrays.asList("map saw bang cat", "map saw zoo"));
    check(dir.resolve("last"), 3, Arrays.asList("map saw apple", "map saw bang cat"));
  }

  @Test
  void aRecordThatIsNotThereLeavesAllAndStillNothingCommits(@TempDir Path dir) throws Exception {
    ForkedJob.Attempt map = left(dir, 7, true).submit().map(0);
    assertEquals(3, said(map).size());
    assertEquals(Collections.emptyList(), map.events("verify"));
    checkNotCommitted(map);
  }

  @Test
  void reduceSeesAllOtherGroups(@TempDir Path dir) throws Exception {
    String[] lines = {"apple bang apple", "bang cat", "bang zoo bang"};
    for (String key : new String[] {"bang", "apple", "zoo"}) {
      for (boolean newApi : new boolean[] {true, false}) {
        ForkedJob job = new ForkedJob(dir.resolve(key + newApi)).input(lines);
        if (newApi) {
          NewApiJobs.use(job.conf, NewApiJobs.Words.class, NewApiJobs.Echo.class);
        } else {
          OldApiJobs.use(job.conf, OldApiJobs.Words.class, OldApiJobs.Echo.class);
        }
        job.plan("r_000000.mode=verify").plan("r_000000.leave_out_group=" + Brute.keyDigest(key));
        ForkedJob.Attempt reduce = job.mapped().reduce(0);
        List<String> expected =
            Arrays.stream("apple apple bang bang bang bang cat zoo".split(" "))
                .filter(each -> !each.equals(key))
                .map(each -> "reduce saw " + each + " 1")
                .collect(Collectors.toList());
        assertEquals(expected, said(reduce), reduce.toString());
        assertEquals(
            Brute.keyDigest(key),
            reduce.event("verify", "step", "left_out").get("digest").asText());
        assertEquals(1, reduce.events("verify").size());
        checkNotCommitted(reduce);
      }
    }
  }

  private static void check(Path dir, int record, List<String> expected) throws Exception {
    for (boolean newApi : new boolean[] {true, false}) {
      ForkedJob job = left(dir.resolve(newApi ? "new" : "old"), record, newApi);
      ForkedJob.Attempt map = job.submit().map(0);
      assertEquals(expected, said(map), map.toString());
      assertEquals(1, map.events("verify").size());
      JsonNode event = map.event("verify", "step", "left_out");
      assertEquals(record, event.get("ordinal").asInt());
      checkNotCommitted(map);
      assertFalse(
          Files.exists(job.output())
              && Files.list(job.output())
                  .anyMatch(f -> f.getFileName().toString().startsWith("part")),
          "nothing may be committed");
    }
  }

  private static ForkedJob left(Path dir, int record, boolean newApi) throws Exception {
    ForkedJob job =
        new ForkedJob(dir)
            .input(LINES)
            .plan("m_000000.mode=verify")
            .plan("m_000000.leave_out_record=" + record);
    if (newApi) {
      NewApiJobs.use(job.conf, NewApiJobs.EchoMapper.class, NewApiJobs.Sum.class);
    } else {
      OldApiJobs.use(job.conf, OldApiJobs.EchoMapper.class, OldApiJobs.Sum.class);
    }
    return job;
  }

  private static void checkNotCommitted(ForkedJob.Attempt attempt) throws IOException {
    AbstractDataflowTest.checkNoFaults(attempt);
    assertEquals(1, attempt.exit, attempt.toString());
    assertEquals("failed", attempt.event("end").get("outcome").asText());
    assertTrue(
        attempt.stderr().contains("mprof verify: the record or group was left out"),
        attempt.toString());
  }

  private static List<String> said(ForkedJob.Attempt attempt) throws IOException {
    return Files.readAllLines(attempt.dir.resolve("stdout")).stream()
        .filter(line -> line.contains(" saw "))
        .collect(Collectors.toList());
  }
}
