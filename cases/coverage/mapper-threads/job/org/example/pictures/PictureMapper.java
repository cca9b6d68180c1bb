package org.example.pictures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** A line is a picture and its height; its rows take 15 MB while it is measured. */
public class PictureMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private static final int WIDTH = 3840;

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int height = Integer.parseInt(text.substring(text.indexOf(' ') + 1));
    List<int[]> rows = new ArrayList<>();
    for (int row = 0; row < height; row++) {
      rows.add(new int[WIDTH]);
    }
    Thread.sleep(300); // a service measures it
    long dark = 0;
    for (int[] row : rows) {
      dark += row[0] == 0 ? 1 : 0;
    }
    context.write(new Text("rows"), new LongWritable(dark));
  }
}
