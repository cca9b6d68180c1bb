package org.example.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Keeps the index of all tags until the last one has come. */
public class IndexReducer extends Reducer<Text, Text, Text, Text> {
  private final Map<String, List<String>> index = new TreeMap<>();

  @Override
  protected void reduce(Text tag, Iterable<Text> pictures, Context context) {
    List<String> found = new ArrayList<>();
    index.put(tag.toString(), found);
    for (Text picture : pictures) {
      found.add(picture.toString());
    }
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    for (Map.Entry<String, List<String>> entry : index.entrySet()) {
      context.write(new Text(entry.getKey()), new Text(String.join(" ", entry.getValue())));
    }
  }
}
