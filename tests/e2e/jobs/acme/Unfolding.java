package acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Keeps 1 KB a line, and unfolds each line into as many small arrays as it says: "key cells". */
public class Unfolding {
  static List<int[]> unfold(String line) {
    int cells = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
    List<int[]> all = new ArrayList<>();
    for (int i = 0; i < cells; i++) {
      all.add(new int[20]);
    }
    return all;
  }

  static final class InMap extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final List<byte[]> kept = new ArrayList<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      kept.add(new byte[1000]);
      List<int[]> cells = unfold(line.toString());
      context.write(new Text("cells"), new LongWritable(cells.size()));
    }
  }

  static final class ByKey extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(line.toString().split(" ")[0]), line);
    }
  }

  static final class InReduce extends Reducer<Text, Text, Text, LongWritable> {
    private final List<byte[]> kept = new ArrayList<>();

    @Override
    protected void reduce(Text key, Iterable<Text> lines, Context context)
        throws IOException, InterruptedException {
      long cells = 0;
      for (Text line : lines) {
        kept.add(new byte[1000]);
        cells += unfold(line.toString()).size();
      }
      context.write(key, new LongWritable(cells));
    }
  }

  public static void main(String[] args) throws Exception {
    boolean inMap = args[0].equals("map");
    Configuration conf = new Configuration();
    conf.set("mapreduce." + args[0] + ".java.opts", "-Xmx200m");
    conf.setInt("mapreduce." + args[0] + ".memory.mb", 640);
    conf.setInt("mapreduce.map.maxattempts", 1);
    conf.setInt("mapreduce.reduce.maxattempts", 1);
    conf.setInt("mapreduce.task.io.sort.mb", 10);
    Job job = Job.getInstance(conf, "unfolding in " + args[0]);
    job.setJarByClass(Unfolding.class);
    job.setNumReduceTasks(1);
    job.setMapOutputKeyClass(Text.class);
    if (inMap) {
      job.setMapperClass(InMap.class);
      job.setMapOutputValueClass(LongWritable.class);
    } else {
      job.setMapperClass(ByKey.class);
      job.setReducerClass(InReduce.class);
      job.setMapOutputValueClass(Text.class);
    }
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[1]));
    FileOutputFormat.setOutputPath(job, new Path(args[2]));
    System.exit(job.waitForCompletion(true) ? 0 : 1);
  }
}
