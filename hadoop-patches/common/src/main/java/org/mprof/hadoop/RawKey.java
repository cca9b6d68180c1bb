package org.mprof.hadoop;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;

/** The key of a group as raw bytes, kept in one array that grows as keys do. */
final class RawKey {
  private static final int START_BYTES = 64;

  private final int mostBytes;
  private byte[] bytes = new byte[START_BYTES];
  private int length = -1;

  /** A key of more than {@code mostBytes} is not kept. */
  RawKey(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Keeps a copy of the one that another keeps; its own limit is for the keys after it. */
  RawKey(int mostBytes, RawKey other) {
    this(mostBytes);
    bytes = other.bytes.clone();
    length = other.length;
  }

  /** Keeps this key instead of the one before, where there is memory for it. */
  void keep(DataInputBuffer key) {
    int from = key.getPosition();
    int size = key.getLength() - from;
    length = -1;
    if (size > mostBytes || !hasRoomFor(size)) {
      return;
    }
    System.arraycopy(key.getData(), from, bytes, 0, size);
    length = size;
  }

  private boolean hasRoomFor(int size) {
    if (size <= bytes.length) {
      return true;
    }
    try {
      bytes = new byte[(int) Math.min(mostBytes, Math.max(size, 2L * bytes.length))];
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Whether there is a key to compare with. */
  boolean isKept() {
    return length >= 0;
  }

  /** Whether {@code key} has the bytes of the one kept; never where none is. */
  boolean isEqual(DataInputBuffer key) {
    int from = key.getPosition();
    if (key.getLength() - from != length) {
      return false;
    }
    byte[] data = key.getData();
    for (int i = 0; i < length; i++) {
      if (data[from + i] != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether {@code key} is of the group of the one kept; never where none is. */
  boolean isSame(RawComparator<?> comparator, DataInputBuffer key) {
    int from = key.getPosition();
    int size = key.getLength() - from;
    return length >= 0 && comparator.compare(bytes, 0, length, key.getData(), from, size) == 0;
  }
}
