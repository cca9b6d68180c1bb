package org.example.rankjoin;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Joins two tables of page rankings by rank: which pages had the same rank then and now. */
public class RankJoin extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: RankJoin INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "join of rankings");
    job.setJarByClass(RankJoin.class);
    job.setMapperClass(TaggingMapper.class);
    job.setReducerClass(JoinReducer.class);
    job.setGroupingComparatorClass(RankKey.ByRank.class);
    job.setMapOutputKeyClass(RankKey.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new RankJoin(), args));
  }
}
