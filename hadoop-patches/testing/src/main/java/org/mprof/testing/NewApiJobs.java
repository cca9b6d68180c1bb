package org.mprof.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;

/** User code of the new API. */
final class NewApiJobs {
  private NewApiJobs() {}

  static void use(JobConf conf, Class<?> mapper, Class<?> reducer) {
    conf.setBoolean("mapred.mapper.new-api", true);
    conf.setBoolean("mapred.reducer.new-api", true);
    conf.setClass(MRJobConfig.MAP_CLASS_ATTR, mapper, Mapper.class);
    conf.setClass(MRJobConfig.REDUCE_CLASS_ATTR, reducer, Reducer.class);
    conf.setMapOutputKeyClass(Text.class);
    conf.setMapOutputValueClass(IntWritable.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
  }

  static void combine(JobConf conf, Class<?> combiner) {
    conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, combiner, Reducer.class);
  }

  /** Fills the heap; the frame is the user's. */
  static void fill() {
    List<byte[]> all = new ArrayList<>();
    while (true) {
      all.add(new byte[1 << 20]);
    }
  }

  /** (word, 1) for each word; "boom" fills the heap, "fail" throws. */
  public static class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final Text word = new Text();
    private final IntWritable one = new IntWritable(1);

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      for (String each : value.toString().split(" ")) {
        if (each.equals("boom")) {
          fill();
        }
        if (each.equals("fail")) {
          throw new IllegalStateException("as asked");
        }
        word.set(each);
        context.write(word, one);
      }
    }
  }

  /** (first word, number of characters of the line). */
  public static class Lines extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      String line = value.toString();
      context.write(new Text(line.split(" ")[0]), new IntWritable(line.length()));
    }
  }

  /** Dies in set-up. */
  public static class NoSetup extends Words {
    @Override
    protected void setup(Context context) {
      fill();
    }
  }

  /** Dies in cleanup. */
  public static class NoCleanup extends Words {
    @Override
    protected void cleanup(Context context) {
      fill();
    }
  }

  /** The sum of the values; the key "bang" fills the heap, at its third value. */
  public static class Sum extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      int records = 0;
      for (IntWritable value : values) {
        sum += value.get();
        if (++records == 3 && key.toString().equals("bang")) {
          fill();
        }
      }
      context.write(key, new IntWritable(sum));
    }
  }

  /** Reads one value of each group and leaves the others. */
  public static class First extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(key, values.iterator().next());
    }
  }

  /** Looks at no value at all. */
  public static class Keys extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      context.write(key, new IntWritable(0));
    }
  }

  /** Ends after two groups. */
  public static class TwoGroups extends Sum {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      setup(context);
      for (int i = 0; i < 2 && context.nextKey(); i++) {
        reduce(context.getCurrentKey(), context.getValues(), context);
      }
      cleanup(context);
    }
  }

  /** Writes each record it was given to a file of its own name: what user code really saw. */
  public static class Echo extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context) {
      for (Iterator<IntWritable> i = values.iterator(); i.hasNext(); ) {
        IntWritable value = i.next(); // which may change the key
        System.out.println("reduce saw " + key + " " + value);
      }
    }
  }

  /** Says what it saw. */
  public static class EchoMapper extends Words {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      System.out.println("map saw " + value);
      super.map(key, value, context);
    }
  }

  /** Secondary sort: keys {@code name:number} in order, groups by name. */
  public static class ByName extends WritableComparator {
    public ByName() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable a, WritableComparable b) {
      return name(a).compareTo(name(b));
    }

    static String name(Object key) {
      return key.toString().split(":")[0];
    }
  }

  /** All keys of a name to one reducer. */
  public static class NamePartitioner extends Partitioner<Text, IntWritable> {
    @Override
    public int getPartition(Text key, IntWritable value, int partitions) {
      return (ByName.name(key).hashCode() & Integer.MAX_VALUE) % partitions;
    }
  }
}
