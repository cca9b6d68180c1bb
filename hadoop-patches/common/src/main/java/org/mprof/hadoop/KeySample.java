package org.mprof.hadoop;

import java.util.Arrays;
import java.util.Base64;
import org.mprof.agent.EventLine;

/**
 * A histogram of equal depth over the keys of a map output: some of its serialised keys, each with
 * the number of records since the one before it, its own among them.
 *
 * <p>From it follows where to cut the keys into partitions of equal size. Keys come sorted within a
 * partition; partitions are not sorted among themselves, so no weight is carried from one to the
 * next. Once the sample is full, the depth doubles and neighbours become one: with {@code n}
 * records in {@code p} partitions no entry stands for more than the larger of {@code n / 256 + p}
 * and the records of one key.
 *
 * <p>Only made where the user asked for keys as text: keys are data of the job. Nothing is done for
 * a record, and a copy is made only of a key that is kept.
 */
final class KeySample {
  static final int MOST_KEYS = 1024;

  /** A longer key is no use as a border, its records go to the next one. */
  static final int MOST_KEY_BYTES = 256;

  static final int MOST_BYTES = 64 * 1024;

  private byte[][] keys = new byte[16][];
  private long[] records = new long[16];
  private int[] partitions = new int[16];
  private int count;
  private int bytes;
  private long depth = 1;
  private long pending;
  private long total;
  private int partition;
  private boolean tooLarge;

  /** All records of a key have come. */
  void add(byte[] key, int length, long recordsOfKey) {
    total += recordsOfKey;
    pending += recordsOfKey;
    if (pending >= depth && length <= MOST_KEY_BYTES && !tooLarge) {
      keep(Arrays.copyOf(key, length));
    }
  }

  /** The partition ends with the key that was added last. */
  void endPartition(byte[] lastKey, int length) {
    if (pending > 0 && !tooLarge) {
      if (count > 0 && partitions[count - 1] == partition) {
        records[count - 1] += pending;
        pending = 0;
      } else if (length <= MOST_KEY_BYTES) {
        keep(Arrays.copyOf(lastKey, length));
      }
    }
    partition++;
  }

  /** The sample of one more partition. */
  void addPartition(KeySample other) {
    byte[] last = null;
    for (int i = 0; i < other.count; i++) {
      last = other.keys[i];
      add(last, last.length, other.records[i]);
    }
    tooLarge |= other.tooLarge;
    total += other.pending;
    pending += other.pending;
    if (last != null) {
      endPartition(last, last.length);
    }
  }

  private void keep(byte[] key) {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count);
      records = Arrays.copyOf(records, 2 * count);
      partitions = Arrays.copyOf(partitions, 2 * count);
    }
    keys[count] = key;
    records[count] = pending;
    partitions[count] = partition;
    count++;
    bytes += key.length;
    pending = 0;
    while (count >= MOST_KEYS || bytes > MOST_BYTES) {
      thin();
    }
  }

  /** Doubles the depth. More partitions than can be told apart make the sample useless. */
  private void thin() {
    depth *= 2;
    long carried = 0;
    int kept = 0;
    bytes = 0;
    for (int i = 0; i < count; i++) {
      carried += records[i];
      boolean last = i + 1 == count || partitions[i + 1] != partitions[i];
      boolean sameAsBefore = kept > 0 && partitions[kept - 1] == partitions[i];
      if (carried >= depth || last && !sameAsBefore) {
        keys[kept] = keys[i];
        records[kept] = carried;
        partitions[kept] = partitions[i];
        bytes += keys[kept].length;
        kept++;
        carried = 0;
      } else if (last) {
        records[kept - 1] += carried;
        carried = 0;
      }
    }
    Arrays.fill(keys, kept, count, null);
    count = kept;
    if (depth > total) {
      tooLarge = true;
      count = 0;
      bytes = 0;
      Arrays.fill(keys, null);
    }
  }

  int count() {
    return count;
  }

  long records() {
    return total;
  }

  /** Whether there are keys in it. */
  boolean isOfUse() {
    return count > 0 && !tooLarge;
  }

  /** Writes the members of the event. */
  void writeTo(EventLine line) {
    line.put("records", total).beginList("keys");
    for (int i = 0; i < count; i++) {
      line.beginList()
          .element(Base64.getEncoder().encodeToString(keys[i]))
          .element(records[i])
          .endList();
    }
    line.endList();
  }

  byte[] key(int i) {
    return keys[i];
  }

  long records(int i) {
    return records[i];
  }
}
