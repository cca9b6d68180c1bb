package org.example.ranges;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Adds up the lengths of the ranges. */
public class PageMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final Text title = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] parts = line.toString().split(" ");
    long pages = 0;
    for (String range : parts[1].split(",")) {
      int dash = range.indexOf('-');
      pages +=
          Long.parseLong(range.substring(dash + 1)) - Long.parseLong(range.substring(0, dash)) + 1;
    }
    title.set(parts[0]);
    context.write(title, new LongWritable(pages));
  }
}
