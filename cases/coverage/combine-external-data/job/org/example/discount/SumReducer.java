package org.example.discount;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds up what the combiner left. */
public class SumReducer extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text article, Iterable<Text> parts, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (Text part : parts) {
      sum += part.charAt(0) == '#' ? Long.parseLong(part.toString().substring(1)) : 0;
    }
    context.write(article, new Text(Long.toString(sum)));
  }
}
