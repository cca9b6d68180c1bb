package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BallastTest {
  private static final long MB = 1L << 20;
  private static final long SECOND = 1_000_000_000L;

  @AfterEach
  void release() {
    Ballast.release();
  }

  @Test
  void itHoldsWholeChunksOverSeveralRowsUntilItIsReleased() {
    assertNull(Ballast.hold(70 * MB + 1000, 0, 60 * SECOND)); // 1,120 chunks: two rows
    assertTrue(Ballast.isHeld());
    assertEquals(70 * MB, Ballast.bytes());
    System.gc();
    Runtime heap = Runtime.getRuntime();
    assertTrue(heap.totalMemory() - heap.freeMemory() > 70 * MB);
    Ballast.release();
    assertEquals(0, Ballast.bytes());
    assertFalse(Ballast.isHeld());
  }

  @Test
  void ofLessThanAChunkNothingIsHeld() {
    assertNull(Ballast.hold(1000, 0, 60 * SECOND));
    assertFalse(Ballast.isHeld());
  }

  @Test
  void itHoldsAllOrNothingAndLeavesWhatItIsToldTo() {
    long most = Runtime.getRuntime().maxMemory();
    assertNotNull(Ballast.hold(10 * MB, most, 60 * SECOND));
    assertFalse(Ballast.isHeld());
    assertNotNull(Ballast.hold(most, most - 100 * MB, 60 * SECOND));
    assertFalse(Ballast.isHeld(), "what fitted in is given up again");
  }

  @Test
  void itGivesUpWhereItTakesTooLong() {
    Reason why = Ballast.hold(10 * MB, 0, -1);
    assertTrue(why.toString().startsWith("too_slow"), why.toString());
    assertFalse(Ballast.isHeld());
  }
}
