package org.example.traffic;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sums the last column of each request. */
public class SumReducer extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text client, Iterable<Text> requests, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (Text request : requests) {
      String text = request.toString();
      sum += Long.parseLong(text.substring(text.lastIndexOf(' ') + 1));
    }
    context.write(client, new Text(Long.toString(sum)));
  }
}
