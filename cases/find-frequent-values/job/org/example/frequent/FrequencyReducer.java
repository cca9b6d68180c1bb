package org.example.frequent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Collects all values of an id, counts them, and writes those above the mean. */
public class FrequencyReducer extends Reducer<Text, Text, Text, Text> {

  private final Text frequent = new Text();

  @Override
  protected void reduce(Text id, Iterable<Text> values, Context context)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>();
    for (Text value : values) {
      all.add(value.toString());
    }
    Map<String, Integer> frequencies = new HashMap<>();
    for (String value : all) {
      frequencies.merge(value, 1, Integer::sum);
    }
    double mean = (double) all.size() / frequencies.size();
    for (Map.Entry<String, Integer> entry : frequencies.entrySet()) {
      if (entry.getValue() >= mean) {
        frequent.set(entry.getKey() + "\t" + entry.getValue());
        context.write(id, frequent);
      }
    }
  }
}
