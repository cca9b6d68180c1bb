package org.example.buffer;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** The length of each line. */
public class LengthMapper extends Mapper<LongWritable, Text, IntWritable, LongWritable> {
  private final IntWritable length = new IntWritable();
  private final LongWritable one = new LongWritable(1);

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    length.set(line.getLength());
    context.write(length, one);
  }
}
