package org.example.distinct;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** All visitors of a page are one group. */
public class OfOnePage extends WritableComparator {
  public OfOnePage() {
    super(Text.class, true);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public int compare(WritableComparable one, WritableComparable other) {
    return page((Text) one).compareTo(page((Text) other));
  }

  private static String page(Text key) {
    String text = key.toString();
    return text.substring(0, text.indexOf(' '));
  }
}
