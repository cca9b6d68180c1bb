package org.example.ranges;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Expands each range of pages into the list of its pages. */
public class PageMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private final Text title = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] parts = line.toString().split(" ");
    List<Long> pages = new ArrayList<>();
    for (String range : parts[1].split(",")) {
      int dash = range.indexOf('-');
      long last = Long.parseLong(range.substring(dash + 1));
      for (long page = Long.parseLong(range.substring(0, dash)); page <= last; page++) {
        pages.add(page);
      }
    }
    title.set(parts[0]);
    context.write(title, new LongWritable(pages.size()));
  }
}
