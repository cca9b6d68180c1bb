package org.example.listeners;

import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** Sends all tracks of a listener to one reducer. */
public class ListenerPartitioner extends Partitioner<Text, NullWritable> {

  @Override
  public int getPartition(Text play, NullWritable none, int partitions) {
    int hash = WritableComparator.hashBytes(play.getBytes(), play.find("\t"));
    return (hash & Integer.MAX_VALUE) % partitions;
  }
}
