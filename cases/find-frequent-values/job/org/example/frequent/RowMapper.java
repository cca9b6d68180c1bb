package org.example.frequent;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the attributes of a row, "id,a,b,c", under the row's id. */
public class RowMapper extends Mapper<LongWritable, Text, Text, Text> {

  private final Text id = new Text();
  private final Text attribute = new Text();

  @Override
  protected void map(LongWritable offset, Text row, Context context)
      throws IOException, InterruptedException {
    String[] fields = row.toString().split(",");
    id.set(fields[0]);
    for (int i = 1; i < fields.length; i++) {
      attribute.set(i + "=" + fields[i]);
      context.write(id, attribute);
    }
  }
}
