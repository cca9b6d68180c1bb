package org.example.bulkload;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Sorts puts into the order of a store, row by row, for a bulk load. */
public class PrepareLoad extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: PrepareLoad INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "prepare load");
    job.setJarByClass(PrepareLoad.class);
    job.setMapperClass(PutMapper.class);
    job.setReducerClass(CellSortReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Put.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new PrepareLoad(), args));
  }
}
