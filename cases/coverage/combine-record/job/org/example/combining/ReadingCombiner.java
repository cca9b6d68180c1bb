package org.example.combining;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Takes each note apart into tokens, and combines the seconds it takes to read them. */
public class ReadingCombiner extends Reducer<Text, Text, Text, Text> {
  @Override
  protected void reduce(Text author, Iterable<Text> notes, Context context)
      throws IOException, InterruptedException {
    long seconds = 0;
    for (Text note : notes) {
      if (note.charAt(0) == '#') {
        seconds += Long.parseLong(note.toString().substring(1));
        continue;
      }
      List<Token> tokens = tokensOf(note.toString());
      for (Token token : tokens) {
        seconds += token.end - token.start > 6 ? 2 : 1;
      }
    }
    context.write(author, new Text("#" + seconds));
  }

  private static List<Token> tokensOf(String text) {
    List<Token> tokens = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int blank = text.indexOf(' ', start);
      int end = blank < 0 ? text.length() : blank;
      tokens.add(new Token(text.substring(start, end), start, end));
      start = end + 1;
    }
    return tokens;
  }
}
