package com.acme.jobs;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Combiner that explodes each value into a set of strings. */
public class SetCombiner extends Reducer<Text, IntWritable, Text, IntWritable> {
  @Override
  protected void reduce(Text key, Iterable<IntWritable> values, Context context)
      throws IOException, InterruptedException {
    Set<String> distinct = new HashSet<>();
    for (IntWritable value : values) {
      for (int i = 0; i < 10; i++) {
        distinct.add(key + "-" + value.get() + "-" + i);
      }
    }
    context.write(key, new IntWritable(distinct.size()));
  }
}
