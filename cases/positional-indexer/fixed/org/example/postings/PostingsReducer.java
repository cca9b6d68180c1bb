package org.example.postings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the postings of a term in records of a thousand documents each, sorted within each. */
public class PostingsReducer extends Reducer<Text, Posting, Text, Text> {

  private static final int DOCUMENTS_PER_RECORD = 1_000;

  @Override
  protected void reduce(Text term, Iterable<Posting> postings, Context context)
      throws IOException, InterruptedException {
    List<Posting> list = new ArrayList<>();
    for (Posting posting : postings) {
      list.add(new Posting(posting));
      if (list.size() == DOCUMENTS_PER_RECORD) {
        write(term, list, context);
        list.clear();
      }
    }
    if (!list.isEmpty()) {
      write(term, list, context);
    }
  }

  private static void write(Text term, List<Posting> list, Context context)
      throws IOException, InterruptedException {
    list.sort(Comparator.comparingInt(Posting::document));
    StringBuilder line = new StringBuilder();
    for (Posting posting : list) {
      line.append(posting).append(' ');
    }
    context.write(term, new Text(line.toString()));
  }
}
