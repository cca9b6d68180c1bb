package org.example.index;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Tag and picture. */
public class TagMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text tag = new Text();
  private final Text picture = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] parts = line.toString().split(" ");
    tag.set(parts[0]);
    picture.set(parts[1]);
    context.write(tag, picture);
  }
}
