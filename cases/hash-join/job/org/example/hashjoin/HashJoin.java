package org.example.hashjoin;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Joins visits with the pages they went to; every mapper holds the whole table of pages. */
public class HashJoin extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: HashJoin INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "hash join");
    job.setJarByClass(HashJoin.class);
    job.setMapperClass(JoinMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.addCacheFile(new Path(args[0], "pages.csv").toUri());
    FileInputFormat.addInputPath(job, new Path(args[0], "visits.csv"));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new HashJoin(), args));
  }
}
