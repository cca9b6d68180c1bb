package org.example.regions;

import java.io.IOException;
import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Keeps the hundred visitors with most visits. */
public class RankingReducer extends Reducer<Text, LongWritable, Text, LongWritable> {
  private static final int RANKED = 100;
  private final PriorityQueue<Map.Entry<String, Long>> visits =
      new PriorityQueue<>(Map.Entry.comparingByValue());

  @Override
  protected void reduce(Text visitor, Iterable<LongWritable> counts, Context context) {
    long sum = 0;
    for (LongWritable count : counts) {
      sum += count.get();
    }
    visits.add(new SimpleEntry<>(visitor.toString(), sum));
    if (visits.size() > RANKED) {
      visits.poll();
    }
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    List<Map.Entry<String, Long>> ranked = new ArrayList<>(visits);
    ranked.sort(Map.Entry.<String, Long>comparingByValue().reversed());
    for (Map.Entry<String, Long> each : ranked) {
      context.write(new Text(each.getKey()), new LongWritable(each.getValue()));
    }
  }
}
