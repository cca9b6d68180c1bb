package org.example.distinct;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Each visitor of a page once. */
public class DistinctCombiner extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text page, Iterable<Text> visitors, Context context)
      throws IOException, InterruptedException {
    Set<String> distinct = new HashSet<>();
    for (Text visitor : visitors) {
      distinct.add(visitor.toString());
    }
    for (String visitor : distinct) {
      context.write(page, new Text(visitor));
    }
  }
}
