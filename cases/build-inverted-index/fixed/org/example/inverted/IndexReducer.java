package org.example.inverted;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Sorts the ids of a keyword in runs on disk and writes them in records of a thousand. */
public class IndexReducer extends Reducer<Text, Text, Text, Text> {

  private static final int IDS_PER_RECORD = 1_000;

  @Override
  protected void reduce(Text keyword, Iterable<Text> ids, Context context)
      throws IOException, InterruptedException {
    try (SortedIds sorted = new SortedIds()) {
      for (Text id : ids) {
        sorted.add(id.toString());
      }
      StringBuilder record = new StringBuilder();
      int count = 0;
      for (String id = sorted.next(); id != null; id = sorted.next()) {
        if (count == IDS_PER_RECORD) {
          context.write(keyword, new Text(record.toString()));
          record.setLength(0);
          count = 0;
        }
        record.append(count == 0 ? "" : ",").append(id);
        count++;
      }
      context.write(keyword, new Text(record.toString()));
    }
  }
}
