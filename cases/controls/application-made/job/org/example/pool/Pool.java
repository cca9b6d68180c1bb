package org.example.pool;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
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

/** Takes pages from a pool that has a limit. */
public class Pool extends Configured implements Tool {

  /** Memory that the application manages itself. */
  static class PagePool {
    private static final int PAGES = 100;
    private final Deque<byte[]> taken = new ArrayDeque<>();

    byte[] take() {
      if (taken.size() == PAGES) {
        throw new OutOfMemoryError("pool of " + PAGES + " pages is used up");
      }
      byte[] page = new byte[4096];
      taken.push(page);
      return page;
    }
  }

  /** Gives no page back. */
  public static class PoolMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final PagePool pool = new PagePool();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (offset.get() % 7 == 0) {
        byte[] page = pool.take();
        System.arraycopy(line.getBytes(), 0, page, 0, Math.min(page.length, line.getLength()));
      }
      context.write(line, NullWritable.get());
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "an outofmemoryerror that the application made");
    job.setJarByClass(Pool.class);
    job.setMapperClass(PoolMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Pool(), args));
  }
}
