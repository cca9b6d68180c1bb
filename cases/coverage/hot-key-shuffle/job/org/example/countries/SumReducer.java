package org.example.countries;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sums the last column of each trip. */
public class SumReducer extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text country, Iterable<Text> trips, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (Text trip : trips) {
      String text = trip.toString();
      sum += Long.parseLong(text.substring(text.lastIndexOf(',') + 1));
    }
    context.write(country, new Text("," + sum));
  }
}
