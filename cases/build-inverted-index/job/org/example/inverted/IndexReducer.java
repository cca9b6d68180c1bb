package org.example.inverted;

import java.io.IOException;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the ids of a keyword, sorted and without duplicates, as one record. */
public class IndexReducer extends Reducer<Text, Text, Text, Text> {

  @Override
  protected void reduce(Text keyword, Iterable<Text> ids, Context context)
      throws IOException, InterruptedException {
    TreeSet<String> sorted = new TreeSet<>();
    for (Text id : ids) {
      sorted.add(id.toString());
    }
    context.write(keyword, new Text(String.join(",", sorted)));
  }
}
