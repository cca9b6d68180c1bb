package org.example.postings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes the postings of a term, sorted by document, as one record. */
public class PostingsReducer extends Reducer<Text, Posting, Text, Text> {

  @Override
  protected void reduce(Text term, Iterable<Posting> postings, Context context)
      throws IOException, InterruptedException {
    List<Posting> list = new ArrayList<>();
    for (Posting posting : postings) {
      list.add(new Posting(posting));
    }
    list.sort(Comparator.comparingInt(Posting::document));
    StringBuilder line = new StringBuilder();
    for (Posting posting : list) {
      line.append(posting).append(' ');
    }
    context.write(term, new Text(line.toString()));
  }
}
