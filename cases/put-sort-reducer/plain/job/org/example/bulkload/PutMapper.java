package org.example.bulkload;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits each line, "row|time|column=value;...", as a put under its row. */
public class PutMapper extends Mapper<LongWritable, Text, Text, Put> {

  private final Text row = new Text();
  private final Put put = new Put();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int bar = text.indexOf('|');
    row.set(text.substring(0, bar));
    put.parse(text.substring(bar + 1));
    context.write(row, put);
  }
}
