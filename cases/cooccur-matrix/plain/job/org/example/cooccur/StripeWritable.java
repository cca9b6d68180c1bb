package org.example.cooccur;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** Counts by neighbouring word, as a record. */
public class StripeWritable implements Writable {

  private StringCounts counts = new StringCounts();

  /** Counts a neighbour. */
  public void add(String neighbour, int times) {
    counts.add(neighbour, times);
  }

  /** Hands over each neighbour with its count. */
  void forEach(StringCounts.Receiver receiver) {
    counts.forEach(receiver);
  }

  /** Adds all counts of another stripe to this one. */
  public void plus(StripeWritable other) {
    other.counts.forEach(counts::add);
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVInt(out, counts.size());
    IOException[] failure = new IOException[1];
    counts.forEach(
        (neighbour, times) -> {
          try {
            Text.writeString(out, neighbour);
            WritableUtils.writeVInt(out, times);
          } catch (IOException e) {
            failure[0] = e;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    counts = new StringCounts();
    int size = WritableUtils.readVInt(in);
    for (int i = 0; i < size; i++) {
      String neighbour = Text.readString(in);
      counts.add(neighbour, WritableUtils.readVInt(in));
    }
  }

  @Override
  public String toString() {
    StringBuilder row = new StringBuilder();
    counts.forEach((neighbour, times) -> row.append(neighbour).append(':').append(times).append(' '));
    return row.toString();
  }
}
