package org.example.regions;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** A line is a visitor and a page; the page is not needed. */
public class VisitMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final LongWritable one = new LongWritable(1);
  private final Text visitor = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    visitor.set(text.substring(0, text.indexOf(' ')));
    context.write(visitor, one);
  }
}
