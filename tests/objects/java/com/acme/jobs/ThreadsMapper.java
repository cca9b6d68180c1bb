package com.acme.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Accumulates in a thread-local of an executor's thread. */
public class ThreadsMapper extends Mapper<LongWritable, Text, Text, IntWritable> {
  private static final ThreadLocal<List<String>> MINE = ThreadLocal.withInitial(ArrayList::new);
  private final ExecutorService pool = Executors.newFixedThreadPool(1);

  @Override
  protected void map(LongWritable key, Text value, Context context)
      throws IOException, InterruptedException {
    String line = value.toString();
    Future<?> done =
        pool.submit(
            () -> {
              for (int i = 0; i < 10; i++) {
                MINE.get().add(line + i);
              }
            });
    try {
      done.get();
    } catch (java.util.concurrent.ExecutionException error) {
      throw new IOException(error.getCause());
    }
  }

  @Override
  protected void cleanup(Context context) {
    pool.shutdownNow();
  }
}
