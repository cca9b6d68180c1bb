package org.example.distinct;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Counts the changes of the visitor, who come in order. */
public class CountReducer extends Reducer<Text, NullWritable, Text, LongWritable> {
  @Override
  protected void reduce(Text key, Iterable<NullWritable> times, Context context)
      throws IOException, InterruptedException {
    String page = key.toString().substring(0, key.toString().indexOf(' '));
    Text before = new Text();
    long count = 0;
    for (NullWritable time : times) {
      if (!key.equals(before)) {
        count++;
        before.set(key);
      }
    }
    context.write(new Text(page), new LongWritable(count));
  }
}
