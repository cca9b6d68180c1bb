package org.example.branches;

import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Partitioner;

/** Sends all sales of a branch to one reducer. */
public class BranchPartitioner extends Partitioner<Text, NullWritable> {

  @Override
  public int getPartition(Text sale, NullWritable none, int partitions) {
    return sale.charAt(0) % partitions;
  }
}
