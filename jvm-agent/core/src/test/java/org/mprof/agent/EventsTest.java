package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
  @TempDir Path folder;

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void withoutALogLinesGoNowhere() {
    Events.line("spill").put("spill", 1).at().write();
    assertFalse(Events.isOpen());
  }

  @Test
  void stringsAreEscapedAndNothingUnknownIsWritten() throws IOException {
    Path file = open(1 << 20);
    Events.line("test")
        .put("a", "q\"b\\s\n\u00e9\ud800")
        .put("none", (String) null)
        .putKnown("unknown", -1)
        .digest("nodigest", -1)
        .put("nan", Double.NaN)
        .put("least", Long.MIN_VALUE)
        .put("most", Long.MAX_VALUE)
        .put("yes", true)
        .put("half", 0.5)
        .put("list", new long[] {})
        .digests("digests", new long[] {0, -2})
        .putStrings("words", "x", null, "y")
        .write();
    String line = lines(file).get(0);
    assertTrue(
        line.contains(
            "\"a\":\"q\\\"b\\\\s\\u000a\\u00e9\\ud800\",\"least\":-9223372036854775808,"
                + "\"most\":9223372036854775807,\"yes\":true,\"half\":0.5,\"list\":[],"
                + "\"digests\":[\"0000000000000000\",\"fffffffffffffffe\"],"
                + "\"words\":[\"x\",\"y\"],\"n\":1}"),
        line);
  }

  @Test
  void afterTheEndNothingOrdinaryIsToldAndNothingIsLost() throws IOException {
    Path file = open(1 << 20);
    Events.line("end").put("outcome", "failed").write();
    Events.over();
    Events.line("memory").put("major", true).write();
    Events.line("failure").put("thread", "late").write();
    Events.writeLosses();
    List<String> lines = lines(file);
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.get(1).contains("\"thread\":\"late\",\"n\":2"), lines.get(1));
  }

  @Test
  void aWriteThatHangsHoldsNoOtherThread() throws Exception {
    // A pipe that nobody reads takes 64 KB, and then hangs as a disk does.
    Path pipe = folder.resolve("events.jsonl");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    try (RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw");
        FileInputStream in = new FileInputStream(reader.getFD())) {
      Events.open(pipe.toFile(), 1 << 20);
      long[] many = new long[10_000];
      Arrays.fill(many, Long.MAX_VALUE);
      Thread hangs = new Thread(() -> Events.line("test").put("long", many).write(), "mprof");
      hangs.setDaemon(true);
      hangs.start();
      while (in.available() < 1 << 16) {
        assertTrue(hangs.isAlive(), "wrote less than a pipe takes: " + in.available());
        Thread.yield();
      }
      assertTimeoutPreemptively(
          Duration.ofSeconds(10),
          () -> {
            for (int i = 0; i < 5; i++) {
              Events.line("test").put("short", i).write();
            }
          });
      assertTrue(hangs.isAlive());
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (int i = 1; i <= 6; i++) {
        String line = lines.readLine();
        assertTrue(line.endsWith(",\"n\":" + i + "}"), "line " + i);
        assertEquals(i > 1, line.contains("\"short\":" + (i - 2)));
      }
      hangs.join();
    }
  }

  @Test
  void logIsBoundedKeepsRoomForTheEndAndStatesTheLoss() throws IOException {
    Path file = open(64 * 1024);
    for (int i = 0; i < 2000; i++) {
      Events.line("fetch").put("map", "attempt_1763712000000_0007_m_000004_0").write();
    }
    Events.writeLosses();
    Events.line("end").put("outcome", "done").write();
    assertTrue(Files.size(file) <= 64 * 1024);
    List<String> lines = lines(file);
    assertTrue(lines.get(lines.size() - 1).contains("\"type\":\"end\""));
    String loss = lines.get(lines.size() - 2);
    long fetches = lines.stream().filter(line -> line.contains("\"fetch\"")).count();
    assertTrue(loss.contains("\"count\":" + (2000 - fetches)), loss);
    // Said once at the first loss, too, for the case that the JVM is killed.
    assertEquals(2, lines.stream().filter(line -> line.contains("\"loss\"")).count());
    for (int i = 0; i < lines.size(); i++) {
      assertTrue(lines.get(i).endsWith("\"n\":" + (i + 1) + "}"), lines.get(i));
    }
  }

  @Test
  void evenTheSmallestLogKeepsItsLastWords() throws IOException {
    Path file = open(2048);
    for (int i = 0; i < 100; i++) {
      Events.line("phase").put("phase", "map").at().write();
    }
    Events.writeLosses();
    Events.line("end").put("outcome", "exit").put("resident", Long.MAX_VALUE).at().write();
    assertTrue(Files.size(file) <= 2048);
    List<String> lines = lines(file);
    assertTrue(lines.get(0).contains("\"type\":\"phase\""), lines.get(0));
    assertTrue(lines.get(lines.size() - 2).contains("\"type\":\"loss\""));
    assertTrue(lines.get(lines.size() - 1).contains("\"type\":\"end\""));
  }

  @Test
  void lineThatGrowsBeyondItsBoundIsALossAndNothingElse() throws IOException {
    Path file = open(8 << 20);
    EventLine line = Events.line("spill");
    line.put("records", new long[EventLine.MOST_BYTES]).write();
    Events.line("end").write();
    List<String> lines = lines(file);
    assertTrue(lines.get(0).contains("\"loss\""), lines.get(0));
    assertTrue(lines.get(1).contains("\"end\""));
  }

  @Test
  void linesOpenedTogetherOrNeverWrittenDoNotDisturbEachOther() throws IOException {
    Path file = open(1 << 20);
    for (int i = 0; i < 20; i++) {
      Events.line("abandoned").put("i", i);
    }
    EventLine one = Events.line("one");
    EventLine two = Events.line("two");
    two.put("x", 2).write();
    one.put("x", 1).write();
    assertTrue(lines(file).get(0).contains("\"type\":\"two\",\"x\":2,\"n\":1}"));
    assertTrue(lines(file).get(1).contains("\"type\":\"one\",\"x\":1,\"n\":2}"));
  }

  @Test
  void aLogIsGoneOnWithAfterATornLine() throws IOException {
    Path file = folder.resolve("events.jsonl");
    Files.write(file, "{\"v\":2,\"t\":1,\"ty".getBytes(StandardCharsets.UTF_8));
    open(1 << 20);
    Events.line("attach").write();
    List<String> lines = lines(file);
    assertEquals(2, lines.size());
    assertTrue(lines.get(1).startsWith("{\"v\":2"));
  }

  @Test
  void atHoldsWhatIsSetAndTheNameOfThePhase() throws IOException {
    Path file = open(1 << 20);
    long[] slots = new long[Position.SLOTS];
    java.util.Arrays.fill(slots, Position.UNKNOWN);
    slots[Position.PHASE] = Phase.MAP;
    slots[Position.RECORDS_IN] = 1885;
    slots[Position.ERRORS] = 0;
    slots[Position.GROUP_DIGEST] = -2;
    Events.line("test").at(slots, 0).write();
    assertTrue(
        lines(file)
            .get(0)
            .contains(
                "\"at\":{\"phase\":\"map\",\"records_in\":1885,"
                    + "\"group_digest\":\"fffffffffffffffe\"}"));
  }

  private Path open(long most) throws IOException {
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), most);
    return file;
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file, StandardCharsets.UTF_8);
  }
}
