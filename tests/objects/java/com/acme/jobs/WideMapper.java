package com.acme.jobs;

import java.io.IOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits wide values. */
public class WideMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
  private final Text hot = new Text("hot");
  private int seen;

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    if (seen++ < context.getConfiguration().getInt("wide.values", 220)) {
      context.write(hot, new BytesWritable(new byte[500_000]));
    }
  }
}
