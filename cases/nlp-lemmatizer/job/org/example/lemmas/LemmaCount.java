package org.example.lemmas;

import java.net.URI;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Counts the lemmas of texts, one text a line. */
public class LemmaCount extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: LemmaCount INPUT OUTPUT");
      return 2;
    }
    Path tagger = new Path(args[1] + ".tagger");
    Path trained = new Path(Training.train().toURI());
    tagger.getFileSystem(getConf()).copyFromLocalFile(true, true, trained, tagger);
    Job job = Job.getInstance(getConf(), "lemma count");
    job.addCacheFile(URI.create(tagger + "#" + StanfordLemmatizer.TAGGER));
    job.setJarByClass(LemmaCount.class);
    job.setMapperClass(LemmaMapper.class);
    job.setCombinerClass(IntSumReducer.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new LemmaCount(), args));
  }
}
