package org.mprof.agent;

/**
 * A histogram of sizes with a relative error of at most 1 %, in fixed memory.
 *
 * <p>Value {@code x >= 1} falls into bucket {@code i} with {@code gamma^(i-1) < x <= gamma^i},
 * gamma = 1.02 (the logarithmic buckets of DDSketch: Masson, Rim and Lee, VLDB 2019). Small values,
 * which most are, are counted one by one and put into their buckets when the sketch is written: an
 * addition is then one comparison and one increment, which also costs the compiler little in the
 * methods it is inlined into. The bucket of a larger one comes from a table over the leading bits
 * and at most three comparisons with exact integer bounds, instead of a logarithm. One thread adds;
 * another may read a slightly older state.
 */
public final class Sketch {
  static final double GAMMA = 1.02;

  /** Values below this are counted one by one. */
  static final int SMALL = 512;

  private static final int MANTISSA_BITS = 6;
  private static final int MANTISSAS = 1 << MANTISSA_BITS;

  /** {@code BOUNDS[i]} is the largest whole value of bucket i. */
  private static final long[] BOUNDS = bounds();

  /** The bucket of the smallest value that has these leading bits. */
  private static final short[] FIRST = firstBuckets();

  private final long[] small = new long[SMALL];
  private final long[] buckets = new long[BOUNDS.length];
  private long largeSum;
  private long largeMin = Long.MAX_VALUE;
  private long largeMax = Long.MIN_VALUE;

  /** Adds a value; negative values (not known) are ignored. */
  public void add(long value) {
    add(value, 1);
  }

  /** Adds a value so many times. */
  void add(long value, long times) {
    if (value >= 0 && value < SMALL) {
      small[(int) value] += times;
    } else if (value > 0 && times > 0) {
      addLarge(value, times);
    }
  }

  private void addLarge(long value, long times) {
    buckets[bucket(value)] += times;
    largeSum += value * times;
    largeMin = Math.min(largeMin, value);
    largeMax = Math.max(largeMax, value);
  }

  /** Adds all values that were added to another one. */
  void addAll(Sketch other) {
    for (int value = 0; value < SMALL; value++) {
      small[value] += other.small[value];
    }
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += other.buckets[i];
    }
    largeSum += other.largeSum;
    largeMin = Math.min(largeMin, other.largeMin);
    largeMax = Math.max(largeMax, other.largeMax);
  }

  /** Writes the sketch as the member {@code name}; nothing where no value was added. */
  public void writeTo(EventLine line, String name) {
    long count = small[0];
    long sum = largeSum;
    long min = count > 0 ? 0 : Long.MAX_VALUE;
    long max = count > 0 ? 0 : Long.MIN_VALUE;
    for (int value = 1; value < SMALL; value++) {
      sum += value * small[value];
      if (small[value] > 0) {
        min = Math.min(min, value);
        max = value;
      }
    }
    min = Math.min(min, largeMin);
    max = Math.max(max, largeMax);
    if (max < 0) {
      return;
    }
    // As a literal: making a string of a double needs memory.
    line.beginObject(name).literal("gamma", "1.02").put("zero", small[0]).beginList("buckets");
    int value = 1;
    for (int i = 0; i < buckets.length; i++) {
      long inBucket = buckets[i];
      for (; value < SMALL && value <= BOUNDS[i]; value++) {
        inBucket += small[value];
      }
      if (inBucket != 0) {
        count += inBucket;
        line.beginList().element(i).element(inBucket).endList();
      }
    }
    line.endList();
    line.put("min", min).put("max", max).put("sum", sum).put("count", count).endObject();
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
