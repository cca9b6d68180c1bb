package org.example.hashjoin;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Emits rows of both tables under their url, with a tag that sorts the page before its visits. */
public class TaggingMapper extends Mapper<LongWritable, Text, Text, Text> {

  private final Text key = new Text();
  private final Text rest = new Text();
  private String tag;

  @Override
  protected void setup(Context context) {
    String file = ((FileSplit) context.getInputSplit()).getPath().getName();
    tag = file.startsWith("pages") ? "\t0" : "\t1";
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String row = line.toString();
    int comma = row.indexOf(',');
    key.set(row.substring(0, comma) + tag);
    rest.set(row.substring(comma + 1));
    context.write(key, rest);
  }
}
