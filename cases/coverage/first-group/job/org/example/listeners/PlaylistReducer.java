package org.example.listeners;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sorts the tracks of a listener in memory, each once. */
public class PlaylistReducer extends Reducer<Text, Text, Text, Text> {

  @Override
  protected void reduce(Text listener, Iterable<Text> tracks, Context context)
      throws IOException, InterruptedException {
    Set<String> sorted = new TreeSet<>();
    for (Text track : tracks) {
      sorted.add(track.toString());
    }
    for (String track : sorted) {
      context.write(listener, new Text(track));
    }
  }
}
