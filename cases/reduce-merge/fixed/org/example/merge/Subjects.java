package org.example.merge;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** Partitions and groups by the subject alone, without the two bytes behind it. */
final class Subjects {

  private static final int ORDER_BYTES = 2;

  private Subjects() {}

  /** By subject. */
  public static class Partition extends Partitioner<Text, Text> {
    @Override
    public int getPartition(Text key, Text fact, int partitions) {
      int hash = WritableComparator.hashBytes(key.getBytes(), key.getLength() - ORDER_BYTES);
      return (hash & Integer.MAX_VALUE) % partitions;
    }
  }

  /** By subject. */
  public static class Grouping extends WritableComparator {
    public Grouping() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable left, WritableComparable right) {
      Text one = (Text) left;
      Text other = (Text) right;
      int length = one.getLength() - ORDER_BYTES;
      int otherLength = other.getLength() - ORDER_BYTES;
      return compareBytes(one.getBytes(), 0, length, other.getBytes(), 0, otherLength);
    }
  }
}
