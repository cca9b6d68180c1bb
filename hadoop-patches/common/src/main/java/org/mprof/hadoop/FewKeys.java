package org.mprof.hadoop;

import java.util.Arrays;
import org.mprof.agent.EventLine;

/**
 * Every key of a partition, or of a whole map output, with its records and bytes; nothing once
 * there are too many. Where each map task tells all of its keys, the size of every group is known
 * before reduce() begins.
 */
final class FewKeys {
  /** Of a whole map output; the line stays below 16 KB. */
  static final int MOST = 256;

  private static final int FIRST_LENGTH = 4;
  private static final long[] NONE = {};

  private final int most;
  private long[] digests = NONE;
  private long[] records = NONE;
  private long[] bytes = NONE;
  private int count;
  private boolean areTooMany;

  FewKeys() {
    this(MOST);
  }

  FewKeys(int most) {
    this.most = most;
    areTooMany = most <= 0;
  }

  void add(long digest, long recordsOfKey, long bytesOfKey) {
    if (areTooMany) {
      return;
    }
    if (count == most) {
      dropAll();
      return;
    }
    if (count == digests.length) {
      int length = Math.min(most, Math.max(FIRST_LENGTH, 2 * count));
      digests = Arrays.copyOf(digests, length);
      records = Arrays.copyOf(records, length);
      bytes = Arrays.copyOf(bytes, length);
    }
    digests[count] = digest;
    records[count] = recordsOfKey;
    bytes[count] = bytesOfKey;
    count++;
  }

  /** Those of the next partition, null where they are not known. */
  void addPartition(FewKeys others) {
    if (others == null || others.areTooMany) {
      dropAll();
      return;
    }
    for (int i = 0; i < others.count; i++) {
      add(others.digests[i], others.records[i], others.bytes[i]);
    }
  }

  private void dropAll() {
    areTooMany = true;
    count = 0;
    digests = NONE;
    records = NONE;
    bytes = NONE;
  }

  boolean areAll() {
    return !areTooMany;
  }

  /** So many more would still be all. */
  int left() {
    return areTooMany ? 0 : most - count;
  }

  int count() {
    return count;
  }

  long digest(int i) {
    return digests[i];
  }

  long records(int i) {
    return records[i];
  }

  long bytes(int i) {
    return bytes[i];
  }

  /** Writes three lists, where they are all. */
  void writeTo(EventLine line) {
    if (areAll()) {
      line.put("every_key_records", records, count)
          .put("every_key_bytes", bytes, count)
          .digests("every_key_digest", digests, count);
    }
  }
}
