package acme;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** One job with several ways to end, chosen by {@code -D acme.way}. */
public class Troubled extends Configured implements Tool {
  public static class Way extends Mapper<LongWritable, Text, Text, Text> {
    private final Map<String, String> side = new HashMap<>();
    private String way;

    @Override
    protected void setup(Context context) throws IOException {
      way = context.getConfiguration().get("acme.way", "fine");
      if (way.equals("side")) {
        try (BufferedReader reader = new BufferedReader(new FileReader(new File("side.txt")))) {
          for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            side.put(line.substring(0, line.indexOf(' ')) + side.size(), line);
          }
        }
      }
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (way.equals("own")) {
        throw new IllegalStateException("line at " + offset + " is not mine");
      }
      if (way.equals("made")) {
        throw new OutOfMemoryError("I have had enough");
      }
      context.write(line, new Text(""));
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "troubled");
    job.setJarByClass(Troubled.class);
    job.setMapperClass(Way.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    boolean succeeded = job.waitForCompletion(true);
    if (getConf().get("acme.way", "fine").equals("collects")) {
      List<long[]> results = new ArrayList<>();
      while (succeeded) {
        results.add(new long[1 << 24]);
      }
    }
    return succeeded ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new Troubled(), args));
  }
}
