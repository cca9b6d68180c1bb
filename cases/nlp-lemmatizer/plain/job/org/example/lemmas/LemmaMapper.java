package org.example.lemmas;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Has each line annotated as a whole and emits its lemmas. */
public class LemmaMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private static final IntWritable ONE = new IntWritable(1);

  private final Lemmatizer lemmatizer = new Lemmatizer();
  private final Text lemma = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    for (String word : lemmatizer.lemmatize(line.toString())) {
      lemma.set(word);
      context.write(lemma, ONE);
    }
  }
}
