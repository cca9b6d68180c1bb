package org.mprof.agent;

/**
 * A 64-bit digest of a key or value, so that a record can be recognised without storing it.
 *
 * <p>Not cryptographic. It reads at most 64 bytes, eight at a time, because it is computed for every
 * record of combine and reduce: a step a byte was four times the cost of all the rest of the hook.
 * The definition stands in {@code docs/reference/position-file.md}.
 */
public final class Digest {
  private static final long START = 0x9E3779B97F4A7C15L;
  private static final long PRIME = 0xFF51AFD7ED558CCDL;
  private static final int HEAD = 32;

  private Digest() {}

  /** The digest of {@code bytes[offset .. offset + length)}; never {@link Position#UNKNOWN}. */
  public static long of(byte[] bytes, int offset, int length) {
    long h = length * START;
    int end = offset + length;
    int i = offset;
    int headEnd = length <= 2 * HEAD ? end : offset + HEAD;
    for (; i + 8 <= headEnd; i += 8) {
      h = step(h, word(bytes, i));
    }
    if (headEnd != end) {
      i = end - HEAD;
      for (; i < end; i += 8) {
        h = step(h, word(bytes, i));
      }
    } else if (i < end) {
      h = step(h, lastWord(bytes, i, end));
    }
    h ^= h >>> 29;
    return h == Position.UNKNOWN ? 0 : h;
  }

  /** The digest of a record from those of its key and its value. */
  public static long record(long key, long value) {
    long h = key * 31 + value;
    return h == Position.UNKNOWN ? 0 : h;
  }

  private static long step(long h, long word) {
    long mixed = (h ^ word) * PRIME;
    // Multiplication carries upwards only; without the shift the high bytes of words collide.
    return mixed ^ (mixed >>> 32);
  }

  private static long word(byte[] b, int i) {
    return (b[i] & 0xffL)
        | (b[i + 1] & 0xffL) << 8
        | (b[i + 2] & 0xffL) << 16
        | (b[i + 3] & 0xffL) << 24
        | (b[i + 4] & 0xffL) << 32
        | (b[i + 5] & 0xffL) << 40
        | (b[i + 6] & 0xffL) << 48
        | (b[i + 7] & 0xffL) << 56;
  }

  private static long lastWord(byte[] b, int from, int end) {
    long word = 0;
    for (int i = end - 1; i >= from; i--) {
      word = word << 8 | (b[i] & 0xffL);
    }
    return word;
  }
}
