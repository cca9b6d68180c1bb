package org.example.merge;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Appends to the subject what sorts its name before everything else that is known of it. */
public class NameFirstMapper extends Mapper<Text, Text, Text, Text> {

  private final Text key = new Text();

  @Override
  protected void map(Text subject, Text fact, Context context)
      throws IOException, InterruptedException {
    key.set(subject + (fact.find("name\t") == 0 ? "\t0" : "\t1"));
    context.write(key, fact);
  }
}
