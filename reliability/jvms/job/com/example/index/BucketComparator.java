package com.example.index;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** Groups records of one bucket, whatever their order in it. */
public final class BucketComparator extends WritableComparator {
  public BucketComparator() {
    super(Text.class, true);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public int compare(WritableComparable left, WritableComparable right) {
    return bucket((Text) left).compareTo(bucket((Text) right));
  }

  private static String bucket(Text key) {
    int end = key.find("#");
    return end < 0 ? key.toString() : key.toString().substring(0, end);
  }
}
