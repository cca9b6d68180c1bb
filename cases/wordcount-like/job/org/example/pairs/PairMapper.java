package org.example.pairs;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits each pair of neighbouring words with the count one. */
public class PairMapper extends Mapper<LongWritable, Text, Text, LongWritable> {

  private static final LongWritable ONE = new LongWritable(1);

  private final Text pair = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] words = line.toString().split(" ");
    for (int i = 1; i < words.length; i++) {
      pair.set(words[i - 1] + " " + words[i]);
      context.write(pair, ONE);
    }
  }
}
