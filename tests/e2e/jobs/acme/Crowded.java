package acme;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Takes {@code acme.megabytes} of memory of the kind {@code acme.way}, a bit for each line. */
public class Crowded extends Configured implements Tool {

  /** Keeps what it takes; how long each line takes keeps the pace below that of the monitor. */
  public static class CrowdedMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final List<Object> kept = new ArrayList<>();
    private String way;
    private long wanted;
    private long taken;
    private Process child;

    @Override
    protected void setup(Context context) throws IOException {
      way = context.getConfiguration().get("acme.way");
      wanted = context.getConfiguration().getLong("acme.megabytes", 0) << 20;
      if (way.equals("child")) {
        String script = "b = bytearray(b'x') * " + wanted + "; print('ready', flush=True); input()";
        child = new ProcessBuilder("python3", "-c", script).start();
        InputStream ready = child.getInputStream();
        if (ready.read() < 0) {
          throw new IOException("the child did not start");
        }
      }
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (taken < wanted) {
        taken += take();
        Thread.sleep(1);
      } else if (child != null) {
        Thread.sleep(1);
      }
      context.write(line, NullWritable.get());
    }

    private long take() {
      switch (way) {
        case "heap":
          kept.add(new byte[256 << 10]);
          return 256 << 10;
        case "direct":
          kept.add(ByteBuffer.allocateDirect(256 << 10));
          return 256 << 10;
        case "native":
          Deflater deflater = new Deflater();
          deflater.setInput(new byte[1024]);
          deflater.finish();
          deflater.deflate(new byte[4096]);
          kept.add(deflater);
          return 96 << 10; // what it touches of its 260 kB
        default:
          return wanted;
      }
    }

    @Override
    protected void cleanup(Context context) {
      if (child != null) {
        child.destroy();
      }
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "crowded");
    job.setJarByClass(Crowded.class);
    job.setMapperClass(CrowdedMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Crowded(), args));
  }
}
