package com.acme.jobs;

import java.io.IOException;
import java.util.ArrayDeque;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Overrides run() and keeps the lines in a local of it. */
public class RunMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  @Override
  public void run(Context context) throws IOException, InterruptedException {
    ArrayDeque<String> lines = new ArrayDeque<>();
    setup(context);
    while (context.nextKeyValue()) {
      String line = context.getCurrentValue().toString();
      for (int i = 0; i < 10; i++) {
        lines.add(line + i);
      }
    }
    cleanup(context);
  }
}
