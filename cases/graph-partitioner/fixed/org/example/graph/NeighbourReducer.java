package org.example.graph;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Each key is an edge: its neighbour joins the line of its vertex, which is written when full. */
public class NeighbourReducer extends Reducer<Text, NullWritable, Text, Text> {

  private static final int NEIGHBOURS_PER_LINE = 1_000;

  private final Text vertex = new Text();
  private final StringBuilder line = new StringBuilder();
  private int neighbours;

  @Override
  protected void reduce(Text edge, Iterable<NullWritable> none, Context context)
      throws IOException, InterruptedException {
    int tab = edge.find("\t");
    String from = Text.decode(edge.getBytes(), 0, tab);
    if (neighbours == NEIGHBOURS_PER_LINE || !from.equals(vertex.toString())) {
      writeLine(context);
      vertex.set(from);
    }
    line.append(Text.decode(edge.getBytes(), tab + 1, edge.getLength() - tab - 1)).append(' ');
    neighbours++;
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    writeLine(context);
  }

  private void writeLine(Context context) throws IOException, InterruptedException {
    if (neighbours > 0) {
      context.write(vertex, new Text(line.toString()));
    }
    line.setLength(0);
    neighbours = 0;
  }
}
