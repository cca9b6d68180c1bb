package org.example.join;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Joins users with their visits. */
public class Join extends Configured implements Tool {

  /** {@code U,id,name} and {@code V,id,page} to (id and side, name or page). */
  public static class SideMapper extends Mapper<LongWritable, Text, UserSide, Text> {
    private final UserSide key = new UserSide();
    private final Text value = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] parts = line.toString().split(",", 3);
      key.set(Integer.parseInt(parts[1]), parts[0].equals("V") ? 1 : 0);
      value.set(parts[2]);
      context.write(key, value);
    }
  }

  /** The name comes first, then the pages. */
  public static class JoinReducer extends Reducer<UserSide, Text, Text, Text> {
    @Override
    protected void reduce(UserSide user, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      Text name = new Text("unknown");
      for (Text value : values) {
        if (user.side() == 0) {
          name = new Text(value);
        } else {
          context.write(name, value);
        }
      }
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "reduce-side join");
    job.setJarByClass(Join.class);
    job.setMapperClass(SideMapper.class);
    job.setPartitionerClass(UserSide.ByUser.class);
    job.setGroupingComparatorClass(UserSide.OfOneUser.class);
    job.setReducerClass(JoinReducer.class);
    job.setMapOutputKeyClass(UserSide.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Join(), args));
  }
}
