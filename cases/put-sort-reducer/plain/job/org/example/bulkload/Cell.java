package org.example.bulkload;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One version of one column; in the order of the store: by column, the newest version first. */
final class Cell implements Comparable<Cell> {

  private static final int OBJECT_BYTES = 32;
  private static final int ARRAY_BYTES = 16;

  private final byte[] column;
  private final long time;
  private final byte[] value;

  Cell(byte[] column, long time, byte[] value) {
    this.column = column;
    this.time = time;
    this.value = value;
  }

  /** An estimate of the bytes it takes in the heap. */
  long heapBytes() {
    return OBJECT_BYTES + 2 * ARRAY_BYTES + column.length + value.length;
  }

  @Override
  public int compareTo(Cell other) {
    int length = Math.min(column.length, other.column.length);
    for (int i = 0; i < length; i++) {
      if (column[i] != other.column[i]) {
        return (column[i] & 0xff) - (other.column[i] & 0xff);
      }
    }
    if (column.length != other.column.length) {
      return column.length - other.column.length;
    }
    return Long.compare(other.time, time);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cell && compareTo((Cell) other) == 0;
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(column) * 31 + Long.hashCode(time);
  }

  @Override
  public String toString() {
    String name = new String(column, StandardCharsets.UTF_8);
    return name + "\t" + time + "\t" + new String(value, StandardCharsets.UTF_8);
  }
}
