package org.example.index;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the pictures of each tag as they come. */
public class IndexReducer extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text tag, Iterable<Text> pictures, Context context)
      throws IOException, InterruptedException {
    for (Text picture : pictures) {
      context.write(tag, picture);
    }
  }
}
