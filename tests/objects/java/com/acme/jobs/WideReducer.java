package com.acme.jobs;

import java.io.IOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Joins the values of a key into one array, which it emits. */
public class WideReducer extends Reducer<Text, BytesWritable, Text, IntWritable> {
  private byte[] joined = new byte[0];

  @Override
  protected void reduce(Text key, Iterable<BytesWritable> values, Context context)
      throws IOException, InterruptedException {
    for (BytesWritable value : values) {
      byte[] longer = new byte[joined.length + value.getLength()];
      System.arraycopy(joined, 0, longer, 0, joined.length);
      System.arraycopy(value.getBytes(), 0, longer, joined.length, value.getLength());
      joined = longer;
    }
    context.write(key, new IntWritable(joined.length));
  }
}
