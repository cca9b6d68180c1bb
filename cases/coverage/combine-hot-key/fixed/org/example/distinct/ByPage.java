package org.example.distinct;

import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Partitioner;

/** All visitors of a page meet in one reducer. */
public class ByPage extends Partitioner<Text, NullWritable> {
  @Override
  public int getPartition(Text key, NullWritable value, int partitions) {
    String text = key.toString();
    return (text.substring(0, text.indexOf(' ')).hashCode() & Integer.MAX_VALUE) % partitions;
  }
}
