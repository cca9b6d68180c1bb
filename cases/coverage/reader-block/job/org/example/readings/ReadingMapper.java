package org.example.readings;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** A record is a sensor and what it read. */
public class ReadingMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final LongWritable one = new LongWritable(1);
  private final Text sensor = new Text();

  @Override
  protected void map(LongWritable number, Text reading, Context context)
      throws IOException, InterruptedException {
    String text = reading.toString();
    sensor.set(text.substring(0, text.indexOf(' ')));
    context.write(sensor, one);
  }
}
