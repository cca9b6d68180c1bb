package org.example.rankjoin;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** For a rank that both tables know: how many pages had it, and the longest read one of each. */
public class JoinReducer extends Reducer<RankKey, Text, IntWritable, Text> {

  private final IntWritable rank = new IntWritable();
  private final Text joined = new Text();

  @Override
  protected void reduce(RankKey key, Iterable<Text> rows, Context context)
      throws IOException, InterruptedException {
    long[] pages = new long[2];
    int[] longest = {-1, -1};
    String[] url = new String[2];
    for (Text row : rows) {
      int table = key.isNew() ? 1 : 0; // the key changes with its value: a secondary sort
      String[] fields = row.toString().split("\\|");
      int seconds = Integer.parseInt(fields[2]);
      pages[table]++;
      if (seconds > longest[table]) {
        longest[table] = seconds;
        url[table] = fields[1];
      }
    }
    if (pages[0] > 0 && pages[1] > 0) {
      rank.set(key.rank());
      joined.set(pages[0] + "|" + url[0] + "|" + pages[1] + "|" + url[1]);
      context.write(rank, joined);
    }
  }
}
