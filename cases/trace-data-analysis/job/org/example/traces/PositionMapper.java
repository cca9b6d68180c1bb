package org.example.traces;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits each position of the log under its user. */
public class PositionMapper extends Mapper<LongWritable, Text, Text, Text> {

  private final Text user = new Text();
  private final Text position = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int comma = text.indexOf(',');
    user.set(text.substring(0, comma));
    position.set(text.substring(comma + 1));
    context.write(user, position);
  }
}
