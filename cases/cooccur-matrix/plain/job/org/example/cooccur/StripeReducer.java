package org.example.cooccur;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds up the stripes of a word and writes its whole row as one record. */
public class StripeReducer extends Reducer<Text, StripeWritable, Text, StripeWritable> {

  @Override
  protected void reduce(Text word, Iterable<StripeWritable> stripes, Context context)
      throws IOException, InterruptedException {
    StripeWritable row = new StripeWritable();
    for (StripeWritable stripe : stripes) {
      row.plus(stripe);
    }
    context.write(word, row);
  }
}
