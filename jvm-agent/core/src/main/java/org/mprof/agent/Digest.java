package org.mprof.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 64-bit digest of a key or value, so that a record can be recognised without storing it.
 *
 * <p>Not cryptographic. It reads at most 64 bytes, eight at a time, because it is computed for
 * every record of combine and reduce: a step a byte was four times the cost of all the rest of the
 * hook. Two chains of steps, which the processor runs side by side, take half the time of one. The
 * definition stands in {@code docs/reference/position-file.md}.
 */
public final class Digest {
  private static final long START = 0x9E3779B97F4A7C15L;
  private static final long EVEN = 0xFF51AFD7ED558CCDL;
  private static final long ODD = 0xC4CEB9FE1A85EC53L;
  private static final int HEAD = 32;

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
    boolean gap = length > 2 * HEAD;
    int words = gap ? 2 * HEAD / 8 : (length + 7) >>> 3;
    int end = offset + length;
    long even = length * START;
    long odd = START;
    for (int k = 0; k < words; k++) {
      int at = gap && k >= HEAD / 8 ? end - 2 * HEAD + 8 * k : offset + 8 * k;
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
    if (length > 2 * HEAD) {
      even = step(EVEN, even, words.getLong(offset));
      odd = step(ODD, odd, words.getLong(offset + 8));
      even = step(EVEN, even, words.getLong(offset + 16));
      odd = step(ODD, odd, words.getLong(offset + 24));
      even = step(EVEN, even, words.getLong(end - 32));
      odd = step(ODD, odd, words.getLong(end - 24));
      even = step(EVEN, even, words.getLong(end - 16));
      odd = step(ODD, odd, words.getLong(end - 8));
      return finish(even, odd);
    }
    if (length < 8) {
      long word = length == 0 ? 0 : shortWord(bytes, words, offset, length);
      return finish(length == 0 ? even : step(EVEN, even, word), odd);
    }
    // Written out: the compiler makes pre-, main and post-loops of a loop, for four rounds at most.
    int i = offset;
    if (length >= 16) {
      even = step(EVEN, even, words.getLong(i));
      odd = step(ODD, odd, words.getLong(i + 8));
      i += 16;
      if (length >= 32) {
        even = step(EVEN, even, words.getLong(i));
        odd = step(ODD, odd, words.getLong(i + 8));
        i += 16;
        if (length >= 48) {
          even = step(EVEN, even, words.getLong(i));
          odd = step(ODD, odd, words.getLong(i + 8));
          i += 16;
          if (length == 64) {
            even = step(EVEN, even, words.getLong(i));
            odd = step(ODD, odd, words.getLong(i + 8));
            i += 16;
          }
        }
      }
    }
    int left = end - i;
    if (left >= 8) {
      even = step(EVEN, even, words.getLong(i));
      if (left > 8) {
        odd = step(ODD, odd, words.getLong(end - 8) >>> 8 * (16 - left));
      }
    } else if (left > 0) {
      even = step(EVEN, even, words.getLong(end - 8) >>> 8 * (8 - left));
    }
    return finish(even, odd);
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
