package org.example.distinct;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Equal keys are one visitor of one page. */
public class FirstOnly extends Reducer<Text, NullWritable, Text, NullWritable> {
  @Override
  protected void reduce(Text key, Iterable<NullWritable> times, Context context)
      throws IOException, InterruptedException {
    context.write(key, NullWritable.get());
  }
}
