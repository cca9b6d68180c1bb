package org.mprof.hadoop;

import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.mprof.agent.Position;

/**
 * Sizes of keys and values that map() is given, told without serialising or allocating anything.
 */
public final class RecordSizes {
  private RecordSizes() {}

  /** Bytes of a record, or not known as soon as one half is not. */
  public static long of(Object key, Object value) {
    long keyBytes = of(key);
    long valueBytes = of(value);
    return keyBytes < 0 || valueBytes < 0 ? Position.UNKNOWN : keyBytes + valueBytes;
  }

  /**
   * Bytes of the contents of a well-known Writable, or {@link Position#UNKNOWN}. A subclass may
   * override what would be asked, and nothing of the user's is called.
   */
  public static long of(Object writable) {
    Class<?> type = writable == null ? null : writable.getClass();
    if (type == Text.class) {
      return ((Text) writable).getLength();
    }
    if (writable instanceof LongWritable) {
      return Long.BYTES;
    }
    if (type == BytesWritable.class) {
      return ((BytesWritable) writable).getLength();
    }
    if (writable instanceof NullWritable) {
      return 0;
    }
    if (writable instanceof IntWritable || writable instanceof FloatWritable) {
      return Integer.BYTES;
    }
    if (writable instanceof DoubleWritable) {
      return Double.BYTES;
    }
    if (writable instanceof BooleanWritable || writable instanceof ByteWritable) {
      return 1;
    }
    if (writable instanceof ShortWritable) {
      return Short.BYTES;
    }
    return Position.UNKNOWN;
  }
}
