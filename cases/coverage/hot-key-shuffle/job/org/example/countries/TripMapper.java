package org.example.countries;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Country and the trip's line. */
public class TripMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text country = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    country.set(line.getBytes(), 0, 2);
    context.write(country, line);
  }
}
