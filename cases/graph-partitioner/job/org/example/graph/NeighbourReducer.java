package org.example.graph;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the neighbours of a vertex, each once, as one line. */
public class NeighbourReducer extends Reducer<Text, Text, Text, Text> {

  @Override
  protected void reduce(Text vertex, Iterable<Text> neighbours, Context context)
      throws IOException, InterruptedException {
    Set<String> seen = new HashSet<>();
    StringBuilder line = new StringBuilder();
    for (Text neighbour : neighbours) {
      if (seen.add(neighbour.toString())) {
        line.append(neighbour).append(' ');
      }
    }
    context.write(vertex, new Text(line.toString()));
  }
}
