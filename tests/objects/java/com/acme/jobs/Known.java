package com.acme.jobs;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.mprof.testing.Dump;

/** Jobs that dump the heap of their task when it holds known content: Known WORK_FOLDER. */
public final class Known {
  static final int BLOCK = 50_000;

  private Known() {}

  /** Counts its blocks in a field of its own; a user class that is no container. */
  static final class State {
    final List<byte[]> kept = new LinkedList<>();
    final String label = "state";
  }

  /** An open hash table as users write them: arrays and a count. */
  static final class Table {
    private final Object[] keys = new Object[64];
    private final byte[][] values = new byte[64][];
    private int size;

    void put(Object key, byte[] value) {
      keys[size] = key;
      values[size++] = value;
      if (size == 25) {
        grow();
      }
    }

    private void grow() {
      Dump.once("growing");
    }
  }

  static final class Registry {
    static final Map<String, byte[]> BLOCKS = new HashMap<>();
  }

  /** Fields, a helper object, a table, a static, a local and the record in flight. */
  public static class FieldsMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
    private final List<byte[]> blocks = new ArrayList<>();
    private final State state = new State();
    private final Table table = new Table();

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      int number = blocks.size();
      blocks.add(new byte[BLOCK]);
      state.kept.add(new byte[BLOCK]);
      state.kept.add(blocks.get(number)); // shared: counted once
      table.put(value.toString(), new byte[BLOCK / 2]);
      Registry.BLOCKS.put("block" + number, new byte[2 * BLOCK]);
      List<byte[]> local = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        local.add(new byte[BLOCK]);
      }
      if (number == 19) {
        work(local);
      }
      context.write(new Text("key" + number % 3), new BytesWritable(local.get(0)));
    }

    private void work(List<byte[]> handed) {
      byte[][] own = new byte[30][BLOCK];
      Iterator<byte[]> rest =
          new LinkedList<>(Arrays.asList(new byte[BLOCK], new byte[BLOCK])).iterator();
      Dump.once("fields-mapper");
      handed.set(0, rest.hasNext() ? rest.next() : own[0]);
    }
  }

  /** Two lists of one class in reduce(), a field, and a value they share. */
  public static class ListsReducer extends Reducer<Text, BytesWritable, Text, Text> {
    private final List<byte[]> lasting = new ArrayList<>();

    @Override
    protected void reduce(Text key, Iterable<BytesWritable> values, Context context)
        throws IOException, InterruptedException {
      List<byte[]> first = new ArrayList<>();
      List<byte[]> second = new ArrayList<>();
      for (BytesWritable value : values) {
        first.add(new byte[BLOCK]);
        second.add(new byte[2 * BLOCK]);
        byte[] shared = new byte[BLOCK];
        lasting.add(shared);
        first.add(shared);
        if (lasting.size() == 4) {
          Dump.once("lists-reducer");
        }
      }
      context.write(key, new Text(first.size() + " " + second.size()));
    }
  }

  /** A combiner with a local map. */
  public static class MapCombiner extends Reducer<Text, BytesWritable, Text, BytesWritable> {
    @Override
    protected void reduce(Text key, Iterable<BytesWritable> values, Context context)
        throws IOException, InterruptedException {
      Map<Integer, byte[]> seen = new HashMap<>();
      for (BytesWritable value : values) {
        seen.put(seen.size(), new byte[BLOCK]);
        context.write(key, value);
        if (seen.size() == 3) {
          Dump.once("combiner");
        }
      }
    }
  }

  /** Setup with a helper, overridden run(), cleanup. */
  public static class PhasesMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
    private List<byte[]> model;

    @Override
    protected void setup(Context context) {
      model = load();
      Dump.once("after-load");
    }

    private static List<byte[]> load() {
      List<byte[]> loaded = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        loaded.add(new byte[BLOCK]);
      }
      Dump.once("setup");
      return loaded;
    }

    @Override
    public void run(Context context) throws IOException, InterruptedException {
      setup(context);
      List<byte[]> batch = new ArrayList<>();
      while (context.nextKeyValue()) {
        batch.add(new byte[BLOCK]);
        if (batch.size() == 25) {
          Dump.once("run");
        }
      }
      batch = null;
      cleanup(context);
    }

    @Override
    protected void cleanup(Context context) {
      List<byte[]> sorted = new ArrayList<>(model);
      sorted.add(new byte[4 * BLOCK]);
      Dump.once("cleanup");
      model = sorted;
    }
  }

  /** Old API, with a combiner that is the reducer too. */
  public static class OldMapper extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, BytesWritable> {
    private final List<byte[]> blocks = new ArrayList<>();

    @Override
    public void map(
        LongWritable key, Text value, OutputCollector<Text, BytesWritable> out, Reporter reporter)
        throws IOException {
      blocks.add(new byte[BLOCK]);
      if (blocks.size() == 20) {
        Dump.once("old-mapper");
      }
      out.collect(new Text("one"), new BytesWritable(new byte[10]));
    }
  }

  public static class OldReducer extends MapReduceBase
      implements org.apache.hadoop.mapred.Reducer<Text, BytesWritable, Text, BytesWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<BytesWritable> values,
        OutputCollector<Text, BytesWritable> out,
        Reporter reporter)
        throws IOException {
      Map<Integer, byte[]> seen = new HashMap<>();
      while (values.hasNext()) {
        BytesWritable value = values.next();
        seen.put(seen.size(), new byte[BLOCK]);
        if (seen.size() == 5) {
          Dump.once(Thread.currentThread().getName().contains("pool") ? "old-reducer" : "old-combiner");
        }
        out.collect(key, value);
      }
    }
  }

  /** A value that dumps the heap while it is written, and another while it is read. */
  public static class Wide implements Writable {
    private byte[] content = new byte[0];

    @Override
    public void write(DataOutput out) throws IOException {
      Dump.once("written");
      out.writeInt(content.length);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      content = new byte[in.readInt()];
      Dump.once("read");
    }
  }

  public static class WideMapper extends Mapper<LongWritable, Text, Text, Wide> {
    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      context.write(new Text("wide"), wide());
    }

    private static Wide wide() {
      Wide wide = new Wide();
      wide.content = new byte[60 * BLOCK];
      return wide;
    }
  }

  public static class WideReducer extends Reducer<Text, Wide, Text, Text> {}

  /** A thread-local of a pool's thread, and a local of the job it runs. */
  public static class PoolMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
    private static final ThreadLocal<List<byte[]>> MINE = ThreadLocal.withInitial(ArrayList::new);
    private final ExecutorService pool = Executors.newFixedThreadPool(1);

    @Override
    protected void map(LongWritable key, Text value, Context context)
        throws IOException, InterruptedException {
      try {
        pool.submit(
                () -> {
                  List<byte[]> local = new ArrayList<>();
                  for (int i = 0; i < 10; i++) {
                    local.add(new byte[BLOCK]);
                  }
                  MINE.get().add(new byte[BLOCK]);
                  if (MINE.get().size() == 20) {
                    Dump.once("pool");
                  }
                  return local.size();
                })
            .get();
      } catch (java.util.concurrent.ExecutionException error) {
        throw new IOException(error);
      }
    }

    @Override
    protected void cleanup(Context context) {
      pool.shutdown();
    }
  }

  /** Runs in threads of MultithreadedMapper. */
  public static class ThreadedMapper extends Mapper<LongWritable, Text, Text, BytesWritable> {
    private final List<byte[]> blocks = new ArrayList<>();

    @Override
    protected void map(LongWritable key, Text value, Context context) {
      blocks.add(new byte[BLOCK]);
      if (blocks.size() == 20) {
        Dump.once("threaded");
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    Path input = Files.writeString(work.resolve("input.txt"), "some line of text\n".repeat(60));
    run(work, input, "fields", FieldsMapper.class, ListsReducer.class, MapCombiner.class, null);
    run(work, input, "phases", PhasesMapper.class, null, null, null);
    run(work, input, "wide", WideMapper.class, WideReducer.class, null, Wide.class);
    run(work, input, "pool", PoolMapper.class, null, null, null);
    run(work, input, "threads", MultithreadedMapper.class, null, null, null);
    Edges.run(work, input, configuration(work));
    runOld(work, input);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void run(
      Path work, Path input, String name, Class mapper, Class reducer, Class combiner, Class value)
      throws Exception {
    Job job = Job.getInstance(configuration(work));
    job.setMapperClass(mapper);
    if (reducer == null) {
      job.setNumReduceTasks(0);
    } else {
      job.setReducerClass(reducer);
    }
    if (combiner != null) {
      job.setCombinerClass(combiner);
    }
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(value == null ? BytesWritable.class : value);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    MultithreadedMapper.setMapperClass(job, ThreadedMapper.class);
    MultithreadedMapper.setNumberOfThreads(job, 1);
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(input.toUri()));
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(work.resolve(name).toUri()));
    if (!job.waitForCompletion(false)) {
      throw new IllegalStateException(name + " failed");
    }
  }

  private static void runOld(Path work, Path input) throws Exception {
    JobConf job = new JobConf(configuration(work));
    job.setMapperClass(OldMapper.class);
    job.setCombinerClass(OldReducer.class);
    job.setReducerClass(OldReducer.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(BytesWritable.class);
    org.apache.hadoop.mapred.FileInputFormat.addInputPath(
        job, new org.apache.hadoop.fs.Path(input.toUri()));
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(
        job, new org.apache.hadoop.fs.Path(work.resolve("old").toUri()));
    JobClient.runJob(job);
  }

  private static Configuration configuration(Path work) {
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", work.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 4);
    return conf;
  }
}
