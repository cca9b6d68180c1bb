package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of the process is what the kernel says, and costs the task no memory to ask for. */
class ProcessMemoryTest {
  private static final long BUFFER = 48L << 20;

  @TempDir Path folder;

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void aNumberIsTheOneOfItsLabelAtTheBeginningOfALine() {
    byte[] text = bytes("Name:\tVmRSS: 7\nVmHWM:\t  120 kB\nVmRSS:\t   99 kB\nThreads:\t12");
    assertEquals(120, ProcessMemory.numberAfter(bytes("VmHWM:"), text, text.length));
    assertEquals(99, ProcessMemory.numberAfter(bytes("VmRSS:"), text, text.length));
    assertEquals(12, ProcessMemory.numberAfter(bytes("Threads:"), text, text.length));
    assertEquals(Position.UNKNOWN, ProcessMemory.numberAfter(bytes("No:"), text, text.length));
    assertEquals(Position.UNKNOWN, ProcessMemory.numberAfter(bytes("Name:"), text, text.length));
    assertEquals(Position.UNKNOWN, ProcessMemory.numberAfter(bytes("VmRSS:"), text, 20));
  }

  @Test
  void aBufferOutsideTheHeapShowsInTheLinesAndTheKernelAgrees() throws IOException {
    assumeTrue(new File("/proc/self/status").canRead());
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), 1 << 20);
    ProcessMemory.tick();
    ProcessMemory.last();
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) BUFFER); // allocateDirect zeroes it
    ProcessMemory.tick();
    String statm = Files.readAllLines(Paths.get("/proc/self/statm")).get(0);
    long pagesNow = Long.parseLong(statm.split(" ")[1]);
    List<String> lines = Files.readAllLines(file);
    String before = lines.get(lines.size() - 2);
    String after = lines.get(lines.size() - 1);
    assertTrue(after.contains("\"type\":\"process\""), after);
    assertEquals(BUFFER, member(after, "direct") - member(before, "direct"), buffer.capacity() % 2);
    long grown = member(after, "resident") - member(before, "resident");
    assertTrue(grown > BUFFER * 9 / 10, "grown by " + grown);
    double pageBytes = (double) member(after, "resident") / pagesNow;
    assertTrue(pageBytes > 3500, "statm and status count the same: " + pageBytes);
    assertTrue(member(after, "heap_used") <= member(after, "heap_committed"));
    assertTrue(member(after, "threads") >= 2);
  }

  @Test
  void memoryThatDoesNotMoveIsNotWrittenAgain() throws IOException {
    assumeTrue(new File("/proc/self/status").canRead());
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), 1 << 20);
    ProcessMemory.tick();
    ProcessMemory.last();
    int lines = Files.readAllLines(file).size();
    for (int i = 0; i < 20; i++) {
      ProcessMemory.tick();
    }
    int more = Files.readAllLines(file).size() - lines;
    assertTrue(more <= 2, "lines of a process that does nothing: " + more);
  }

  @Test
  void aLookThatWritesNothingAllocatesNothing() throws IOException {
    assumeTrue(new File("/proc/self/status").canRead());
    Events.open(folder.resolve("events.jsonl").toFile(), 1 << 20);
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    for (int i = 0; i < 50; i++) {
      ProcessMemory.tick();
    }
    ProcessMemory.last();
    long before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < 1000; i++) {
      ProcessMemory.tick();
    }
    long each = (threads.getThreadAllocatedBytes(self) - before) / 1000;
    assertTrue(each < 8, "bytes a look: " + each);
  }

  private static long member(String line, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":(\\d+)").matcher(line);
    assertTrue(found.find(), name + " in " + line);
    return Long.parseLong(found.group(1));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
