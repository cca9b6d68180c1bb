package org.example.combining;

import java.io.IOException;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Looks at the bytes of each note, one word after the other. */
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
      seconds += secondsOf(note);
    }
    context.write(author, new Text("#" + seconds));
  }

  private static long secondsOf(Text text) {
    long seconds = 0;
    int length = 0;
    for (int i = 0; i <= text.getLength(); i++) {
      if (i == text.getLength() || text.getBytes()[i] == ' ') {
        seconds += length > 6 ? 2 : 1;
        length = 0;
      } else {
        length++;
      }
    }
    return seconds;
  }
}
