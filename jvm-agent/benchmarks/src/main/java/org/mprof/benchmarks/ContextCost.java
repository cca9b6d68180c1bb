package org.mprof.benchmarks;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.ReduceContextImpl;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Hadoop's own {@code ReduceContextImpl.nextKeyValue}, deserialisation included: run with the
 * agent, which patches it, and without. The difference is what a record costs more.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ContextCost {
  @Param({"10-12", "60-400"})
  public String sizes;

  /** Records of a group. */
  @Param({"100", "1"})
  public int group;

  private ReduceContextImpl<Text, BytesWritable, Text, BytesWritable> context;

  @Setup
  public void setUp() throws IOException, InterruptedException {
    int dash = sizes.indexOf('-');
    RawInput input =
        new RawInput(
            Integer.parseInt(sizes.substring(0, dash)),
            Integer.parseInt(sizes.substring(dash + 1)),
            group);
    Counters counters = new Counters();
    context =
        new ReduceContextImpl<>(
            new Configuration(false),
            new TaskAttemptID("0", 1, TaskType.REDUCE, 0, 0),
            input,
            counters.findCounter("g", "keys"),
            counters.findCounter("g", "values"),
            null,
            null,
            null,
            new Text.Comparator(),
            Text.class,
            BytesWritable.class);
  }

  @Benchmark
  public boolean nextKeyValue() throws IOException, InterruptedException {
    return context.nextKeyValue();
  }
}
