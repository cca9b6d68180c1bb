package org.example.convert;

import java.io.IOException;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the text of a file under its name. */
public class TextMapper extends Mapper<Text, BytesWritable, Text, Text> {

  private final Text text = new Text();

  @Override
  protected void map(Text name, BytesWritable content, Context context)
      throws IOException, InterruptedException {
    text.set(content.getBytes(), 0, content.getLength());
    context.write(name, text);
  }
}
