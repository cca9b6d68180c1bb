package org.example.rankjoin;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;

/** A rank and the table it comes from: sorted by both, partitioned and grouped by rank alone. */
public class RankKey implements WritableComparable<RankKey> {

  private int rank;
  private boolean isNew;

  public void set(int rank, boolean isNew) {
    this.rank = rank;
    this.isNew = isNew;
  }

  public int rank() {
    return rank;
  }

  public boolean isNew() {
    return isNew;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(rank);
    out.writeBoolean(isNew);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    rank = in.readInt();
    isNew = in.readBoolean();
  }

  @Override
  public int compareTo(RankKey other) {
    int byRank = Integer.compare(rank, other.rank);
    return byRank != 0 ? byRank : Boolean.compare(isNew, other.isNew);
  }

  /** Both tables' rows of a rank must meet in one reducer, so the table plays no part. */
  @Override
  public int hashCode() {
    return rank;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RankKey && compareTo((RankKey) other) == 0;
  }

  /** Groups the rows of a rank, whatever their table. */
  public static class ByRank extends WritableComparator {
    public ByRank() {
      super(RankKey.class);
    }

    @Override
    public int compare(byte[] left, int leftAt, int leftSize, byte[] right, int rightAt, int size) {
      return Integer.compare(readInt(left, leftAt), readInt(right, rightAt));
    }
  }

  /** Compares serialized keys, so that sorting makes no objects. */
  public static class ByRankAndTable extends WritableComparator {
    public ByRankAndTable() {
      super(RankKey.class);
    }

    @Override
    public int compare(byte[] left, int leftAt, int leftSize, byte[] right, int rightAt, int size) {
      int byRank = Integer.compare(readInt(left, leftAt), readInt(right, rightAt));
      return byRank != 0 ? byRank : left[leftAt + 4] - right[rightAt + 4];
    }
  }

  static {
    WritableComparator.define(RankKey.class, new ByRankAndTable());
  }
}
