package org.example.lemmas;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Has a line annotated in pieces of bounded length, cut at blanks. */
public class LemmaMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private static final IntWritable ONE = new IntWritable(1);
  private static final int PIECE = 100_000;

  private final Lemmatizer lemmatizer = new Lemmatizer();
  private final Text lemma = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    int start = 0;
    while (start < line.getLength()) {
      int end = Math.min(start + PIECE, line.getLength());
      while (end < line.getLength() && line.getBytes()[end] != ' ') {
        end++;
      }
      String piece = Text.decode(line.getBytes(), start, end - start);
      for (String word : lemmatizer.lemmatize(piece)) {
        lemma.set(word);
        context.write(lemma, ONE);
      }
      start = end;
    }
  }
}
