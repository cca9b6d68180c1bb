package org.example.combining;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds up what the combiner left. */
public class SumReducer extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text author, Iterable<Text> parts, Context context)
      throws IOException, InterruptedException {
    long seconds = 0;
    for (Text part : parts) {
      // A note that was never combined counts as one second for six letters.
      seconds +=
          part.charAt(0) == '#'
              ? Long.parseLong(part.toString().substring(1))
              : part.getLength() / 6;
    }
    context.write(author, new Text(Long.toString(seconds)));
  }
}
