package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FailuresTest {
  @TempDir Path folder;

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void anErrorThatComesByAgainIsToldOnceAlsoAfterAnotherThreadsError() throws Exception {
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), 1 << 20);
    Exception first = new IllegalStateException("as asked");
    Failures.record(first, "map");
    Thread other = new Thread(() -> Failures.record(new IOException("closed"), "map"));
    other.start();
    other.join();
    Failures.record(new RuntimeException(first), "map");
    assertEquals(
        Arrays.asList("java.lang.IllegalStateException", "java.io.IOException"), classes(file));
  }

  @Test
  @Timeout(10)
  void causesInACircleEnd() throws Exception {
    Path file = folder.resolve("events.jsonl");
    Events.open(file.toFile(), 1 << 20);
    Circular first = new Circular();
    Circular second = new Circular();
    first.cause = second;
    second.cause = first;
    Failures.record(first, "map");
    Failures.record(new IllegalStateException("another one"), "map");
    assertEquals(
        Arrays.asList(Circular.class.getName(), "java.lang.IllegalStateException"), classes(file));
    assertFalse(Failures.isOfMemory(first));
    second.cause = new OutOfMemoryError();
    assertTrue(Failures.isOfMemory(first));
  }

  private static final class Circular extends RuntimeException {
    private static final long serialVersionUID = 1;
    private Throwable cause;

    @Override
    public synchronized Throwable getCause() {
      return cause;
    }
  }

  @Test
  void theReserveFreesARegionOfItsOwn() {
    long region = 1 << 20;
    // G1 gives an array of more than half a region regions of its own
    assertTrue(Failures.reserveBytes(region) > region / 2);
    assertTrue(Failures.reserveBytes(region) < region);
    assertEquals(256 * 1024, Failures.reserveBytes(0));
    assertEquals(256 * 1024, Failures.reserveBytes(32 << 20));
  }

  private static List<String> classes(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.contains("\"type\":\"failure\""))
        .map(line -> line.replaceAll(".*?\"class\":\"([^\"]+)\".*", "$1"))
        .collect(Collectors.toList());
  }
}
