package org.example.merge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Copies all facts of a subject, finds its name among them, and writes them with the name. */
public class MergeReducer extends Reducer<Text, Text, Text, Text> {

  private final Text key = new Text();

  @Override
  protected void reduce(Text subject, Iterable<Text> facts, Context context)
      throws IOException, InterruptedException {
    List<Text> all = new ArrayList<>();
    for (Text fact : facts) {
      all.add(new Text(fact));
    }
    String name = subject.toString();
    for (Text fact : all) {
      if (fact.find("name\t") == 0) {
        name = fact.toString().substring(5);
      }
    }
    key.set(name);
    for (Text fact : all) {
      context.write(key, fact);
    }
  }
}
