package org.example.inputbuffer;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** A line is an item and a seed; its vector is 96 bytes long. */
public class VectorMapper extends Mapper<LongWritable, Text, IntWritable, BytesWritable> {
  private final IntWritable item = new IntWritable();
  private final byte[] vector = new byte[96];

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int blank = text.indexOf(' ');
    item.set(Integer.parseInt(text.substring(0, blank)));
    new Random(Long.parseLong(text.substring(blank + 1))).nextBytes(vector);
    context.write(item, new BytesWritable(vector));
  }
}
