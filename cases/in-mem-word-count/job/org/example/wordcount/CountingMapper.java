package org.example.wordcount;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.StringTokenizer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Keeps one count for each word of the split, so that a word is emitted once only. */
public class CountingMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private Map<String, Integer> counts;

  @Override
  protected void setup(Context context) {
    counts = new HashMap<>();
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context) {
    StringTokenizer words = new StringTokenizer(line.toString());
    while (words.hasMoreTokens()) {
      String word = words.nextToken();
      Integer count = counts.get(word);
      counts.put(word, count == null ? 1 : count + 1);
    }
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    Text word = new Text();
    IntWritable total = new IntWritable();
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      word.set(entry.getKey());
      total.set(entry.getValue());
      context.write(word, total);
    }
  }
}
