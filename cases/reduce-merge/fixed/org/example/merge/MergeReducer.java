package org.example.merge;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Takes the name from the first fact and passes the others through. */
public class MergeReducer extends Reducer<Text, Text, Text, Text> {

  private final Text key = new Text();

  @Override
  protected void reduce(Text subject, Iterable<Text> facts, Context context)
      throws IOException, InterruptedException {
    key.set(subject.toString().substring(0, subject.getLength() - 2));
    for (Text fact : facts) {
      if (fact.find("name\t") == 0) {
        key.set(fact.toString().substring(5));
      }
      context.write(key, fact);
    }
  }
}
