package org.example.combining;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Author and note. */
public class NoteMapper extends Mapper<LongWritable, Text, Text, Text> {
  private final Text author = new Text();
  private final Text note = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    int tab = line.find("\t");
    author.set(line.getBytes(), 0, tab);
    note.set(line.getBytes(), tab + 1, line.getLength() - tab - 1);
    context.write(author, note);
  }
}
