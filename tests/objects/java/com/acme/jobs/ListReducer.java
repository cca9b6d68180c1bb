package com.acme.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Collects the values of a key in a local list. */
public class ListReducer extends Reducer<Text, IntWritable, Text, IntWritable> {
  @Override
  protected void reduce(Text key, Iterable<IntWritable> values, Context context)
      throws IOException, InterruptedException {
    List<IntWritable> all = new ArrayList<>();
    for (IntWritable value : values) {
      all.add(new IntWritable(value.get()));
      all.add(new IntWritable(-value.get()));
    }
    context.write(key, new IntWritable(all.size()));
  }
}
