package org.example.postings;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits, for each term of a document, where it stands in it. */
public class PostingMapper extends Mapper<Text, Text, Text, Posting> {

  private final Text term = new Text();

  @Override
  protected void map(Text name, Text text, Context context)
      throws IOException, InterruptedException {
    int document = Integer.parseInt(name.toString());
    Map<String, Posting> postings = new HashMap<>();
    String[] words = text.toString().split(" ");
    for (int i = 0; i < words.length; i++) {
      postings.computeIfAbsent(words[i], word -> new Posting(document)).add(i);
    }
    for (Map.Entry<String, Posting> entry : postings.entrySet()) {
      term.set(entry.getKey());
      context.write(term, entry.getValue());
    }
  }
}
