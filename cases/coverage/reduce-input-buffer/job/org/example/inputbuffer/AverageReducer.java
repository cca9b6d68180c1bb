package org.example.inputbuffer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.Reducer;

/** Averages the vectors of each item, and remembers the averages of the newest items. */
public class AverageReducer
    extends Reducer<IntWritable, BytesWritable, IntWritable, IntWritable> {
  private static final int FIRST_NEW_ITEM = 1_125_000;
  private final Map<Integer, float[]> newest = new HashMap<>();

  @Override
  protected void reduce(IntWritable item, Iterable<BytesWritable> vectors, Context context)
      throws IOException, InterruptedException {
    float[] average = new float[96];
    int count = 0;
    for (BytesWritable vector : vectors) {
      count++;
      for (int i = 0; i < vector.getLength(); i++) {
        average[i] += (vector.getBytes()[i] - average[i]) / count;
      }
    }
    if (item.get() >= FIRST_NEW_ITEM) {
      newest.put(item.get(), average);
    }
    context.write(item, new IntWritable(count));
  }

  /** The length of the mean vector of the newest items. */
  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    double square = 0;
    for (int i = 0; i < 96; i++) {
      double sum = 0;
      for (float[] average : newest.values()) {
        sum += average[i];
      }
      square += sum * sum;
    }
    double length = Math.sqrt(square) / Math.max(1, newest.size());
    context.write(new IntWritable(-1), new IntWritable((int) Math.round(1000 * length)));
  }
}
