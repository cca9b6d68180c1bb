package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class FaultsTest {
  @Test
  void ofAHookInAFullHeapAreCountedWithoutAWord() throws Exception {
    assertEquals("", said(new OutOfMemoryError("Java heap space")));
    assertEquals("", said(new OutOfMemoryError("GC overhead limit exceeded")));
    String other = said(new OutOfMemoryError("Metaspace"));
    assertTrue(other.contains("Metaspace"), other);
    assertTrue(said(new OutOfMemoryError()).contains("OutOfMemoryError"));
  }

  /** What is said of it on stderr; it counts in any case. */
  private static String said(Throwable fault) throws Exception {
    long before = Math.max(0, Position.get(Position.ERRORS));
    PrintStream real = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, "UTF-8"));
    try {
      Faults.inHook(fault, 1);
    } finally {
      System.setErr(real);
    }
    assertEquals(before + 1, Position.get(Position.ERRORS));
    return bytes.toString("UTF-8");
  }
}
