package org.example.graph;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Turns the edges of a graph into lines of at most a thousand neighbours, several a vertex. */
public class AdjacencyLists extends Configured implements Tool {

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: AdjacencyLists INPUT OUTPUT");
      return 2;
    }
    Job job = Job.getInstance(getConf(), "adjacency lists in pieces");
    job.setJarByClass(AdjacencyLists.class);
    job.setMapperClass(EdgeMapper.class);
    job.setPartitionerClass(VertexPartitioner.class);
    job.setReducerClass(NeighbourReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(NullWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new AdjacencyLists(), args));
  }
}
