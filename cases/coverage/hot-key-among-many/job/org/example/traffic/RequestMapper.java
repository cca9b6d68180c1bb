package org.example.traffic;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** The client of a request, and the rest of its line. */
public class RequestMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text client = new Text();
  private final Text request = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    int space = line.find(" ");
    if (space > 0) {
      client.set(line.getBytes(), 0, space);
      request.set(line.getBytes(), space + 1, line.getLength() - space - 1);
      context.write(client, request);
    }
  }
}
