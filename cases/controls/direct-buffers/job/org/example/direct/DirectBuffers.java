package org.example.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

/** Takes a direct buffer for each line. */
public class DirectBuffers extends Configured implements Tool {

  /** Never gives a buffer back. */
  public static class BufferMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final List<ByteBuffer> buffers = new ArrayList<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      ByteBuffer buffer = ByteBuffer.allocateDirect(16 * 1024);
      buffer.put(line.getBytes(), 0, line.getLength());
      buffers.add(buffer);
      context.write(line, NullWritable.get());
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "direct buffers");
    job.setJarByClass(DirectBuffers.class);
    job.setMapperClass(BufferMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new DirectBuffers(), args));
  }
}
