package org.example.graph;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the whole edge as the key: sorting brings equal edges, and a vertex's edges, together. */
public class EdgeMapper extends Mapper<LongWritable, Text, Text, NullWritable> {

  @Override
  protected void map(LongWritable offset, Text edge, Context context)
      throws IOException, InterruptedException {
    context.write(edge, NullWritable.get());
  }
}
