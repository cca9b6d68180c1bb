package org.mprof.testing;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** User code of the old API. */
final class OldApiJobs {
  private OldApiJobs() {}

  static void use(JobConf conf, Class<? extends Mapper> mapper, Class<? extends Reducer> reducer) {
    conf.setMapperClass(mapper);
    conf.setReducerClass(reducer);
    conf.setMapOutputKeyClass(Text.class);
    conf.setMapOutputValueClass(IntWritable.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
  }

  /** (word, 1) for each word; "boom" fills the heap. */
  public static class Words extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    public void map(
        LongWritable key, Text value, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      for (String each : value.toString().split(" ")) {
        if (each.equals("boom")) {
          NewApiJobs.fill();
        }
        out.collect(new Text(each), new IntWritable(1));
      }
    }
  }

  /** The sum of the values; the key "bang" fills the heap, at its third value. */
  public static class Sum extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      int sum = 0;
      int records = 0;
      while (values.hasNext()) {
        sum += values.next().get();
        if (++records == 3 && key.toString().equals("bang")) {
          NewApiJobs.fill();
        }
      }
      out.collect(key, new IntWritable(sum));
    }
  }

  /** Reads one value of each group and leaves the others. */
  public static class First extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      out.collect(key, values.next());
    }
  }

  /** Changes its key before it reads the values, as Hive's reducer of a join does. */
  public static class Marks extends Sum {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      key.set(key + "!");
      super.reduce(key, values, out, reporter);
    }
  }

  /** Says what it saw. */
  public static class Echo extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter) {
      while (values.hasNext()) {
        System.out.println("reduce saw " + key + " " + values.next());
      }
    }
  }

  /** Says what it saw. */
  public static class EchoMapper extends Words {
    @Override
    public void map(
        LongWritable key, Text value, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      System.out.println("map saw " + value);
      super.map(key, value, out, reporter);
    }
  }
}
