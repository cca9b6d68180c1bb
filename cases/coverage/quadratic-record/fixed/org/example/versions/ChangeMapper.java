package org.example.versions;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** The edit distance of two versions of an article. */
public class ChangeMapper extends Mapper<LongWritable, Text, Text, LongWritable> {
  private static final LongWritable ONE = new LongWritable(1);
  private final Text distance = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] versions = line.toString().split("\t");
    distance.set(String.valueOf(distance(versions[0], versions[1])));
    context.write(distance, ONE);
  }

  private static int distance(String before, String after) {
    int[] last = new int[after.length() + 1];
    for (int j = 0; j <= after.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= before.length(); i++) {
      int[] costs = new int[after.length() + 1];
      costs[0] = i;
      for (int j = 1; j <= after.length(); j++) {
        int replaced = last[j - 1];
        if (before.charAt(i - 1) != after.charAt(j - 1)) {
          replaced++;
        }
        costs[j] = Math.min(replaced, 1 + Math.min(last[j], costs[j - 1]));
      }
      last = costs;
    }
    return last[after.length()];
  }
}
