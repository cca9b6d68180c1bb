package org.example.hashjoin;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** Partitions by url, whatever the tag behind it. */
public class UrlPartitioner extends Partitioner<Text, Text> {

  private static final int TAG_BYTES = 2;

  @Override
  public int getPartition(Text key, Text row, int partitions) {
    int hash = WritableComparator.hashBytes(key.getBytes(), key.getLength() - TAG_BYTES);
    return (hash & Integer.MAX_VALUE) % partitions;
  }
}
