package org.example.cooccur;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits, for each word of a line, a stripe with the words at most two places away. */
public class NeighbourMapper extends Mapper<LongWritable, Text, Text, StripeWritable> {

  private static final int WINDOW = 2;

  private final Text word = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] words = line.toString().split(" ");
    for (int i = 0; i < words.length; i++) {
      StripeWritable stripe = new StripeWritable();
      int last = Math.min(words.length - 1, i + WINDOW);
      for (int j = Math.max(0, i - WINDOW); j <= last; j++) {
        if (j != i) {
          stripe.add(words[j], 1);
        }
      }
      word.set(words[i]);
      context.write(word, stripe);
    }
  }
}
