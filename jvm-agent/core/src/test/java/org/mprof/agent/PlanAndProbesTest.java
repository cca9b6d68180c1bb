package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanAndProbesTest {
  @TempDir Path folder;
  private final List<String> complaints = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    Attempt.use(Attempt.of("attempt_1_0001_r_000001_0", folder.toFile()));
    Settings.use(Settings.parse("disk.percent=100", complaints::add));
    Events.open(folder.resolve("events.jsonl").toFile(), 1 << 20);
  }

  @AfterEach
  void close() throws IOException {
    Probes.configure(Plan.read(folder.resolve("none").toFile(), "", Mode.WATCH, complaints::add));
    Settings.use(Settings.parse("", complaints::add));
    Events.close();
  }

  @Test
  void missingPlanMeansTheModeOfTheSettings() {
    assertEquals(
        Mode.PROFILE,
        Plan.read(folder.resolve("none").toFile(), "m_000001", Mode.PROFILE, complaints::add)
            .mode());
    assertEquals(new ArrayList<String>(), complaints);
  }

  @Test
  void badLinesOfAPlanAreReportedAndLeftOut() throws IOException {
    Plan plan =
        plan(
            "r_000001.mode=sometimes\nr_000001.before_group=1,x,3\n"
                + "r_000001.verify_digest=xyz\nr_000001.points=many\nno line at all\n# comment\n"
                + "r_000001.in_group=x:1;5:3,2\n");
    assertEquals(Mode.WATCH, plan.mode());
    assertArrayEquals(new long[] {1, 3}, plan.beforeGroup().ordinals);
    assertEquals(Position.UNKNOWN, plan.verifyDigest());
    assertEquals(8, plan.points());
    List<Plan.InGroup> inGroup = plan.inGroup();
    assertEquals(1, inGroup.size());
    assertArrayEquals(new long[] {2, 3}, inGroup.get(0).points.ordinals);
    assertEquals(5, complaints.size(), complaints.toString());
  }

  @Test
  void planOfAnotherVersionIsIgnored() throws IOException {
    Path file = folder.resolve("plan");
    Files.write(file, "version=2\ndefault=profile\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(
        Mode.WATCH, Plan.read(file.toFile(), "r_000001", Mode.WATCH, complaints::add).mode());
    assertEquals(1, complaints.size());
  }

  @Test
  void combineGroupsAreToldBySpillPartitionAndGroupOrByDigest() throws IOException {
    Plan plan = plan("r_000001.in_combine=2/1/7:1,10\nr_000001.in_combine_digest=ff:5\n");
    Plan.InGroup byPlace = plan.inCombine().get(0);
    assertTrue(byPlace.matches(2, 1, 7, 123));
    assertFalse(byPlace.matches(2, 0, 7, 123));
    assertFalse(byPlace.matches(3, 1, 7, 123));
    assertTrue(plan.inCombineDigest().get(0).matches(9, 9, 9, 255));
    assertFalse(plan.inCombineDigest().get(0).matches(2, 1, 7, 254));
  }

  @Test
  void nextOrdinalComesFromTheListOrByDoubling() {
    long[] list = {1, 5, 9};
    assertEquals(1, Probes.after(0, list, false));
    assertEquals(5, Probes.after(1, list, false));
    assertEquals(9, Probes.after(7, list, false));
    assertEquals(Probes.NEVER, Probes.after(9, list, false));
    List<Long> doubled = new ArrayList<>();
    for (long at = Probes.after(0, list, true); at < 100; at = Probes.after(at, list, true)) {
      doubled.add(at);
    }
    assertEquals(Arrays.asList(1L, 2L, 4L, 8L, 16L, 32L, 64L), doubled);
  }

  @Test
  void probesAreMadeAtTheirPointsAndNowhereElse() throws IOException {
    Probes.configure(
        plan(
            "r_000001.mode=profile\n"
                + "r_000001.probe=histogram\n"
                + "r_000001.before_group=2\n"
                + "r_000001.in_group=3:2\n"
                + "r_000001.in_group_digest=63:1\n"));
    for (long group = 1; group <= 4; group++) {
      Probes.beforeGroup(group, group + 95);
      for (long record = 1; record <= 3; record++) {
        Probes.beforeRecordInGroup(group, group + 95, record);
      }
    }
    List<String> seen = new ArrayList<>();
    for (String line : log()) {
      if (line.contains("\"histogram\"")) {
        seen.add(line.replaceAll(".*\"point\":\"(\\w+)\",\"ordinal\":(\\d+).*", "$1 $2"));
      }
    }
    // 0x63 is the digest 99 of group 4.
    assertEquals(Arrays.asList("before_group 2", "in_group 2", "in_group 1"), seen);
  }

  @Test
  void eachPointHasItsKindAndHistogramsHaveABoundOfTheirOwn() throws IOException {
    Probes.configure(
        plan(
            "r_000001.mode=profile\n"
                + "r_000001.before_record=1,3h,5,7h,9h\n"
                + "r_000001.histograms=2\n"));
    for (long record = 1; record <= 10; record++) {
      Probes.beforeRecord(record);
    }
    List<String> seen = new ArrayList<>();
    for (String line : log()) {
      seen.add(
          line.replaceAll(
              ".*\"type\":\"(\\w+)\".*\"point\":\"\\w+\",\"ordinal\":(\\d+).*", "$1 $2"));
    }
    assertEquals(
        Arrays.asList("dump 1", "histogram 3", "dump 5", "histogram 7", "probe_skipped 9"), seen);
    assertEquals(new ArrayList<String>(), complaints);
  }

  @Test
  void inACallThatOccursAgainTheFirstOccurrenceIsCounted() throws IOException {
    Probes.configure(plan("r_000001.mode=profile\nr_000001.in_combine_digest=63:2h\n"));
    for (int spill = 0; spill < 3; spill++) {
      for (long record = 1; record <= 3; record++) {
        Probes.beforeCombineRecord(spill, 0, 5, 99, record);
      }
    }
    assertEquals(1, log().stream().filter(line -> line.contains("\"histogram\"")).count());
    assertEquals(2, log().stream().filter(line -> line.contains("enough_histograms")).count());
  }

  @Test
  void dumpsAreMadeAndThinnedToThePointsOfThePlan() throws IOException {
    Probes.configure(plan("r_000001.mode=profile\nr_000001.doubling=map\nr_000001.points=3\n"));
    for (long record = 1; record <= 40; record++) {
      Probes.beforeRecord(record);
    }
    List<String> kept = new ArrayList<>();
    for (String name : folder.toFile().list()) {
      if (name.endsWith(".hprof")) {
        kept.add(name.replaceAll("probe-before_record-(\\d+).hprof", "$1"));
      }
    }
    // 1, 2, 4, 8, 16, 32 were made; the first and the newest always stay.
    assertTrue(kept.size() <= 3, kept.toString());
    assertTrue(kept.containsAll(Arrays.asList("1", "32")), kept.toString());
    assertEquals(6, log().stream().filter(line -> line.contains("\"type\":\"dump\"")).count());
  }

  @Test
  void noDumpIsMadeWhereTheDiskWouldBecomeTooFull() throws IOException {
    Settings.use(Settings.parse("disk.percent=0", complaints::add));
    Probes.configure(plan("r_000001.mode=profile\nr_000001.before_record=1\n"));
    Probes.beforeRecord(1);
    assertTrue(log().get(0).contains("\"probe_skipped\""), log().get(0));
    assertTrue(
        log().get(0).contains("\"why\":{\"code\":\"disk_full\",\"percent\":0}"), log().get(0));
  }

  @Test
  void verifyWantsOneRecordOnceByOrdinalInMapAndByDigestElsewhere() throws IOException {
    Verify.configure(
        plan(
            "r_000001.mode=verify\nr_000001.verify_place=reduce\n"
                + "r_000001.verify_group=0a\nr_000001.verify_digest=ff\n"));
    assertTrue(Verify.in("reduce"));
    assertFalse(Verify.in("map"));
    assertFalse(Verify.wanted(1, 9, 255));
    assertFalse(Verify.wanted(1, 10, 254));
    assertTrue(Verify.wanted(1, 10, 255));
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_record=3\n"));
    assertFalse(Verify.wanted(2, -1, -1));
    assertTrue(Verify.wanted(3, -1, -1));
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_place=reduce\n"));
    assertTrue(Verify.countsOnly());
    assertFalse(Verify.wanted(Position.UNKNOWN, 10, Position.UNKNOWN));
    Verify.configure(plan(""));
    Verify.failAttempt();
    assertFalse(Verify.wanted(3, -1, -1));
  }

  @Test
  void verifyHandsOverAFewRecordsToWarmUpAndNoneOnceTheWantedOneWasMet() throws IOException {
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_digest=ff\n"));
    int given = 0;
    while (Verify.warmsUp(given * 1000L)) {
      given++;
    }
    assertEquals(16, given);
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_digest=ff\n"));
    assertTrue(Verify.warmsUp(255 * 1024));
    assertTrue(Verify.warmsUp(Position.UNKNOWN));
    assertFalse(Verify.warmsUp(256 * 1024));
    Verify.met(1, 255);
    assertFalse(Verify.warmsUp(0));
    Verify.configure(
        plan("r_000001.mode=verify\nr_000001.verify_digest=ff\nr_000001.verify_warm_up=0\n"));
    assertFalse(Verify.warmsUp(0));
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_place=reduce\n"));
    assertFalse(Verify.warmsUp(0), "an attempt that counts hands nothing over");
    Verify.configure(plan(""));
    assertFalse(Verify.warmsUp(0));
  }

  @Test
  void theRecordAfterThoseThatWarmUpIsTheControlAndGivesItsRoomBack() throws IOException {
    long live = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    String room = "r_000001.verify_live=" + (live + (64L << 20)) + "\n";
    Verify.configure(
        plan(
            "r_000001.mode=verify\nr_000001.verify_digest=ff\nr_000001.verify_warm_up=2\n" + room));
    for (int i = 0; i < 2; i++) {
      assertTrue(Verify.warmsUp(0));
      Verify.handing();
      assertFalse(Ballast.isHeld(), "what warms up has all of the heap");
    }
    assertTrue(Verify.warmsUp(0));
    assertFalse(Verify.warmsUp(0), "one control");
    Verify.handing();
    assertTrue(Ballast.isHeld(), "the control has the room of the wanted record");
    Verify.controlReturned();
    assertFalse(Ballast.isHeld());
    // in map() the ordinals say which is the last record before the wanted one
    Verify.configure(plan("r_000001.mode=verify\nr_000001.verify_record=3\n" + room));
    assertTrue(Verify.warmsUp(0));
    Verify.handing();
    assertFalse(Ballast.isHeld());
    assertTrue(Verify.warmsUp(0));
    Verify.handing();
    assertTrue(Ballast.isHeld());
    Verify.met(3, Position.UNKNOWN);
    Ballast.release();
    Verify.configure(plan(""));
  }

  /** As much is live as in the job: there is nothing to fill the heap with. */
  @Test
  void aControlThatNeedsNoBallastIsToldToHaveSurvivedAsWell() throws IOException {
    System.gc();
    long live = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    long slightlyLess = Math.max(1, live - Runtime.getRuntime().maxMemory() / 100);
    Verify.configure(
        plan(
            "r_000001.mode=verify\nr_000001.verify_digest=ff\nr_000001.verify_warm_up=1\n"
                + "r_000001.verify_live="
                + slightlyLess
                + "\n"));
    assertTrue(Verify.warmsUp(0));
    Verify.handing();
    assertTrue(Verify.warmsUp(0));
    Verify.handing();
    assertFalse(Ballast.isHeld());
    Verify.met(3, 255);
    String told = String.join("\n", log());
    assertTrue(told.contains("\"step\":\"control\",\"same_room\":true"), told);
    assertTrue(told.contains("\"step\":\"control_survived\""), told);
    assertFalse(told.contains("room_lost"), told);
    Verify.configure(plan(""));
  }

  @Test
  void attemptIdTellsTaskJobAndPlanName() {
    Attempt attempt =
        Attempt.of(
            Attempt.idIn(
                "org.apache.hadoop.mapred.YarnChild 127.0.0.1 4711 "
                    + "attempt_1763712000000_0007_m_000003_2 5"),
            folder.toFile());
    assertEquals("job_1763712000000_0007", attempt.job());
    assertEquals("map", attempt.taskType());
    assertEquals("m_000003", attempt.planName());
    assertEquals(2, attempt.number());
    assertEquals("m_1000000", Attempt.of("attempt_1_1_m_1000000_0", folder.toFile()).planName());
    Attempt none = Attempt.of(Attempt.idIn("Main a b"), folder.toFile());
    assertEquals("", none.planName());
    assertEquals(-1, none.index());
  }

  private Plan plan(String lines) throws IOException {
    Path file = folder.resolve("plan");
    Files.write(file, ("version=1\n" + lines).getBytes(StandardCharsets.UTF_8));
    return Plan.read(file.toFile(), "r_000001", Mode.WATCH, complaints::add);
  }

  private List<String> log() throws IOException {
    return Files.readAllLines(folder.resolve("events.jsonl"), StandardCharsets.UTF_8);
  }
}
