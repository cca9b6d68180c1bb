package org.example.cooccur;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Counts which words stand near each other; one line of output a pair of words. */
public class CooccurrenceMatrix extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: CooccurrenceMatrix INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "co-occurrence matrix, merged on disk");
    job.setJarByClass(CooccurrenceMatrix.class);
    job.setMapperClass(NeighbourMapper.class);
    job.setReducerClass(StripeReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(StripeWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new CooccurrenceMatrix(), args));
  }
}
