package com.example;

import com.example.index.BatchOutput;
import com.example.index.BucketComparator;
import com.example.index.BucketPartitioner;
import com.example.index.FeedMapper;
import com.example.index.IndexMapper;
import com.example.index.JoinReducer;
import com.example.index.LineInput;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** A job whose tasks keep what a script says. */
public final class Scripted extends Configured implements Tool {
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new Scripted(), args));
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "scripted");
    job.setJarByClass(Scripted.class);
    boolean isReduce = args[0].startsWith("reduce");
    if (isReduce) {
      job.setMapperClass(FeedMapper.class);
      job.setReducerClass(JoinReducer.class);
      job.setPartitionerClass(BucketPartitioner.class);
      if (args[0].endsWith("ordered")) {
        job.setGroupingComparatorClass(BucketComparator.class);
      }
    } else {
      job.setInputFormatClass(LineInput.class);
      job.setMapperClass(IndexMapper.class);
    }
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(BatchOutput.class);
    FileInputFormat.addInputPath(job, new Path(args[1]));
    FileOutputFormat.setOutputPath(job, new Path(args[2]));
    return job.waitForCompletion(false) ? 0 : 1;
  }
}
