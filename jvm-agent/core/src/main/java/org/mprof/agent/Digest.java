package org.mprof.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 64-bit digest of a key or value, so that a record can be recognised without storing it.
 *
 * <p>Not cryptographic. It reads at most four words of eight bytes, because it is computed for
 * every record of combine and reduce: a step a byte was four times the cost of all the rest of the
 * hook. Of long records the words lie apart, so that a common head and tail do not make records
 * alike; the length counts too, and a record is looked up within its group. Two chains of steps,
 * which the processor runs side by side, take half the time of one. The definition stands in {@code
 * docs/reference/position-file.md}.
 */
public final class Digest {
  private static final long START = 0x9E3779B97F4A7C15L;
  private static final long EVEN = 0xFF51AFD7ED558CCDL;
  private static final long ODD = 0xC4CEB9FE1A85EC53L;

  /** Fewer bytes than this are two words at most; more are always four, which may overlap. */
  private static final int FOUR_WORDS = 16;

  private static boolean byBytes;

  private Digest() {}

  /**
   * Reads single bytes from now on. Profile and verify mode run without the replacement of
   * allocations, where {@link #ofWords} would make an object a call; a task that was just about to
   * run out of memory then did so here, and its dump showed the agent instead of the user's code.
   */
  static void readBytes() {
    byBytes = true;
  }

  /** The digest of {@code bytes[offset .. offset + length)}; never {@link Position#UNKNOWN}. */
  public static long of(byte[] bytes, int offset, int length) {
    return byBytes ? ofBytes(bytes, offset, length) : ofWords(bytes, offset, length);
  }

  /** The definition, a byte at a time: no object, three times the time. */
  static long ofBytes(byte[] bytes, int offset, int length) {
    boolean four = length >= FOUR_WORDS;
    int words = four ? 4 : (length + 7) >>> 3;
    int stride = four ? stride(length) : 8;
    int end = offset + length;
    long even = length * START;
    long odd = START;
    for (int k = 0; k < words; k++) {
      int at = k == 3 ? end - 8 : offset + stride * k;
      long word = 0;
      for (int i = Math.min(at + 8, end) - 1; i >= at; i--) {
        word = word << 8 | bytes[i] & 0xff;
      }
      if ((k & 1) == 0) {
        even = step(EVEN, even, word);
      } else {
        odd = step(ODD, odd, word);
      }
    }
    return finish(even, odd);
  }

  /** The same, a word at a time. */
  static long ofWords(byte[] bytes, int offset, int length) {
    // Never leaves this method, so the compiled code makes no object of it (measured: 0 B a call),
    // and it reads words with one load each instead of eight: a third of the time.
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = offset + length;
    long even = length * START;
    long odd = START;
    if (length >= FOUR_WORDS) {
      int stride = stride(length);
      even = step(EVEN, even, words.getLong(offset));
      odd = step(ODD, odd, words.getLong(offset + stride));
      even = step(EVEN, even, words.getLong(offset + 2 * stride));
      odd = step(ODD, odd, words.getLong(end - 8));
    } else if (length >= 8) {
      even = step(EVEN, even, words.getLong(offset));
      if (length > 8) {
        odd = step(ODD, odd, words.getLong(end - 8) >>> 8 * (16 - length));
      }
    } else if (length > 0) {
      even = step(EVEN, even, shortWord(bytes, words, offset, length));
    }
    return finish(even, odd);
  }

  /** A third of the way to the last word, rounded up: up to 32 bytes no byte is left out. */
  private static int stride(int length) {
    return (length - 6) / 3;
  }

  /** The digest of a record from those of its key and its value. */
  public static long record(long key, long value) {
    long h = key * 31 + value;
    return h == Position.UNKNOWN ? 0 : h;
  }

  private static long step(long prime, long h, long word) {
    long mixed = (h ^ word) * prime;
    // Multiplication carries upwards only; without the shift the high bytes of words collide.
    return mixed ^ (mixed >>> 32);
  }

  private static long finish(long even, long odd) {
    // Rotated, and a multiplier for each: else changes in the high bytes of two words, which reach
    // few bits, could cancel out. A further step would do the same and cost a third of the whole.
    long h = even + Long.rotateLeft(odd, 16);
    return h == Position.UNKNOWN ? 0 : h;
  }

  /** The only word of one to seven bytes, put together from reads that may overlap. */
  private static long shortWord(byte[] bytes, ByteBuffer words, int offset, int length) {
    int end = offset + length;
    if (length >= 4) {
      long low = words.getInt(offset) & 0xffffffffL;
      long high = words.getInt(end - 4) & 0xffffffffL;
      return low | high << 8 * (length - 4);
    }
    int middle = length >>> 1;
    return (bytes[offset] & 0xffL)
        | (bytes[offset + middle] & 0xffL) << 8 * middle
        | (bytes[end - 1] & 0xffL) << 8 * (length - 1);
  }
}
