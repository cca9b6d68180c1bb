package org.example.branches;

import java.io.IOException;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the sales as they come, one of each number: sorted, equal ones in one group. */
public class StatementReducer extends Reducer<Text, NullWritable, Text, Text> {

  @Override
  protected void reduce(Text sale, Iterable<NullWritable> none, Context context)
      throws IOException, InterruptedException {
    String[] parts = sale.toString().split("\t");
    context.write(new Text(parts[0]), new Text(parts[1]));
  }
}
