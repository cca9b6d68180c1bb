package org.example.join;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** A user and a side of the join: 0 for the user's own record, 1 for a visit. */
public class UserSide implements WritableComparable<UserSide> {
  private int user;
  private int side;

  void set(int user, int side) {
    this.user = user;
    this.side = side;
  }

  int side() {
    return side;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(user);
    out.writeInt(side);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    user = in.readInt();
    side = in.readInt();
  }

  @Override
  public int compareTo(UserSide other) {
    int byUser = Integer.compare(user, other.user);
    return byUser != 0 ? byUser : Integer.compare(side, other.side);
  }

  /** Both sides of a user meet in one reducer. */
  public static class ByUser extends Partitioner<UserSide, Text> {
    @Override
    public int getPartition(UserSide key, Text value, int partitions) {
      return key.user % partitions;
    }
  }

  /** Both sides of a user are one group. */
  public static class OfOneUser extends WritableComparator {
    public OfOneUser() {
      super(UserSide.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable one, WritableComparable other) {
      return Integer.compare(((UserSide) one).user, ((UserSide) other).user);
    }
  }
}
