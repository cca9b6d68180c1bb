package org.example.orders;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** A line is an article and how many of it were ordered. */
public class OrderMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final Text article = new Text();
  private final LongWritable ordered = new LongWritable();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int space = text.indexOf(' ');
    article.set(text.substring(0, space));
    ordered.set(Long.parseLong(text.substring(space + 1)));
    context.write(article, ordered);
  }
}
