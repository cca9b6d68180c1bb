package com.example.index;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Writes the records of groups: each line says of how many, how large, and what is at their head. */
public final class FeedMapper extends Mapper<LongWritable, Text, Text, Text> {
  private byte[] value = new byte[0];

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] words = line.toString().split(" ");
    long count = Long.parseLong(words[1]);
    int length = Integer.parseInt(words[2]);
    byte[] head = (words[3] + " ").getBytes("US-ASCII");
    long order = words.length > 4 ? Long.parseLong(words[4]) : -1;
    if (value.length < length) {
      value = new byte[length];
    }
    Arrays.fill(value, 0, length, (byte) 'x');
    System.arraycopy(head, 0, value, 0, Math.min(head.length, length));
    Text key = new Text(words[0]);
    Text record = new Text();
    record.set(value, 0, length);
    for (long i = 0; i < count; i++) {
      if (order >= 0) {
        key.set(words[0] + String.format("#%09d", order + i));
      }
      context.write(key, record);
    }
  }
}
