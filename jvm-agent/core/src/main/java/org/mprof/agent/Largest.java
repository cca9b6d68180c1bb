package org.mprof.agent;

/**
 * The 16 largest things seen, by one of their sizes; allocates nothing once it is made.
 *
 * <p>A plain list in order of size: nearly every offer fails the first comparison.
 */
public final class Largest {
  static final int MOST = 16;

  private final long[] sizes = new long[MOST];
  private final long[] groups = new long[MOST];
  private final long[] ordinals = new long[MOST];
  private final long[] records = new long[MOST];
  private final long[] bytes = new long[MOST];
  private final long[] digests = new long[MOST];
  private final String[] keys = new String[MOST];
  private int count;

  /** What is larger than this is kept; sizes are not negative where they are known. */
  private long floor = -1;

  /** Whether something of this size would be kept; the quick test for callers on a hot path. */
  public boolean wouldKeep(long size) {
    return size > floor;
  }

  /**
   * Offers one thing. Members that do not apply are {@link Position#UNKNOWN}.
   *
   * @param size what it is ordered by
   * @param key text of the key, or null
   */
  public void offer(
      long size,
      long group,
      long ordinal,
      long recordCount,
      long byteCount,
      long digest,
      String key) {
    if (!wouldKeep(size)) {
      return;
    }
    int i = count < MOST ? count++ : MOST - 1;
    for (; i > 0 && sizes[i - 1] < size; i--) {
      move(i - 1, i);
    }
    sizes[i] = size;
    groups[i] = group;
    ordinals[i] = ordinal;
    records[i] = recordCount;
    bytes[i] = byteCount;
    digests[i] = digest;
    keys[i] = key;
    if (count == MOST) {
      floor = sizes[MOST - 1];
    }
  }

  /** Writes them, largest first, as the member {@code name}; members not known are left out. */
  public void writeTo(EventLine line, String name) {
    line.beginList(name);
    for (int i = 0; i < count; i++) {
      line.beginObject()
          .putKnown("record", ordinals[i])
          .putKnown("group", groups[i])
          .putKnown("records", records[i])
          .putKnown("bytes", bytes[i])
          .digest("digest", digests[i])
          .put("key", keys[i])
          .endObject();
    }
    line.endList();
  }

  private void move(int from, int to) {
    sizes[to] = sizes[from];
    groups[to] = groups[from];
    ordinals[to] = ordinals[from];
    records[to] = records[from];
    bytes[to] = bytes[from];
    digests[to] = digests[from];
    keys[to] = keys[from];
  }
}
