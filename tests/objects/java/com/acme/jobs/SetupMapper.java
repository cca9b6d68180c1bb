package com.acme.jobs;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Loads a side table that does not fit before the first record. */
public class SetupMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private final Map<String, String> table = new HashMap<>();

  @Override
  protected void setup(Context context) throws IOException, InterruptedException {
    load(5_000_000);
  }

  private void load(int rows) {
    for (int row = 0; row < rows; row++) {
      table.put("key" + row, "value of row " + row);
    }
  }
}
