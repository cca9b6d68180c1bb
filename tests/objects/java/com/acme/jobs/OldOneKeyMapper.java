package com.acme.jobs;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** Old API: sends everything to one key. */
public class OldOneKeyMapper extends MapReduceBase
    implements Mapper<LongWritable, Text, Text, IntWritable> {
  private final Text hot = new Text("hot");
  private int seen;

  @Override
  public void map(
      LongWritable key, Text value, OutputCollector<Text, IntWritable> out, Reporter reporter)
      throws IOException {
    for (int i = 0; i < 40; i++) {
      out.collect(hot, new IntWritable(seen++));
    }
  }
}
