package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.RuntimeErrorException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReasonTest {
  @TempDir Path folder;

  @AfterEach
  void close() throws IOException {
    Events.close();
  }

  @Test
  void aReasonIsACodeWithItsParameters() throws IOException {
    assertEquals("{\"code\":\"thinned\"}", json(Reason.of("thinned")));
    assertEquals(
        "{\"code\":\"disk_full\",\"percent\":0}", json(Reason.of("disk_full", "percent", 0)));
    assertEquals(
        "{\"code\":\"file_exists\",\"file\":\"a on b\"}",
        json(Reason.of("file_exists", "file", "a on b")));
    assertEquals(
        "{\"code\":\"error\",\"class\":\"java.io.IOException\",\"message\":\"gone\"}",
        json(Reason.error(new IOException("gone"))));
    assertEquals(
        "{\"code\":\"error\",\"class\":\"java.io.IOException\"}",
        json(Reason.error(new IOException())));
  }

  @Test
  void aHeapThatRanFullIsToldThroughTheExceptionsAroundIt() throws IOException {
    Error full = new OutOfMemoryError("Java heap space");
    // As the diagnostic command bean throws it.
    Exception wrapped = new IOException(new RuntimeErrorException(full));
    assertSame(Reason.OUT_OF_MEMORY, Reason.error(full));
    assertSame(Reason.OUT_OF_MEMORY, Reason.error(wrapped));
    assertEquals("{\"code\":\"out_of_memory\"}", json(Reason.error(wrapped)));
  }

  private String json(Reason reason) throws IOException {
    Path file = folder.resolve("events.jsonl");
    Files.deleteIfExists(file);
    Events.open(file.toFile(), 1 << 20);
    reason.putTo(Events.line("test"), "why").write();
    Events.close();
    String line = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    return line.replaceAll(".*\"why\":|,\"n\":1}\n", "");
  }
}
