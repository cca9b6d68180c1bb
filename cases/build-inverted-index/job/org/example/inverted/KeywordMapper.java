package org.example.inverted;

import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Emits the id of a product under each word of its title. */
public class KeywordMapper extends Mapper<Text, Text, Text, Text> {

  private final Text keyword = new Text();

  @Override
  protected void map(Text id, Text title, Context context)
      throws IOException, InterruptedException {
    StringTokenizer words = new StringTokenizer(title.toString());
    while (words.hasMoreTokens()) {
      keyword.set(words.nextToken());
      context.write(keyword, id);
    }
  }
}
