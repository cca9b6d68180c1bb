package com.acme.jobs;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Keeps every word in a field. */
public class FieldMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private Map<String, Integer> counts;
  private final int[] histogram = new int[1000];

  @Override
  protected void setup(Context context) {
    counts = new HashMap<>();
  }

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    for (String word : value.toString().split(" ")) {
      counts.merge(word, 1, Integer::sum);
      histogram[word.length()]++;
    }
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      context.write(new Text(entry.getKey()), new IntWritable(entry.getValue()));
    }
  }
}
