package org.example.distinct;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Counts what differs. */
public class CountReducer extends Reducer<Text, Text, Text, LongWritable> {
  @Override
  protected void reduce(Text page, Iterable<Text> visitors, Context context)
      throws IOException, InterruptedException {
    Set<String> distinct = new HashSet<>();
    for (Text visitor : visitors) {
      distinct.add(visitor.toString());
    }
    context.write(page, new LongWritable(distinct.size()));
  }
}
