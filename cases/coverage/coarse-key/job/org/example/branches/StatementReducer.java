package org.example.branches;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sorts the sales of a branch in memory; of two with one number the later one counts. */
public class StatementReducer extends Reducer<Text, Text, Text, Text> {

  @Override
  protected void reduce(Text branch, Iterable<Text> sales, Context context)
      throws IOException, InterruptedException {
    Map<Long, String> sorted = new TreeMap<>();
    for (Text sale : sales) {
      String number = sale.toString();
      sorted.put(Long.valueOf(number), number);
    }
    for (String number : sorted.values()) {
      context.write(branch, new Text(number));
    }
  }
}
