package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatisticsTest {
  @TempDir Path folder;

  @BeforeEach
  void open() throws IOException {
    Events.open(folder.resolve("events.jsonl").toFile(), 1 << 20);
  }

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void largestKeepsTheSixteenLargestInOrder() throws IOException {
    Random random = new Random(5);
    Largest largest = new Largest();
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      long size = random.nextInt(100_000);
      all.add(size);
      largest.offer(size, 1, i, 1, size, 0, null);
    }
    all.sort(Collections.<Long>reverseOrder());
    EventLine line = Events.line("test");
    largest.writeTo(line, "largest");
    line.write();
    assertEquals(all.subList(0, 16), numbers("bytes"));
  }

  @Test
  void fewerThanSixteenAreAllKept() throws IOException {
    Largest largest = new Largest();
    for (long size : new long[] {3, 0, 7}) {
      largest.offer(size, -1, -1, -1, size, -1, null);
    }
    largest.offer(Position.UNKNOWN, -1, -1, -1, 99, -1, null);
    EventLine line = Events.line("test");
    largest.writeTo(line, "largest");
    line.write();
    assertEquals(longs(7, 3, 0), numbers("bytes"));
  }

  @Test
  void openGroupIsCurrentAndNotInTheSketch() throws IOException {
    GroupStatistics groups = new GroupStatistics("reduce");
    groups.begin(11);
    groups.record(100);
    groups.record(50);
    groups.begin(12);
    groups.record(1);
    groups.write(false);
    String event = log();
    assertTrue(event.contains("\"count\":1,\"records\":{"), event);
    assertTrue(event.contains("\"min\":150,\"max\":150,\"sum\":150"), event);
    assertTrue(event.contains("\"current\":{\"group\":2,\"records\":1,\"bytes\":1,"), event);
    assertEquals(2, groups.ordinal());
  }

  @Test
  void groupWithARecordOfUnknownSizeHasNoBytes() throws IOException {
    GroupStatistics groups = new GroupStatistics("reduce");
    groups.begin(11);
    groups.record(100);
    groups.record(Position.UNKNOWN);
    groups.end();
    groups.write(true);
    assertTrue(log().contains("\"largest_by_records\":[{\"group\":1,\"records\":2,\"digest\""));
    assertTrue(log().contains("\"largest_by_bytes\":[]"));
    assertTrue(log().contains("\"whole\":true"));
  }

  @Test
  void recordInFlightIsCurrentAndNotInTheSketch() throws IOException {
    RecordStatistics records = new RecordStatistics("map");
    records.record(10);
    records.record(20);
    records.record(999);
    records.write(false);
    String event = log();
    assertTrue(event.contains("\"count\":2,\"bytes\":{"), event);
    assertTrue(event.contains("\"max\":20"), event);
    assertTrue(event.contains("\"current\":{\"record\":3,\"bytes\":999}"), event);
  }

  private String log() throws IOException {
    return new String(Files.readAllBytes(folder.resolve("events.jsonl")), StandardCharsets.UTF_8);
  }

  private List<Long> numbers(String name) throws IOException {
    List<Long> found = new ArrayList<>();
    Matcher matcher = Pattern.compile("\"" + name + "\":(\\d+)").matcher(log());
    while (matcher.find()) {
      found.add(Long.parseLong(matcher.group(1)));
    }
    return found;
  }

  private static List<Long> longs(long... values) {
    List<Long> list = new ArrayList<>();
    for (long value : values) {
      list.add(value);
    }
    return list;
  }
}
