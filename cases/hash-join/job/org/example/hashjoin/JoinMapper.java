package org.example.hashjoin;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Looks each visit's page up in a table, the first file of the distributed cache. */
public class JoinMapper extends Mapper<LongWritable, Text, Text, Text> {

  private final Map<String, String> pages = new HashMap<>();
  private final Text key = new Text();
  private final Text joined = new Text();

  @Override
  protected void setup(Context context) throws IOException {
    String table = new Path(context.getCacheFiles()[0]).getName();
    try (BufferedReader rows = Files.newBufferedReader(Paths.get(table), StandardCharsets.UTF_8)) {
      String row;
      while ((row = rows.readLine()) != null) {
        int comma = row.indexOf(',');
        pages.put(row.substring(0, comma), row.substring(comma + 1));
      }
    }
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String visit = line.toString();
    int comma = visit.indexOf(',');
    String page = pages.get(visit.substring(0, comma));
    if (page != null) {
      key.set(visit.substring(0, comma));
      joined.set(visit.substring(comma + 1) + "," + page);
      context.write(key, joined);
    }
  }
}
