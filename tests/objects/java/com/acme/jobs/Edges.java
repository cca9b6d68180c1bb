package com.acme.jobs;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.mprof.testing.Dump;

/** Jobs whose reader, writer or use of Hadoop holds known content, and one with several threads. */
final class Edges {
  private static final int BLOCK = Known.BLOCK;
  private static final int READ_AHEAD = 150;
  private static final int THREADS = 3;

  private Edges() {}

  /** Decodes all of its records at once. */
  public static class AheadInput extends FileInputFormat<LongWritable, BytesWritable> {
    @Override
    public RecordReader<LongWritable, BytesWritable> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new AheadReader();
    }
  }

  static final class AheadReader extends RecordReader<LongWritable, BytesWritable> {
    private List<byte[]> block;
    private int next;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {}

    @Override
    public boolean nextKeyValue() {
      if (block == null) {
        block = decode();
      }
      return next++ < block.size();
    }

    private static List<byte[]> decode() {
      List<byte[]> decoded = new ArrayList<>();
      while (decoded.size() < READ_AHEAD) {
        decoded.add(new byte[BLOCK]);
        if (decoded.size() == 120) {
          Dump.once("decoding");
        }
      }
      return decoded;
    }

    @Override
    public LongWritable getCurrentKey() {
      return new LongWritable(next);
    }

    @Override
    public BytesWritable getCurrentValue() {
      return new BytesWritable(block.get(next - 1));
    }

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void close() {}
  }

  /** Batches what it is given. */
  public static class BatchOutput extends NullOutputFormat<Text, Text> {
    @Override
    public RecordWriter<Text, Text> getRecordWriter(TaskAttemptContext context) {
      return new BatchWriter();
    }
  }

  static final class BatchWriter extends RecordWriter<Text, Text> {
    private final List<byte[]> batch = new ArrayList<>();

    @Override
    public void write(Text key, Text value) {
      batch.add(new byte[2 * BLOCK]);
      if (batch.size() == 30) {
        Dump.once("batched");
      }
    }

    @Override
    public void close(TaskAttemptContext context) {}
  }

  /** Hands on a record for each; leaves 40 file systems in Hadoop's cache. */
  public static class PassMapper extends Mapper<LongWritable, BytesWritable, Text, Text> {
    @Override
    protected void map(LongWritable key, BytesWritable value, Context context)
        throws IOException, InterruptedException {
      context.write(new Text("one"), new Text("two"));
      if (key.get() == 60) {
        for (int i = 0; i < 40; i++) {
          FileSystem.newInstance(
              URI.create("file:///"), new Configuration(context.getConfiguration()));
        }
        Dump.once("file-systems");
      }
    }
  }

  /** Waits until all threads are in map(), and lets one of them dump while the others wait. */
  public static class AtOnceMapper extends Mapper<LongWritable, Text, Text, Text> {
    private static final CountDownLatch STARTED = new CountDownLatch(THREADS);

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      byte[][] rows = new byte[10][BLOCK];
      STARTED.countDown();
      STARTED.await();
      synchronized (STARTED) {
        Dump.once("at-once");
      }
      context.write(new Text("rows"), new Text(Integer.toString(rows.length)));
    }
  }

  static void run(java.nio.file.Path work, java.nio.file.Path input, Configuration conf)
      throws Exception {
    Job edges = job(work, input, conf, "edges");
    edges.setMapperClass(PassMapper.class);
    edges.setInputFormatClass(AheadInput.class);
    edges.setOutputFormatClass(BatchOutput.class);
    complete(edges);
    Job threads = job(work, input, conf, "at-once");
    threads.setMapperClass(MultithreadedMapper.class);
    MultithreadedMapper.setMapperClass(threads, AtOnceMapper.class);
    MultithreadedMapper.setNumberOfThreads(threads, THREADS);
    complete(threads);
  }

  private static Job job(
      java.nio.file.Path work, java.nio.file.Path input, Configuration conf, String name)
      throws IOException {
    Job job = Job.getInstance(conf, name);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(input.toUri()));
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(work.resolve(name).toUri()));
    return job;
  }

  private static void complete(Job job) throws Exception {
    if (!job.waitForCompletion(false)) {
      throw new IllegalStateException(job.getJobName() + " failed");
    }
  }
}
