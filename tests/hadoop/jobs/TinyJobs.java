import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Drivers of every kind: {@code TinyJobs KIND [options] IN OUT}. */
public class TinyJobs {

  public static void main(String[] arguments) throws Exception {
    String kind = arguments[0];
    if (kind.equals("tool")) {
      String[] rest = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
      System.exit(ToolRunner.run(new Counting(), rest));
    }
    Path in = new Path(arguments[1]);
    Path out = new Path(arguments[2]);
    Configuration conf = new Configuration();
    if (kind.equals("plain")) {
      System.exit(count(conf, "plain", in, out).waitForCompletion(true) ? 0 : 1);
    } else if (kind.equals("two")) {
      boolean first = count(conf, "first", in, new Path(out, "1")).waitForCompletion(true);
      Job second = count(conf, "second", in, new Path(out, "2"));
      second.getConfiguration().set("mapreduce.job.tags", "mine");
      System.exit(first && second.waitForCompletion(true) ? 0 : 1);
    } else if (kind.equals("submits")) {
      count(conf, "submitted", in, out).submit();
    } else if (kind.equals("fails")) {
      Job job = count(conf, "failing", in, out);
      job.getConfiguration().setInt("mapreduce.map.maxattempts", 2);
      job.setMapperClass(Failing.class);
      System.exit(job.waitForCompletion(true) ? 0 : 1);
    } else if (kind.equals("hogs")) {
      Job job = count(conf, "hog", in, out);
      job.getConfiguration().setInt("mapreduce.map.maxattempts", 1);
      job.getConfiguration().set("mapreduce.map.memory.mb", "256");
      job.getConfiguration()
          .set("mapreduce.map.java.opts", "-Xmx64m -XX:MaxDirectMemorySize=2g");
      job.getConfiguration().set("mapreduce.task.io.sort.mb", "8");
      job.setMapperClass(Hogging.class);
      System.exit(job.waitForCompletion(true) ? 0 : 1);
    }
  }

  static Job count(Configuration conf, String name, Path in, Path out) throws IOException {
    Job job = Job.getInstance(conf, name);
    job.setJarByClass(TinyJobs.class);
    job.setMapperClass(Splitting.class);
    job.setReducerClass(Adding.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, in);
    FileOutputFormat.setOutputPath(job, out);
    return job;
  }

  static class Counting extends Configured implements Tool {
    @Override
    public int run(String[] rest) throws Exception {
      Job job = count(getConf(), "tool", new Path(rest[0]), new Path(rest[1]));
      return job.waitForCompletion(true) ? 0 : 1;
    }
  }

  public static class Splitting extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        context.write(new Text(words.nextToken()), new IntWritable(1));
      }
    }
  }

  public static class Adding extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text word, Iterable<IntWritable> ones, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (IntWritable one : ones) {
        sum += one.get();
      }
      context.write(word, new IntWritable(sum));
    }
  }

  public static class Failing extends Splitting {
    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      System.out.println("printed by the task");
      throw new IllegalStateException("this line cannot be read");
    }
  }

  public static class Hogging extends Splitting {
    private final List<ByteBuffer> held = new ArrayList<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws InterruptedException {
      for (int i = 0; i < 1000; i++) {
        held.add(ByteBuffer.allocateDirect(8 << 20));
        Thread.sleep(50);
        context.progress();
      }
    }
  }
}
