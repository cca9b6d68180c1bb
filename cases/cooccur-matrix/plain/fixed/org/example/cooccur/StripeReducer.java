package org.example.cooccur;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds up the stripes of a word in sorted runs on disk and writes one record a neighbour. */
public class StripeReducer extends Reducer<Text, StripeWritable, Text, Text> {

  private final Text cell = new Text();

  @Override
  protected void reduce(Text word, Iterable<StripeWritable> stripes, Context context)
      throws IOException, InterruptedException {
    try (SortedRuns row = new SortedRuns()) {
      for (StripeWritable stripe : stripes) {
        row.plus(stripe);
      }
      row.merge(
          (neighbour, times) -> {
            cell.set(neighbour + ":" + times);
            context.write(word, cell);
          });
    }
  }
}
