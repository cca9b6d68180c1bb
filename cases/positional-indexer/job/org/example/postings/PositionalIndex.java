package org.example.postings;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Builds a positional index of documents, "name TAB text" lines. */
public class PositionalIndex extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: PositionalIndex INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "positional index");
    job.setJarByClass(PositionalIndex.class);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setMapperClass(PostingMapper.class);
    job.setReducerClass(PostingsReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Posting.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new PositionalIndex(), args));
  }
}
