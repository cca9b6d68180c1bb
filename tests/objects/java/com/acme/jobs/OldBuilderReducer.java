package com.acme.jobs;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** Old API: appends the values of a key to one builder. */
public class OldBuilderReducer extends MapReduceBase
    implements Reducer<Text, IntWritable, Text, IntWritable> {
  @Override
  public void reduce(
      Text key,
      Iterator<IntWritable> values,
      OutputCollector<Text, IntWritable> out,
      Reporter reporter)
      throws IOException {
    StringBuilder all = new StringBuilder();
    while (values.hasNext()) {
      all.append("value ").append(values.next().get()).append(" and some more text for each one ");
    }
    out.collect(new Text(all.toString()), new IntWritable(1));
  }
}
