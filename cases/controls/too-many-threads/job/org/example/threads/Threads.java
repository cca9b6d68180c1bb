package org.example.threads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
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

/** Starts a thread for each line. */
public class Threads extends Configured implements Tool {

  /** Never ends a thread. */
  public static class ThreadMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private static final long STACK_BYTES = 64L << 20;
    private static final long ROOM_BYTES = 20 * STACK_BYTES;

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      String[] statm = Files.readAllLines(Paths.get("/proc/self/statm")).get(0).split(" ");
      long limit = Long.parseLong(statm[0]) * 4096 + ROOM_BYTES;
      String pid = Paths.get("/proc/self").toRealPath().getFileName().toString();
      int exit = new ProcessBuilder("prlimit", "--pid", pid, "--as=" + limit).start().waitFor();
      if (exit != 0) {
        throw new IOException("prlimit ended with " + exit);
      }
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Thread worker = new Thread(null, ThreadMapper::sleep, "worker at " + offset, STACK_BYTES);
      worker.setDaemon(true);
      worker.start();
      context.write(line, NullWritable.get());
    }

    private static void sleep() {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "threads");
    job.setJarByClass(Threads.class);
    job.setMapperClass(ThreadMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Threads(), args));
  }
}
