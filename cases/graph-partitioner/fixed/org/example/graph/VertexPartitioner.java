package org.example.graph;

import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Partitioner;

/** Sends all edges of a vertex to one reducer. */
public class VertexPartitioner extends Partitioner<Text, NullWritable> {

  @Override
  public int getPartition(Text edge, NullWritable none, int partitions) {
    int hash = WritableComparator.hashBytes(edge.getBytes(), edge.find("\t"));
    return (hash & Integer.MAX_VALUE) % partitions;
  }
}
