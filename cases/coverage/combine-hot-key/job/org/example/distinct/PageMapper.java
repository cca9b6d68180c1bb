package org.example.distinct;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Page and visitor. */
public class PageMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text page = new Text();
  private final Text visitor = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] parts = line.toString().split(" ");
    page.set(parts[0]);
    visitor.set(parts[1]);
    context.write(page, visitor);
  }
}
