import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
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

/** Keeps every line of its input, after so many rounds of a checksum over it (keep.rounds). */
public final class Keep extends Configured implements Tool {
  /** Keeps lines. */
  public static final class Kept extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final List<String> lines = new ArrayList<>();
    private final CRC32 sum = new CRC32();
    private int rounds;

    @Override
    protected void setup(Context context) {
      rounds = context.getConfiguration().getInt("keep.rounds", 1);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      for (int i = 0; i < rounds; i++) {
        sum.update(line.getBytes(), 0, line.getLength());
      }
      lines.add(line.toString());
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      context.write(new Text("lines"), new LongWritable(lines.size()));
      context.write(new Text("sum"), new LongWritable(sum.getValue()));
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "keep");
    job.setJarByClass(Keep.class);
    job.setMapperClass(Kept.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(false) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Keep(), args));
  }
}
