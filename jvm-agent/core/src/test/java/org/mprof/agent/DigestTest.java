package org.mprof.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class DigestTest {
  private static final BigInteger MOD = BigInteger.ONE.shiftLeft(64);

  /** The definition of position-file.md, word for word, in arithmetic that cannot overflow. */
  private static BigInteger byDefinition(byte[] b) {
    byte[] taken = b;
    if (b.length >= 16) {
      int third = (int) Math.ceil((b.length - 8) / 3.0);
      taken = new byte[32];
      System.arraycopy(b, 0, taken, 0, 8);
      System.arraycopy(b, third, taken, 8, 8);
      System.arraycopy(b, 2 * third, taken, 16, 8);
      System.arraycopy(b, b.length - 8, taken, 24, 8);
    }
    BigInteger start = new BigInteger("9E3779B97F4A7C15", 16);
    BigInteger[] h = {BigInteger.valueOf(b.length).multiply(start).mod(MOD), start};
    for (int i = 0; i < taken.length; i += 8) {
      BigInteger w = BigInteger.ZERO;
      for (int j = 0; j < 8 && i + j < taken.length; j++) {
        w = w.add(BigInteger.valueOf(taken[i + j] & 0xff).shiftLeft(8 * j));
      }
      h[i / 8 % 2] = step(i / 8 % 2, h[i / 8 % 2], w);
    }
    BigInteger rotated = h[1].shiftLeft(16).or(h[1].shiftRight(48)).mod(MOD);
    return h[0].add(rotated).mod(MOD);
  }

  private static BigInteger step(int state, BigInteger h, BigInteger w) {
    String multiplier = state == 0 ? "FF51AFD7ED558CCD" : "C4CEB9FE1A85EC53";
    BigInteger mixed = h.xor(w).multiply(new BigInteger(multiplier, 16)).mod(MOD);
    return mixed.xor(mixed.shiftRight(32));
  }

  @Test
  void digestFollowsItsDefinitionAtEveryLength() {
    Random random = new Random(7);
    for (int length = 0; length < 200; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      byte[] padded = new byte[length + 11];
      System.arraycopy(bytes, 0, padded, 5, length);
      assertEquals(byDefinition(bytes).longValue(), Digest.of(padded, 5, length));
    }
  }

  @Test
  void neighboursDoNotCollide() {
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      byte[] word = ("user-" + i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      assertTrue(seen.add(Digest.of(word, 0, word.length)), "user-" + i);
    }
  }

  @Test
  void changesOfTwoBytesDoNotCancelOut() {
    // High bytes of words are the weak ones: plain multiplication folds them into a few bits.
    for (int first = 0; first < 32; first++) {
      for (int second = first + 1; second < 32; second++) {
        Set<Long> seen = new HashSet<>();
        byte[] bytes = new byte[32];
        for (int i = 0; i < 1024; i++) {
          bytes[first] = (byte) (37 * (i & 31));
          bytes[second] = (byte) (91 * (i >> 5));
          assertTrue(seen.add(Digest.of(bytes, 0, 32)), first + " and " + second + ": " + i);
        }
      }
    }
  }

  @Test
  void upToThirtyTwoBytesEveryByteCounts() {
    Random random = new Random(11);
    for (int length = 1; length <= 32; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      long before = Digest.of(bytes, 0, length);
      for (int i = 0; i < length; i++) {
        bytes[i] ^= 1;
        assertNotEquals(before, Digest.of(bytes, 0, length), length + " bytes, byte " + i);
        bytes[i] ^= 1;
      }
    }
  }

  @Test
  void unknownIsNeverADigest() {
    assertNotEquals(Position.UNKNOWN, Digest.record(0, Position.UNKNOWN));
  }

  @Test
  void byBytesAndByWordsAreTheSame() {
    Assumptions.assumeTrue(Words.AVAILABLE, "this JVM reads single bytes only");
    Random random = new Random(20261121);
    for (int length = 0; length < 200; length++) {
      byte[] bytes = new byte[length + 24];
      random.nextBytes(bytes);
      for (int offset = 8; offset < 16; offset++) {
        assertEquals(Digest.ofWords(bytes, offset, length), Digest.ofBytes(bytes, offset, length));
      }
    }
  }

  @Test
  void bytesOutsideTheArrayAreNeverRead() {
    byte[] bytes = new byte[40];
    int[][] ranges = {
      {-1, 8},
      {0, 41},
      {33, 8},
      {39, 2},
      {8, -1},
      {Integer.MAX_VALUE, 8},
      {41, 0},
      {Integer.MAX_VALUE, Integer.MAX_VALUE}
    };
    for (int[] range : ranges) {
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> Digest.of(bytes, range[0], range[1]),
          Arrays.toString(range));
    }
    Digest.of(bytes, 40, 0);
  }
}
