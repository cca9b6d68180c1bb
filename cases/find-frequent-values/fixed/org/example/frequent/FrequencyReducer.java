package org.example.frequent;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds up the occurrences of one value of one id; a second, light job compares with the mean. */
public class FrequencyReducer extends Reducer<Text, LongWritable, Text, LongWritable> {

  private final LongWritable total = new LongWritable();

  @Override
  protected void reduce(Text idAndValue, Iterable<LongWritable> counts, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (LongWritable count : counts) {
      sum += count.get();
    }
    total.set(sum);
    context.write(idAndValue, total);
  }
}
