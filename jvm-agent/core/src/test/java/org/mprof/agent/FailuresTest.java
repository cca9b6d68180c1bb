package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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

  private static List<String> classes(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.contains("\"type\":\"failure\""))
        .map(line -> line.replaceAll(".*?\"class\":\"([^\"]+)\".*", "$1"))
        .collect(Collectors.toList());
  }
}
