package com.acme.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** A helper walks the values and keeps them in a helper object. */
public class HelperReducer extends Reducer<Text, IntWritable, Text, IntWritable> {
  static final class Bag {
    private final List<String> items = new ArrayList<>();
    private final String name;

    Bag(String name) {
      this.name = name;
    }

    void add(int value) {
      items.add(name + " " + value);
    }
  }

  @Override
  protected void reduce(Text key, Iterable<IntWritable> values, Context context)
      throws IOException, InterruptedException {
    Bag bag = readAll(key.toString(), values);
    context.write(key, new IntWritable(bag.items.size()));
  }

  private static Bag readAll(String name, Iterable<IntWritable> values) {
    Bag bag = new Bag(name);
    for (IntWritable value : values) {
      bag.add(value.get());
    }
    return bag;
  }
}
