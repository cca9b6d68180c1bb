package org.example.orders;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Keeps nothing: a row is handed to the output. */
public class OrdersReducer extends Reducer<Text, LongWritable, Stock, NullWritable> {

  @Override
  protected void reduce(Text article, Iterable<LongWritable> orders, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (LongWritable each : orders) {
      sum += each.get();
    }
    context.write(new Stock(article.toString(), sum), NullWritable.get());
  }
}
