package com.acme.jobs;

import java.io.IOException;
import java.util.TreeMap;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Keeps words in a static map of a helper class. */
public class StaticMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  static final class Cache {
    static final TreeMap<String, Long> SEEN = new TreeMap<>();

    static void remember(String word, long at) {
      SEEN.put(word, at);
    }
  }

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    for (String word : value.toString().split(" ")) {
      Cache.remember(word, key.get());
    }
  }
}
