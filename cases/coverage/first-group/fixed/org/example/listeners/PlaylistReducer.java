package org.example.listeners;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the tracks as they come, sorted, each once: equal ones are one group. */
public class PlaylistReducer extends Reducer<Text, NullWritable, Text, Text> {

  @Override
  protected void reduce(Text play, Iterable<NullWritable> times, Context context)
      throws IOException, InterruptedException {
    String[] parts = play.toString().split("\t");
    context.write(new Text(parts[0]), new Text(parts[1]));
  }
}
