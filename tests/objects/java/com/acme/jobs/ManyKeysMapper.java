package com.acme.jobs;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Gives thousands of keys a few values each, nine keys ten thousands, and the last key the most. */
public class ManyKeysMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private int words;

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    for (String word : line.toString().split(" ")) {
      words++;
      int tenth = words % 10;
      String key = "a" + words % 2500;
      if (tenth < 5) {
        key = "z";
      } else if (tenth < 8) {
        key = "m" + words / 10 % 9;
      }
      context.write(new Text(key), new IntWritable(Integer.parseInt(word.substring(1))));
    }
  }
}
