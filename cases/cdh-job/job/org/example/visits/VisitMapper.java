package org.example.visits;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Reads "visitor page" and tells first visits from later ones by a modest set of visitors. */
public class VisitMapper extends Mapper<LongWritable, Text, Text, IntWritable> {

  private static final IntWritable ONE = new IntWritable(1);

  private final Set<Long> visitors = new HashSet<>();
  private final Text counted = new Text();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String text = line.toString();
    int blank = text.indexOf(' ');
    boolean first = visitors.add(Long.parseLong(text.substring(0, blank)));
    counted.set((first ? "first" : "again") + text.substring(blank));
    context.write(counted, ONE);
  }
}
