package org.example.regions;

import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Partitioner;

/** One reducer a region, so that its ranking is in one file. */
public class RegionPartitioner extends Partitioner<Text, LongWritable> {
  @Override
  public int getPartition(Text visitor, LongWritable one, int partitions) {
    return (visitor.charAt(0) - 'a') % partitions;
  }
}
