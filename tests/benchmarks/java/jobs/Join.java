import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Joins two relations in reduce(): lines {@code A<TAB>KEY<TAB>ROW} and {@code B<TAB>KEY<TAB>ROW}. */
public final class Join extends Configured implements Tool {
  /** The relation and the row, under the key. */
  public static final class Rows extends Mapper<LongWritable, Text, Text, Text> {
    private final Text key = new Text();
    private final Text row = new Text();

    @Override
    protected void map(LongWritable at, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int tab = text.indexOf('\t', 2);
      key.set(text.substring(2, tab));
      row.set(text.charAt(0) + text.substring(tab + 1));
      context.write(key, row);
    }
  }

  /** Holds a key's rows of A, and pairs each row of B with them. */
  public static final class Pairs extends Reducer<Text, Text, Text, Text> {
    private final Text pair = new Text();

    @Override
    protected void reduce(Text key, Iterable<Text> rows, Context context)
        throws IOException, InterruptedException {
      List<String> left = new ArrayList<>();
      List<String> right = new ArrayList<>();
      for (Text row : rows) {
        (row.charAt(0) == 'A' ? left : right).add(row.toString().substring(1));
      }
      for (String one : left) {
        for (String other : right) {
          pair.set(one + '\t' + other);
          context.write(key, pair);
        }
      }
    }
  }

  @Override
  public int run(String[] folders) throws Exception {
    Job job = Job.getInstance(getConf(), "join");
    job.setJarByClass(Join.class);
    job.setMapperClass(Rows.class);
    job.setReducerClass(Pairs.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(folders[0]));
    FileOutputFormat.setOutputPath(job, new Path(folders[1]));
    return job.waitForCompletion(false) ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new Join(), arguments));
  }
}
