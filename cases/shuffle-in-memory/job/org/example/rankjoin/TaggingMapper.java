package org.example.rankjoin;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Reads "rank|url|seconds" and emits the whole line under its rank and its table. */
public class TaggingMapper extends Mapper<LongWritable, Text, RankKey, Text> {

  private final RankKey key = new RankKey();
  private boolean isNew;

  @Override
  protected void setup(Context context) {
    isNew = ((FileSplit) context.getInputSplit()).getPath().getName().startsWith("new");
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    int bar = line.find("|");
    if (bar > 0) {
      key.set(Integer.parseInt(Text.decode(line.getBytes(), 0, bar)), isNew);
      context.write(key, line);
    }
  }
}
