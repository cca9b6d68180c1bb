package org.example.merge;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Merges all that is known of a subject; a secondary sort puts the name before the other facts. */
public class MergeFacts extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: MergeFacts INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "merge facts, name first");
    job.setJarByClass(MergeFacts.class);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setMapperClass(NameFirstMapper.class);
    job.setPartitionerClass(Subjects.Partition.class);
    job.setGroupingComparatorClass(Subjects.Grouping.class);
    job.setReducerClass(MergeReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new MergeFacts(), args));
  }
}
