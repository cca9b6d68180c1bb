package com.acme.jobs;

import java.io.IOException;
import java.util.TreeSet;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Collects a wide text for each value of a key in a local set, and asks for nothing else. */
public class TreeSetReducer extends Reducer<Text, IntWritable, Text, IntWritable> {
  private static final int WIDTH = 600;

  @Override
  protected void reduce(Text key, Iterable<IntWritable> values, Context context)
      throws IOException, InterruptedException {
    TreeSet<String> texts = new TreeSet<>();
    for (IntWritable value : values) {
      char[] text = new char[WIDTH];
      int left = value.get();
      for (int at = 0; left > 0; at++, left /= 10) {
        text[at] = (char) ('0' + left % 10);
      }
      texts.add(new String(text));
    }
    context.write(key, new IntWritable(texts.size()));
  }
}
