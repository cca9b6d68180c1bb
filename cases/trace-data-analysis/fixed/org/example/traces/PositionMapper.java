package org.example.traces;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits each position of the log under its user and its hour, a composite key. */
public class PositionMapper extends Mapper<LongWritable, Text, Text, Text> {

  private static final int SECONDS_AN_HOUR = 3600;

  private final Text userAndHour = new Text();
  private final Text position = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] fields = line.toString().split(",", 3);
    userAndHour.set(fields[0] + " " + Long.parseLong(fields[1]) / SECONDS_AN_HOUR);
    position.set(fields[1] + "," + fields[2]);
    context.write(userAndHour, position);
  }
}
