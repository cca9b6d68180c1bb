package org.example.hashjoin;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** Groups by url, whatever the tag behind it. */
public class UrlComparator extends WritableComparator {

  private static final int TAG_BYTES = 2;

  public UrlComparator() {
    super(Text.class, true);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public int compare(WritableComparable left, WritableComparable right) {
    Text one = (Text) left;
    Text other = (Text) right;
    return compareBytes(
        one.getBytes(),
        0,
        one.getLength() - TAG_BYTES,
        other.getBytes(),
        0,
        other.getLength() - TAG_BYTES);
  }
}
