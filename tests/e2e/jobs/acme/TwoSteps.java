package acme;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Two jobs one after the other: the first counts with a combiner, the second keeps distinct lines. */
public class TwoSteps extends Configured implements Tool {
  public static class FirstWord extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static final IntWritable ONE = new IntWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      context.write(new Text(text.substring(0, text.indexOf(' '))), ONE);
    }
  }

  public static class Split extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      context.write(new Text(text.substring(0, text.indexOf(' '))), line);
    }
  }

  public static class Distinct extends Reducer<Text, Text, Text, IntWritable> {
    @Override
    protected void reduce(Text key, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      Set<String> distinct = new HashSet<>();
      for (Text value : values) {
        distinct.add(value.toString());
      }
      context.write(key, new IntWritable(distinct.size()));
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Path counts = new Path(args[1] + "-counts");
    FileSystem.get(getConf()).delete(counts, true);
    Job count = Job.getInstance(getConf(), "step one");
    count.setJarByClass(TwoSteps.class);
    count.setMapperClass(FirstWord.class);
    count.setCombinerClass(IntSumReducer.class);
    count.setReducerClass(IntSumReducer.class);
    count.setOutputKeyClass(Text.class);
    count.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(count, new Path(args[0]));
    FileOutputFormat.setOutputPath(count, counts);
    if (!count.waitForCompletion(true)) {
      return 1;
    }
    Job distinct = Job.getInstance(getConf(), "step two");
    distinct.setJarByClass(TwoSteps.class);
    distinct.setMapperClass(Split.class);
    distinct.setReducerClass(Distinct.class);
    distinct.setMapOutputValueClass(Text.class);
    distinct.setOutputKeyClass(Text.class);
    distinct.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(distinct, new Path(args[0]));
    FileOutputFormat.setOutputPath(distinct, new Path(args[1]));
    return distinct.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new TwoSteps(), args));
  }
}
