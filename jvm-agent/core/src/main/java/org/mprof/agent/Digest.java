package org.mprof.agent;

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

  private Digest() {}

  /** The digest of {@code bytes[offset .. offset + length)}; never {@link Position#UNKNOWN}. */
  public static long of(byte[] bytes, int offset, int length) {
    if ((offset | length) < 0 || length > bytes.length - offset) {
      throw new IndexOutOfBoundsException();
    }
    return Words.AVAILABLE ? ofWords(bytes, offset, length) : ofBytes(bytes, offset, length);
  }

  /**
   * The digest of bytes in a ring, which go on at the beginning of the array after its first {@code
   * end} bytes: a byte at a time, three times the time.
   */
  public static long ofRing(byte[] bytes, int offset, int length, int end) {
    if ((offset | length | end) < 0 || end > bytes.length || offset > end || length > end) {
      throw new IndexOutOfBoundsException();
    }
    return aByteAtATime(bytes, offset, length, end);
  }

  /** The definition, a byte at a time. */
  static long ofBytes(byte[] bytes, int offset, int length) {
    return aByteAtATime(bytes, offset, length, bytes.length);
  }

  private static long aByteAtATime(byte[] bytes, int offset, int length, int ringEnd) {
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
        word = word << 8 | bytes[i < ringEnd ? i : i - ringEnd] & 0xff;
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
    int end = offset + length;
    long even = length * START;
    long odd = START;
    if (length >= FOUR_WORDS) {
      int stride = stride(length);
      even = step(EVEN, even, Words.in(bytes, offset));
      odd = step(ODD, odd, Words.in(bytes, offset + stride));
      even = step(EVEN, even, Words.in(bytes, offset + 2 * stride));
      odd = step(ODD, odd, Words.in(bytes, end - 8));
    } else if (length >= 8) {
      even = step(EVEN, even, Words.in(bytes, offset));
      if (length > 8) {
        odd = step(ODD, odd, Words.in(bytes, end - 8) >>> 8 * (16 - length));
      }
    } else if (length > 0) {
      even = step(EVEN, even, shortWord(bytes, offset, length));
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
  private static long shortWord(byte[] bytes, int offset, int length) {
    int end = offset + length;
    if (length >= 4) {
      long low = Words.halfIn(bytes, offset);
      long high = Words.halfIn(bytes, end - 4);
      return low | high << 8 * (length - 4);
    }
    int middle = length >>> 1;
    return (bytes[offset] & 0xffL)
        | (bytes[offset + middle] & 0xffL) << 8 * middle
        | (bytes[end - 1] & 0xffL) << 8 * (length - 1);
  }
}
