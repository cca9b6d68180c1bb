package com.acme.jobs;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** Old API: keeps copies of all lines in a field. */
public class OldFieldMapper extends MapReduceBase
    implements Mapper<LongWritable, Text, Text, IntWritable> {
  private final List<Text> lines = new ArrayList<>();

  @Override
  public void map(
      LongWritable key, Text value, OutputCollector<Text, IntWritable> out, Reporter reporter) {
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
    lines.add(new Text(value));
  }
}
