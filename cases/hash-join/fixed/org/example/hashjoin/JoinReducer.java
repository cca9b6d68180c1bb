package org.example.hashjoin;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Holds one page, the first row of its group, and joins the visits that follow. */
public class JoinReducer extends Reducer<Text, Text, Text, Text> {

  private final Text url = new Text();
  private final Text joined = new Text();

  @Override
  protected void reduce(Text key, Iterable<Text> rows, Context context)
      throws IOException, InterruptedException {
    String page = null;
    for (Text row : rows) {
      if (key.toString().endsWith("\t0")) {
        page = row.toString();
      } else if (page != null) {
        url.set(key.toString().substring(0, key.find("\t")));
        joined.set(row + "," + page);
        context.write(url, joined);
      }
    }
  }
}
