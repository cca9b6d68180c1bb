package org.example.branches;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the whole sale as the key: the framework sorts by branch, then by number. */
public class SaleMapper extends Mapper<LongWritable, Text, Text, NullWritable> {

  @Override
  protected void map(LongWritable offset, Text sale, Context context)
      throws IOException, InterruptedException {
    context.write(sale, NullWritable.get());
  }
}
