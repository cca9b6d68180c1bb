package org.example.nativemem;

import java.io.IOException;
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

/** Makes a deflater for each line. */
public class NativeMemory extends Configured implements Tool {

  /** Never ends a deflater, each of which has some 250 kB outside the heap. */
  public static class DeflateMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final List<Deflater> deflaters = new ArrayList<>();
    private final byte[] buffer = new byte[4096];

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Deflater deflater = new Deflater();
      deflaters.add(deflater);
      deflater.setInput(line.getBytes(), 0, line.getLength());
      deflater.finish();
      deflater.deflate(buffer);
      context.write(line, NullWritable.get());
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "native memory");
    job.setJarByClass(NativeMemory.class);
    job.setMapperClass(DeflateMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new NativeMemory(), args));
  }
}
