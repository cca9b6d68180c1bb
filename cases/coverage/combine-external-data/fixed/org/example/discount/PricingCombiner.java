package org.example.discount;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Looks the price up in a table of the articles that are sold, and of nothing else of them. */
public class PricingCombiner extends Reducer<Text, Text, Text, Text> {
  private final Map<String, String[]> prices = new HashMap<>();

  @Override
  protected void setup(Context context) throws IOException {
    load(context.getConfiguration());
  }

  @Override
  protected void reduce(Text article, Iterable<Text> amounts, Context context)
      throws IOException, InterruptedException {
    String[] known = prices.get(article.toString());
    long sum = 0;
    for (Text amount : amounts) {
      String text = amount.toString();
      sum +=
          text.charAt(0) == '#'
              ? Long.parseLong(text.substring(1))
              : Long.parseLong(text) * (known == null ? 0 : Long.parseLong(known[1]));
    }
    context.write(article, new Text("#" + sum));
  }

  private void load(Configuration conf) throws IOException {
    Path file = new Path(conf.get("turnover.prices"));
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                file.getFileSystem(conf).open(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split(",");
        if (parts[0].compareTo("a00030000") < 0) {
          prices.put(parts[0], new String[] {parts[0], parts[1]});
        }
      }
    }
  }
}
