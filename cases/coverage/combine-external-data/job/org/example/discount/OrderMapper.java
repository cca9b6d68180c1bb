package org.example.discount;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Article and pieces. */
public class OrderMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text article = new Text();
  private final Text pieces = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] parts = line.toString().split(",");
    article.set(parts[0]);
    pieces.set(parts[1]);
    context.write(article, pieces);
  }
}
