package acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Keeps every line of a session in a field of the mapper; a driver without ToolRunner. */
public class SessionTimes {
  static final class Remember extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final Map<String, List<String>> sessions = new HashMap<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      String text = line.toString();
      String session = text.substring(0, text.indexOf(' '));
      sessions.computeIfAbsent(session, s -> new ArrayList<>()).add(text);
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (Map.Entry<String, List<String>> entry : sessions.entrySet()) {
        context.write(new Text(entry.getKey()), new IntWritable(entry.getValue().size()));
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set("mapreduce.map.java.opts", "-Xmx" + args[2]);
    conf.setInt("mapreduce.map.memory.mb", 512);
    conf.setInt("mapreduce.map.maxattempts", 1);
    conf.setInt("mapreduce.task.io.sort.mb", 16);
    Job job = Job.getInstance(conf, "session times");
    job.setJarByClass(SessionTimes.class);
    job.setMapperClass(Remember.class);
    job.setNumReduceTasks(1);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    System.exit(job.waitForCompletion(true) ? 0 : 1);
  }
}
