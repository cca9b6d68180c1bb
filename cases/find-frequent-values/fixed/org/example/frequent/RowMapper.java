package org.example.frequent;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the count one for each id and value together, a composite key. */
public class RowMapper extends Mapper<LongWritable, Text, Text, LongWritable> {

  private static final LongWritable ONE = new LongWritable(1);

  private final Text idAndValue = new Text();

  @Override
  protected void map(LongWritable offset, Text row, Context context)
      throws IOException, InterruptedException {
    String[] fields = row.toString().split(",");
    for (int i = 1; i < fields.length; i++) {
      idAndValue.set(fields[0] + "\t" + i + "=" + fields[i]);
      context.write(idAndValue, ONE);
    }
  }
}
