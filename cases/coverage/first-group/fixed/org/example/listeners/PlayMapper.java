package org.example.listeners;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits listener and track as the key: the framework sorts by both. */
public class PlayMapper extends Mapper<LongWritable, Text, Text, NullWritable> {

  @Override
  protected void map(LongWritable offset, Text play, Context context)
      throws IOException, InterruptedException {
    context.write(play, NullWritable.get());
  }
}
