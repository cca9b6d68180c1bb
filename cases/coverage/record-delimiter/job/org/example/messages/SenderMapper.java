package org.example.messages;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Counts a message for its sender, who stands in its first line. */
public class SenderMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private static final LongWritable ONE = new LongWritable(1);
  private final Text sender = new Text();

  @Override
  protected void map(LongWritable offset, Text message, Context context)
      throws IOException, InterruptedException {
    int end = message.find("\n");
    if (end > 0) {
      sender.set(message.getBytes(), 0, end);
      context.write(sender, ONE);
    }
  }
}
