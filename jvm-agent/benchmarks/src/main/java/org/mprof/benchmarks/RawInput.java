package org.mprof.benchmarks;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * An endless merged input: groups of a hundred records, or of as many as asked for, as serialised
 * {@code Text} and {@code BytesWritable}. Every record is the same array; only the group's number
 * in its key changes.
 */
final class RawInput implements RawKeyValueIterator {
  static final int GROUP = 100;

  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private final Progress progress = new Progress();
  private final byte[] keyBytes;
  private final byte[] valueBytes;
  private final int groupRecords;
  private int inGroup;

  RawInput(int keyLength, int valueLength) {
    this(keyLength, valueLength, GROUP);
  }

  RawInput(int keyLength, int valueLength, int groupRecords) {
    this.groupRecords = groupRecords;
    keyBytes = new byte[keyLength];
    // The vint of Text: lengths up to 127 take one byte.
    keyBytes[0] = (byte) (keyLength - 1);
    java.util.Arrays.fill(keyBytes, 1, keyLength, (byte) 'k');
    valueBytes = new byte[valueLength];
    valueBytes[3] = (byte) (valueLength - 4);
    progress.complete();
    next();
  }

  @Override
  public DataInputBuffer getKey() {
    return key;
  }

  @Override
  public DataInputBuffer getValue() {
    return value;
  }

  @Override
  public boolean next() {
    if (++inGroup > groupRecords) {
      inGroup = 1;
      keyBytes[keyBytes.length - 1]++;
      keyBytes[keyBytes.length - 1] &= 0x7f;
    }
    key.reset(keyBytes, 0, keyBytes.length);
    value.reset(valueBytes, 0, valueBytes.length);
    return true;
  }

  boolean atGroupStart() {
    return inGroup == 1;
  }

  @Override
  public Progress getProgress() {
    return progress;
  }

  @Override
  public void close() {}
}
