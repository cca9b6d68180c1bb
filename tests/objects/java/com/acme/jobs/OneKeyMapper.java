package com.acme.jobs;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Sends everything to one key but the first lines. */
public class OneKeyMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private final Text hot = new Text("hot");
  private final IntWritable number = new IntWritable();
  private int seen;

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    for (int i = 0; i < 40; i++) {
      number.set(seen++);
      context.write(seen < 100 ? new Text("cold" + seen) : hot, number);
    }
  }
}
