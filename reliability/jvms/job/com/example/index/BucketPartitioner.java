package com.example.index;

import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Partitioner;

/** Deals buckets to reducers, one after the other. */
public final class BucketPartitioner extends Partitioner<Text, Text> {
  @Override
  public int getPartition(Text key, Text value, int reducers) {
    byte[] bytes = key.getBytes();
    long bucket = 0;
    for (int i = 0; i < key.getLength() && bytes[i] != '#'; i++) {
      bucket = bucket * 10 + bytes[i] - '0';
    }
    return (int) (bucket % reducers);
  }
}
