package org.example.readings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** A station and the second of a reading. */
public class StationTime implements WritableComparable<StationTime> {
  private int station;
  private int second;

  void set(int station, int second) {
    this.station = station;
    this.second = second;
  }

  int station() {
    return station;
  }

  int second() {
    return second;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(station);
    out.writeInt(second);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    station = in.readInt();
    second = in.readInt();
  }

  @Override
  public int compareTo(StationTime other) {
    int byStation = Integer.compare(station, other.station);
    return byStation != 0 ? byStation : Integer.compare(second, other.second);
  }

  /** All readings of a station meet in one reducer. */
  public static class ByStation extends Partitioner<StationTime, NullWritable> {
    @Override
    public int getPartition(StationTime key, NullWritable value, int partitions) {
      return key.station % partitions;
    }
  }

  /** All readings of a station are one group. */
  public static class OfOneStation extends WritableComparator {
    public OfOneStation() {
      super(StationTime.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable one, WritableComparable other) {
      return Integer.compare(((StationTime) one).station, ((StationTime) other).station);
    }
  }
}
