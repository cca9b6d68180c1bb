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
    int[][] costs = new int[before.length() + 1][];
    for (int i = 0; i <= before.length(); i++) {
      costs[i] = new int[after.length() + 1];
      for (int j = 0; j <= after.length(); j++) {
        if (i == 0 || j == 0) {
          costs[i][j] = i + j;
          continue;
        }
        int replaced = costs[i - 1][j - 1];
        if (before.charAt(i - 1) != after.charAt(j - 1)) {
          replaced++;
        }
        costs[i][j] = Math.min(replaced, 1 + Math.min(costs[i - 1][j], costs[i][j - 1]));
      }
    }
    return costs[before.length()][after.length()];
  }
}
