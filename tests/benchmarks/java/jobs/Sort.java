import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Sorts lines: the framework does nearly all the work, and nearly each record is a group. */
public final class Sort extends Configured implements Tool {
  /** The line as the key. */
  public static final class Lines extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable at, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(line, NullWritable.get());
    }
  }

  /** Each line as often as it came. */
  public static final class Same extends Reducer<Text, NullWritable, Text, NullWritable> {
    @Override
    protected void reduce(Text line, Iterable<NullWritable> times, Context context)
        throws IOException, InterruptedException {
      for (NullWritable time : times) {
        context.write(line, time);
      }
    }
  }

  @Override
  public int run(String[] folders) throws Exception {
    Job job = Job.getInstance(getConf(), "sort");
    job.setJarByClass(Sort.class);
    job.setMapperClass(Lines.class);
    job.setReducerClass(Same.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(folders[0]));
    FileOutputFormat.setOutputPath(job, new Path(folders[1]));
    return job.waitForCompletion(false) ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new Sort(), arguments));
  }
}
