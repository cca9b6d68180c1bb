package org.mprof.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 64-bit digest of a key or value, so that a record can be recognised without storing it.
 *
 * <p>Not cryptographic. It reads at most 64 bytes, eight at a time, because it is computed for every
 * record of combine and reduce: a step a byte was four times the cost of all the rest of the hook.
 * Two chains of steps, which the processor runs side by side, take half the time of one. The
 * definition stands in {@code docs/reference/position-file.md}.
 */
public final class Digest {
  private static final long START = 0x9E3779B97F4A7C15L;
  private static final long EVEN = 0xFF51AFD7ED558CCDL;
  private static final long ODD = 0xC4CEB9FE1A85EC53L;
  private static final int HEAD = 32;

  private Digest() {}

  /** The digest of {@code bytes[offset .. offset + length)}; never {@link Position#UNKNOWN}. */
  public static long of(byte[] bytes, int offset, int length) {
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
    int i = offset;
    for (; i + 16 <= end; i += 16) {
      even = step(EVEN, even, words.getLong(i));
      odd = step(ODD, odd, words.getLong(i + 8));
    }
    if (i + 8 <= end) {
      even = step(EVEN, even, words.getLong(i));
      i += 8;
      if (i < end) {
        odd = step(ODD, odd, lastWord(bytes, words, length, i, end));
      }
    } else if (i < end) {
      even = step(EVEN, even, lastWord(bytes, words, length, i, end));
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
    // One more step for one of them, and a multiplier of its own: else changes in the high bytes of
    // two words could cancel out.
    long h = step(EVEN, even, step(ODD, odd, START));
    return h == Position.UNKNOWN ? 0 : h;
  }

  /** The word of the last one to seven bytes, from {@code from} on. */
  private static long lastWord(byte[] bytes, ByteBuffer words, int length, int from, int end) {
    if (length >= 8) {
      return words.getLong(end - 8) >>> 8 * (8 - (end - from));
    }
    long word = 0;
    for (int i = end - 1; i >= from; i--) {
      word = word << 8 | (bytes[i] & 0xffL);
    }
    return word;
  }
}
