package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentPartsTest {
  @TempDir Path folder;
  private final List<String> complaints = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void badSettingsFallBackAndAreReportedOnce() {
    Settings settings =
        Settings.parse(
            "mode=loud,copy.seconds=x,colour=red,keys=maybe,histogram.percent=50,,"
                + "disk.percent=101,plan",
            complaints::add);
    assertEquals(2, complaints.size(), "colour and plan");
    assertEquals(Mode.WATCH, settings.mode());
    assertEquals(0, settings.copySeconds());
    assertFalse(settings.keysAsText());
    // Never below 70 %: a histogram there would cost more than it tells.
    assertEquals(70, settings.histogramPercent());
    assertEquals(80, settings.diskPercent());
    assertEquals("mprof.plan", settings.plan());
    assertEquals(7, complaints.size(), complaints.toString());
    assertEquals(Mode.WATCH, Settings.parse(null, complaints::add).mode());
  }

  @Test
  void histogramTableBecomesClassesWithSourceNames() throws IOException {
    Events.open(folder.resolve("e").toFile(), 1 << 20);
    EventLine line = Events.line("histogram");
    Histograms.write(
        " num     #instances         #bytes  class name (module)\n"
            + "-------------------------------------------------------\n"
            + "   1:           120        3355442  [Ljava.util.HashMap$Node; (java.base@17)\n"
            + "   2:          5000         120000  java.lang.String (java.base@17)\n"
            + "   3:            12          10000  [[I\n"
            + "Total          5132        3485442\n",
        line);
    line.write();
    String text = new String(Files.readAllBytes(folder.resolve("e")), StandardCharsets.UTF_8);
    assertTrue(
        text.contains(
            "\"classes\":[[\"java.util.HashMap$Node[]\",120,3355442],"
                + "[\"java.lang.String\",5000,120000],[\"int[][]\",12,10000]],"
                + "\"total_objects\":5132,\"total_bytes\":3485442"),
        text);
  }

  private static final String NEIGHBOUR = "1"; // process 1 always runs
  private static final String GONE = "999999999";

  private OomClaim claim(Path in) {
    File dump = folder.resolve("oom-own.hprof").toFile();
    OomClaim claim = new OomClaim(in.toFile(), "job_1_0001", dump);
    claim.open();
    return claim;
  }

  private void told(String... lines) throws IOException {
    Path file = folder.resolve("job_1_0001");
    Files.write(file, Arrays.asList(lines), StandardCharsets.US_ASCII);
  }

  @Test
  void aTaskThatIsNearlyFullBindsNobodyUntilItsDumpBegins() throws IOException {
    Path dump = folder.resolve("oom of another.hprof");
    told(NEIGHBOUR + " " + dump);
    OomClaim claim = claim(folder);
    assertFalse(claim.isHeld(), "it may never die, and this one first");
    assertEquals(1, claim.ahead());

    Files.createFile(dump);
    assertTrue(claim.isHeld());

    Files.delete(dump);
    assertFalse(claim.isHeld());
  }

  @Test
  void whatIsDoneInAFullHeapAllocatesNothing() throws IOException {
    told(NEIGHBOUR + " " + folder.resolve("another.hprof"));
    OomClaim claim = claim(folder);
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    threads.getThreadAllocatedBytes(self);
    long asking = -threads.getThreadAllocatedBytes(self) + threads.getThreadAllocatedBytes(self);

    long before = threads.getThreadAllocatedBytes(self);
    boolean held = claim.isHeld();
    claim.announce();
    int ahead = claim.ahead();
    boolean first = claim.keep();
    held |= claim.isHeld();
    long allocated = threads.getThreadAllocatedBytes(self) - before - asking;

    assertEquals(0, allocated);
    assertFalse(held);
    assertEquals(1, ahead);
    assertTrue(first);
    List<String> own =
        Arrays.asList(Agent.pid() + " " + folder.resolve("oom-own.hprof"), "dumped " + Agent.pid());
    assertEquals(own, Files.readAllLines(folder.resolve("job_1_0001")).subList(1, 3));
  }

  @Test
  void aFileThatAnotherTaskRemovedIsMadeAgain() throws IOException {
    OomClaim claim = claim(folder);
    claim(folder).release();
    Path file = folder.resolve("job_1_0001");
    assertFalse(Files.exists(file), "it was empty");
    told(NEIGHBOUR + " /b");
    claim.announce();
    assertEquals(
        Arrays.asList(NEIGHBOUR + " /b", Agent.pid() + " " + folder.resolve("oom-own.hprof")),
        Files.readAllLines(file));
    assertEquals(1, claim.ahead());

    Files.delete(file);
    assertTrue(claim.keep());
    assertEquals(Arrays.asList("dumped " + Agent.pid()), Files.readAllLines(file));
  }

  @Test
  void aCompleteDumpBindsAllOthersForGood() throws IOException {
    told(GONE + " /x", "dumped " + GONE);
    OomClaim claim = claim(folder);
    assertTrue(claim.isHeld());
    assertFalse(claim.keep(), "the other was first");

    told("dumped");
    claim = claim(folder);
    assertTrue(claim.isHeld(), "the word of an older agent");
    assertFalse(claim.keep());
  }

  @Test
  void whatAProcessAnnouncedThatIsGoneIsVoidThoughHalfADumpIsLeft() throws IOException {
    Path half = Files.createFile(folder.resolve("half.hprof"));
    told(GONE + " " + half);
    OomClaim claim = claim(folder);
    assertFalse(claim.isHeld());
    assertEquals(0, claim.ahead());
    assertTrue(claim.keep());
  }

  @Test
  void thoseWhoAnnouncedEarlierAreAhead() throws IOException {
    OomClaim claim = claim(folder);
    claim.announce();
    Path file = folder.resolve("job_1_0001");
    assertEquals(0, claim.ahead());
    List<String> lines = Files.readAllLines(file);
    assertEquals(Arrays.asList(Agent.pid() + " " + folder.resolve("oom-own.hprof")), lines);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));

    claim.announce();
    assertEquals(lines, Files.readAllLines(file), "once is enough");
    told(GONE + " /a", NEIGHBOUR + " /b", lines.get(0), NEIGHBOUR + " /c");
    assertFalse(claim.isHeld());
    assertEquals(1, claim.ahead());
  }

  @Test
  void theFirstThatIsDoneKeepsItsDump() throws IOException {
    OomClaim claim = claim(folder);
    claim.announce();
    assertTrue(claim.keep());
    assertFalse(claim.isHeld(), "its own dump binds the others");
    claim.release();
    assertEquals("dumped " + Agent.pid(), Files.readAllLines(folder.resolve("job_1_0001")).get(1));
  }

  @Test
  void whoEndsWithoutADumpTakesBackWhatItAnnouncedAndLeavesWhatOthersSay() throws IOException {
    Path file = folder.resolve("job_1_0001");
    OomClaim claim = claim(folder);
    claim.announce();
    claim.release();
    assertFalse(Files.exists(file));

    claim = claim(folder);
    claim.announce();
    Files.write(
        file, (NEIGHBOUR + " /b\n").getBytes(StandardCharsets.US_ASCII), StandardOpenOption.APPEND);
    claim.release();
    assertTrue(Files.exists(file));
  }

  @Test
  void noClaimIsMadeWhereOthersCanWrite() throws IOException {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    for (Path prepared : Arrays.asList(open, link)) {
      OomClaim claim = claim(prepared);
      claim.announce();
      assertTrue(claim.keep(), "every task may dump then");
      assertFalse(Files.exists(prepared.resolve("job_1_0001")));
      Files.write(prepared.resolve("job_1_0001"), "dumped".getBytes(StandardCharsets.US_ASCII));
      assertFalse(claim(prepared).isHeld());
      Files.delete(prepared.resolve("job_1_0001"));
    }
  }

  @Test
  void aClaimThatIsALinkIsNeitherReadNorWritten() throws IOException {
    Path elsewhere = folder.resolve("thesis.tex");
    Files.write(elsewhere, "dumped".getBytes(StandardCharsets.US_ASCII));
    Files.createSymbolicLink(folder.resolve("job_1_0001"), elsewhere);
    OomClaim claim = claim(folder);
    assertFalse(claim.isHeld());
    claim.announce();
    assertTrue(claim.keep());
    assertEquals(Arrays.asList("dumped"), Files.readAllLines(elsewhere));
  }

  @Test
  void aClaimMakesItsFolderForThisUserAloneAndRemovesOldClaimsOnly() throws IOException {
    Path made = folder.resolve("made");
    claim(made);
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(made)));
    FileTime old = FileTime.fromMillis(System.currentTimeMillis() - 8L * 24 * 3600 * 1000);
    for (String name : Arrays.asList("job_1_0007", "thesis.tex")) {
      Files.setLastModifiedTime(Files.write(made.resolve(name), new byte[1]), old);
    }
    new OomClaim(made.toFile(), "job_1_0002", new File("x")).open();
    List<String> left = new ArrayList<>(Arrays.asList(made.toFile().list()));
    left.sort(null);
    assertEquals(Arrays.asList("job_1_0001", "job_1_0002", "thesis.tex"), left);
  }

  @Test
  void timeStandsStillForPausesAndNotForConcurrentCollections() {
    String[] pauses = {
      "Copy", "MarkSweepCompact", "PS Scavenge", "PS MarkSweep", "G1 Young Generation",
      "G1 Old Generation", "ParNew", "ConcurrentMarkSweep", "Shenandoah Pauses", "ZGC Pauses",
      "ZGC Minor Pauses", "ZGC Major Pauses"
    };
    for (String each : pauses) {
      assertTrue(Crawl.standsStill(each), each);
    }
    String[] beside = {
      "G1 Concurrent GC", "Shenandoah Cycles", "ZGC Cycles", "ZGC Minor Cycles", "ZGC Major Cycles"
    };
    for (String each : beside) {
      assertFalse(Crawl.standsStill(each), each);
    }
    String[] whole = {
      "MarkSweepCompact",
      "PS MarkSweep",
      "G1 Old Generation",
      "ConcurrentMarkSweep",
      "Shenandoah Cycles",
      "ZGC Cycles",
      "ZGC Major Cycles"
    };
    for (String each : whole) {
      assertTrue(Crawl.isOfWholeHeap(each), each);
    }
    for (String each :
        Arrays.asList(
            "Copy", "PS Scavenge", "G1 Young Generation", "ZGC Pauses", "ZGC Minor Cycles")) {
      assertFalse(Crawl.isOfWholeHeap(each), each);
    }
  }

  @Test
  void diskBoundCountsWhatIsAboutToBeWritten() {
    File here = folder.toFile();
    assertEquals(null, Dumps.noRoom(here, 0, 100));
    assertEquals("disk_full 100", Dumps.noRoom(here, here.getTotalSpace(), 100).toString());
    assertEquals("disk_full 0", Dumps.noRoom(here, 1, 0).toString());
    // 252 GB of which 160 are kept for root: 40 of the 92 others are used, which is no 80 %.
    assertEquals(null, Dumps.noRoom(40, 52, 30, 80));
    assertEquals("disk_full 80", Dumps.noRoom(40, 52, 40, 80).toString());
    assertEquals("disk_full 100", Dumps.noRoom(40, 52, 52, 100).toString());
  }

  @Test
  void localCopyReplacesWholeFilesAndMakesFolders() throws IOException {
    Copying.LocalCopier copier = new Copying.LocalCopier();
    URI target = folder.resolve("captures/attempt_1/").toUri();
    Path source = folder.resolve("events.jsonl");
    Files.write(source, "one\n".getBytes(StandardCharsets.US_ASCII));
    copier.copy(source.toFile(), target, "events.jsonl");
    Files.write(source, "one\ntwo\n".getBytes(StandardCharsets.US_ASCII));
    copier.copy(source.toFile(), target, "events.jsonl");
    Path made = folder.resolve("captures/attempt_1");
    assertEquals(2, Files.readAllLines(made.resolve("events.jsonl")).size());
    assertEquals(1, made.toFile().list().length);
    assertTrue(copier.accepts(URI.create("/plain/path/")));
    assertFalse(copier.accepts(URI.create("hdfs://nn/x/")));
  }

  @Test
  void failureIsRecordedOnceWithStackCausesAndPlace() throws IOException {
    Path log = folder.resolve("events.jsonl");
    Events.open(log.toFile(), 1 << 20);
    Throwable cause = new OutOfMemoryError("Java heap space");
    Throwable error = new IOException("Spill failed", cause);
    Failures.record(cause, "map", 1885, 57, 255);
    Failures.record(error, "other");
    Failures.record(new MarkedFailure("x"), "map");
    List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
    assertEquals(1, lines.size());
    assertTrue(lines.get(0).contains("\"class\":\"java.lang.OutOfMemoryError\""));
    assertTrue(
        lines
            .get(0)
            .contains(
                "\"org.mprof.agent.AgentPartsTest.failureIsRecordedOnceWithStackCausesAndPlace("
                    + "AgentPartsTest.java:"));
    assertTrue(
        lines
            .get(0)
            .contains(
                "\"record\":{\"ordinal\":1885,\"bytes\":57,\"digest\":\"00000000000000ff\"}"));
  }

  @Test
  void errorThatCouldNotBeWrittenLendsItsPlaceToTheNextOfItsThread() throws Exception {
    Path log = folder.resolve("events.jsonl");
    Events.open(log.toFile(), 1 << 20);
    OutOfMemoryError full = new OutOfMemoryError("heap");
    Throwable unwritable =
        new Error("in setup()") {
          @Override
          public String getMessage() {
            throw full;
          }
        };
    assertThrows(OutOfMemoryError.class, () -> Failures.record(unwritable, "setup"));
    Thread spill = new Thread(() -> Failures.record(new IOException("spill"), "shuffle"));
    Failures.record(new OutOfMemoryError("clearing up"), "sort");
    spill.start();
    spill.join();
    Failures.record(new IOException("later"), "cleanup");
    List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
    assertEquals(3, lines.size());
    assertTrue(lines.get(0).contains("\"place\":\"setup\",\"class\":\"java.lang.OutOfMem"));
    assertTrue(lines.get(1).contains("\"place\":\"shuffle\""));
    assertTrue(lines.get(2).contains("\"place\":\"cleanup\""));
  }

  @Test
  void theSameErrorInAnotherThreadIsNewOnlyWhereTheJvmSharesIt() throws Exception {
    Path log = folder.resolve("events.jsonl");
    Events.open(log.toFile(), 1 << 20);
    Throwable own = new OutOfMemoryError("own");
    Throwable shared = new OutOfMemoryError("shared");
    shared.setStackTrace(new StackTraceElement[0]);
    for (Throwable error : new Throwable[] {own, shared}) {
      Failures.record(error, "map");
      Failures.record(error, "other");
      Thread thread = new Thread(() -> Failures.record(error, "shuffle"));
      thread.start();
      thread.join();
    }
    assertEquals(3, Files.readAllLines(log, StandardCharsets.UTF_8).size());
  }

  @Test
  void positionIsThereWithoutAFileAndAddCountsFromUnknown() {
    Position.put(Position.BYTES_OUT, 5);
    assertEquals(5, Position.get(Position.BYTES_OUT));
    Position.put(Position.BYTES_OUT, Position.UNKNOWN);
    assertEquals(3, Position.add(Position.BYTES_OUT, 3));
    assertEquals(7, Position.add(Position.BYTES_OUT, 4));
    Position.put(Position.BYTES_OUT, Position.UNKNOWN);
  }

  @Test
  void aSecondJvmInTheSameFolderTakesNoPageFromTheFirst(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("position.bin");
    java.nio.ByteBuffer first = PositionFile.map(file, "attempt_1");
    java.nio.ByteBuffer second = PositionFile.map(file, "attempt_2");
    first.putLong(PositionFile.SLOTS_AT, 7);
    second.putLong(PositionFile.SLOTS_AT, 8);
    assertEquals(7, first.getLong(PositionFile.SLOTS_AT));
    assertEquals(8, Files.readAllBytes(file)[PositionFile.SLOTS_AT]);
  }

  @Test
  void theLastCopyIsWaitedForAsLongAsItGetsOn() throws Exception {
    java.util.concurrent.CountDownLatch end = new java.util.concurrent.CountDownLatch(1);
    Thread hangs =
        new Thread() {
          @Override
          public void run() {
            try {
              end.await();
            } catch (InterruptedException e) {
              // It ends.
            }
          }
        };
    Thread getsOn =
        new Thread() {
          @Override
          public void run() {
            while (end.getCount() > 0) {
              Copying.moved();
              Thread.yield();
            }
          }
        };
    hangs.start();
    long waited = Copying.await(hangs, 60_000, 100);
    assertTrue(waited >= 100 && waited < 30_000, waited + " ms");
    getsOn.start();
    assertTrue(Copying.await(getsOn, 1500, 500) >= 1500);
    end.countDown();
    assertTrue(Copying.await(hangs, 60_000, 60_000) < 30_000);
    getsOn.join();
  }
}
