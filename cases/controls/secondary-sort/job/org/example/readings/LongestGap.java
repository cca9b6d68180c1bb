package org.example.readings;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The longest time between two readings of each station. */
public class LongestGap extends Configured implements Tool {

  /** {@code station,second,value} to (station and second). */
  public static class ReadingMapper
      extends Mapper<LongWritable, Text, StationTime, NullWritable> {
    private final StationTime key = new StationTime();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] parts = line.toString().split(",");
      key.set(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      context.write(key, NullWritable.get());
    }
  }

  /** The readings come in the order of their times. */
  public static class GapReducer
      extends Reducer<StationTime, NullWritable, IntWritable, IntWritable> {
    @Override
    protected void reduce(StationTime reading, Iterable<NullWritable> each, Context context)
        throws IOException, InterruptedException {
      int before = reading.second();
      int longest = 0;
      for (NullWritable ignored : each) {
        longest = Math.max(longest, reading.second() - before);
        before = reading.second();
      }
      context.write(new IntWritable(reading.station()), new IntWritable(longest));
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "longest gap");
    job.setJarByClass(LongestGap.class);
    job.setMapperClass(ReadingMapper.class);
    job.setPartitionerClass(StationTime.ByStation.class);
    job.setGroupingComparatorClass(StationTime.OfOneStation.class);
    job.setReducerClass(GapReducer.class);
    job.setMapOutputKeyClass(StationTime.class);
    job.setMapOutputValueClass(NullWritable.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new LongestGap(), args));
  }
}
