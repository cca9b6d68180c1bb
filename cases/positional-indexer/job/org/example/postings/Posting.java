package org.example.postings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** Where a term stands in one document. */
public class Posting implements Writable {

  private int document;
  private List<Integer> positions = new ArrayList<>();

  public Posting() {}

  Posting(int document) {
    this.document = document;
  }

  Posting(Posting other) {
    document = other.document;
    positions = new ArrayList<>(other.positions);
  }

  int document() {
    return document;
  }

  void add(int position) {
    positions.add(position);
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVInt(out, document);
    WritableUtils.writeVInt(out, positions.size());
    for (int position : positions) {
      WritableUtils.writeVInt(out, position);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    document = WritableUtils.readVInt(in);
    int count = WritableUtils.readVInt(in);
    positions.clear();
    for (int i = 0; i < count; i++) {
      positions.add(WritableUtils.readVInt(in));
    }
  }

  @Override
  public String toString() {
    return document + ":" + positions.size() + ":" + positions;
  }
}
