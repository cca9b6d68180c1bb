package org.example.regions;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Keeps the count of every visitor, sorts them all when the last one has come. */
public class RankingReducer extends Reducer<Text, LongWritable, Text, LongWritable> {
  private final Map<String, Long> visits = new HashMap<>();

  @Override
  protected void reduce(Text visitor, Iterable<LongWritable> counts, Context context) {
    long sum = 0;
    for (LongWritable count : counts) {
      sum += count.get();
    }
    visits.put(visitor.toString(), sum);
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    List<Map.Entry<String, Long>> ranked = new ArrayList<>(visits.entrySet());
    ranked.sort(Map.Entry.<String, Long>comparingByValue().reversed());
    for (Map.Entry<String, Long> each : ranked) {
      context.write(new Text(each.getKey()), new LongWritable(each.getValue()));
    }
  }
}
