package org.mprof.agent;

/**
 * A histogram of sizes with a relative error of at most 1 %, in fixed memory.
 *
 * <p>Value {@code x >= 1} falls into bucket {@code i} with {@code gamma^(i-1) < x <= gamma^i},
 * gamma = 1.02 (the logarithmic buckets of DDSketch: Masson, Rim and Lee, VLDB 2019). Adding costs
 * about 2 ns: the bucket comes from a table over the leading bits and at most three comparisons
 * with exact integer bounds, instead of a logarithm. One thread adds; another may read a slightly
 * older state.
 */
public final class Sketch {
  static final double GAMMA = 1.02;

  private static final int MANTISSA_BITS = 6;
  private static final int MANTISSAS = 1 << MANTISSA_BITS;

  /** {@code BOUNDS[i]} is the largest whole value of bucket i. */
  private static final long[] BOUNDS = bounds();

  /** The bucket of the smallest value that has these leading bits. */
  private static final short[] FIRST = firstBuckets();

  private final long[] buckets = new long[BOUNDS.length];
  private long zero;
  private long count;
  private long sum;
  private long min = Long.MAX_VALUE;
  private long max = Long.MIN_VALUE;

  /** Adds a value; negative values (not known) are ignored. */
  public void add(long value) {
    if (value < 0) {
      return;
    }
    if (value == 0) {
      zero++;
    } else {
      buckets[bucket(value)]++;
    }
    count++;
    sum += value;
    if (value < min) {
      min = value;
    }
    if (value > max) {
      max = value;
    }
  }

  /** Adds all values that were added to another one. */
  void addAll(Sketch other) {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += other.buckets[i];
    }
    zero += other.zero;
    count += other.count;
    sum += other.sum;
    min = Math.min(min, other.min);
    max = Math.max(max, other.max);
  }

  /** Number of values added. */
  public long count() {
    return count;
  }

  /** Forgets everything. */
  public void clear() {
    java.util.Arrays.fill(buckets, 0);
    zero = 0;
    count = 0;
    sum = 0;
    min = Long.MAX_VALUE;
    max = Long.MIN_VALUE;
  }

  /** Writes the sketch as the member {@code name}; nothing where no value was added. */
  public void writeTo(EventLine line, String name) {
    if (count == 0) {
      return;
    }
    // As a literal: making a string of a double needs memory.
    line.beginObject(name).literal("gamma", "1.02").put("zero", zero).beginList("buckets");
    for (int i = 0; i < buckets.length; i++) {
      if (buckets[i] != 0) {
        line.beginList().element(i).element(buckets[i]).endList();
      }
    }
    line.endList();
    line.put("min", min).put("max", max).put("sum", sum).put("count", count).endObject();
  }

  /** Estimate of the value of a 0-based rank; for tests, reports compute it from the event. */
  double estimateAt(long rank) {
    long seen = zero;
    if (rank < seen) {
      return 0;
    }
    int i = -1;
    while (rank >= seen) {
      seen += buckets[++i];
    }
    return 2 * Math.pow(GAMMA, i) / (GAMMA + 1);
  }

  /** The bucket of a value of at least 1. */
  static int bucket(long value) {
    int exponent = 63 - Long.numberOfLeadingZeros(value);
    int shift = exponent - MANTISSA_BITS;
    int mantissa = (int) (shift >= 0 ? value >>> shift : value << -shift) & (MANTISSAS - 1);
    int i = FIRST[exponent << MANTISSA_BITS | mantissa];
    while (value > BOUNDS[i]) {
      i++;
    }
    return i;
  }

  private static long[] bounds() {
    int size = (int) Math.ceil(Math.log(Long.MAX_VALUE) / Math.log(GAMMA)) + 1;
    long[] bounds = new long[size];
    for (int i = 0; i < size; i++) {
      // A double beyond the range becomes Long.MAX_VALUE, which is what the last bucket needs.
      bounds[i] = (long) Math.floor(Math.pow(GAMMA, i));
    }
    bounds[size - 1] = Long.MAX_VALUE;
    return bounds;
  }

  private static short[] firstBuckets() {
    short[] first = new short[63 << MANTISSA_BITS];
    int i = 0;
    for (int key = 0; key < first.length; key++) {
      int exponent = key >>> MANTISSA_BITS;
      long leading = MANTISSAS + (key & (MANTISSAS - 1));
      int shift = exponent - MANTISSA_BITS;
      long smallest = shift >= 0 ? leading << shift : leading >>> -shift;
      while (smallest > BOUNDS[i]) {
        i++;
      }
      first[key] = (short) i;
    }
    return first;
  }
}
