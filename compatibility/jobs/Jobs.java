import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.chain.ChainMapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainReducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** {@code Jobs KIND [options] IN OUT}: a word count, made in different ways, or one that dies. */
public final class Jobs extends Configured implements Tool {
  private final String kind;

  private Jobs(String kind) {
    this.kind = kind;
  }

  public static void main(String[] arguments) throws Exception {
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    System.exit(ToolRunner.run(new Jobs(arguments[0]), rest));
  }

  @Override
  public int run(String[] paths) throws Exception {
    Job job = Job.getInstance(getConf(), kind);
    job.setJarByClass(Jobs.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(paths[0]));
    FileOutputFormat.setOutputPath(job, new Path(paths[1]));
    job.setMapperClass(Splitting.class);
    job.setReducerClass(Adding.class);
    if (kind.equals("chain")) {
      chain(job);
    } else if (kind.equals("threads")) {
      job.setMapperClass(MultithreadedMapper.class);
      MultithreadedMapper.setMapperClass(job, Splitting.class);
      MultithreadedMapper.setNumberOfThreads(job, 4);
    } else if (kind.equals("straggle")) {
      job.setMapperClass(Straggling.class);
    } else if (kind.equals("fill-map")) {
      job.setMapperClass(Filling.class);
    } else if (kind.equals("fill-reduce")) {
      job.setReducerClass(Keeping.class);
    } else if (kind.equals("fill-direct")) {
      job.setMapperClass(FillingDirect.class);
    } else if (kind.equals("throw")) {
      job.setMapperClass(Throwing.class);
    } else if (!kind.equals("count")) {
      throw new IllegalArgumentException(kind);
    }
    return job.waitForCompletion(true) ? 0 : 1;
  }

  private static void chain(Job job) throws IOException {
    Configuration none = new Configuration(false);
    ChainMapper.addMapper(
        job, Splitting.class, LongWritable.class, Text.class, Text.class, IntWritable.class, none);
    ChainMapper.addMapper(
        job, Raising.class, Text.class, IntWritable.class, Text.class, IntWritable.class, none);
    ChainReducer.setReducer(
        job, Adding.class, Text.class, IntWritable.class, Text.class, IntWritable.class, none);
    ChainReducer.addMapper(
        job, Raising.class, Text.class, IntWritable.class, Text.class, IntWritable.class, none);
  }

  /** One for each word. */
  public static class Splitting extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static final IntWritable ONE = new IntWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer words = new StringTokenizer(line.toString());
      while (words.hasMoreTokens()) {
        context.write(new Text(words.nextToken()), ONE);
      }
    }
  }

  /** Adds up, and says at its end what arrived of {@code -Dcompatibility.shown}. */
  public static class Adding extends Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void reduce(Text word, Iterable<IntWritable> counts, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (IntWritable count : counts) {
        sum += count.get();
      }
      context.write(word, new IntWritable(sum));
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      String shown = System.getProperty("compatibility.shown");
      if (shown != null) {
        context.write(new Text("shown: " + shown), new IntWritable(shown.length()));
      }
    }
  }

  /** A link of a chain. */
  public static class Raising extends Mapper<Text, IntWritable, Text, IntWritable> {
    @Override
    protected void map(Text word, IntWritable count, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(word + "+"), count);
    }
  }

  /** The first attempt of the first task takes its time, and any other none. */
  public static class Straggling extends Splitting {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      if (context.getTaskAttemptID().toString().endsWith("_m_000000_0")) {
        Thread.sleep(100);
      }
      super.map(offset, line, context);
    }
  }

  /** Keeps more than any heap holds. */
  public static class Filling extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final List<byte[]> kept = new ArrayList<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      kept.add(new byte[200_000]);
    }
  }

  /** Keeps more than any heap holds. */
  public static class Keeping extends Reducer<Text, IntWritable, Text, IntWritable> {
    private final List<byte[]> kept = new ArrayList<>();

    @Override
    protected void reduce(Text word, Iterable<IntWritable> counts, Context context) {
      for (IntWritable count : counts) {
        kept.add(new byte[200_000 + count.get()]);
      }
    }
  }

  /** Keeps more than may lie outside the heap. */
  public static class FillingDirect extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final List<ByteBuffer> kept = new ArrayList<>();

    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      kept.add(ByteBuffer.allocateDirect(200_000));
    }
  }

  /** Fails for a reason of its own. */
  public static class Throwing extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context) {
      throw new IllegalStateException("a fault of its own");
    }
  }
}
