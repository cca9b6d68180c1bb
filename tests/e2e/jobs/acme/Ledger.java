package acme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Books lines in a ledger that keeps them once a writer is closed; one line is too much. */
public class Ledger extends Configured implements Tool {

  /** Takes a line apart; of line {@code acme.record} nothing but its parts fills the heap. */
  public static class Book extends Mapper<LongWritable, Text, Text, NullWritable> {
    private long tooMuch;
    private long lines;

    @Override
    protected void setup(Context context) {
      tooMuch = context.getConfiguration().getLong("acme.record", 0);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      List<String> parts = new ArrayList<>();
      lines++;
      long wanted = lines == tooMuch ? Long.MAX_VALUE : 3;
      while (parts.size() < wanted) {
        parts.add(line + " " + parts.size());
      }
      context.write(line, NullWritable.get());
    }
  }

  /** As a database does: what was written stays from {@code close} on, whoever commits. */
  public static class Rows extends OutputFormat<Text, NullWritable> {
    @Override
    public RecordWriter<Text, NullWritable> getRecordWriter(TaskAttemptContext context) {
      Path folder = Paths.get(context.getConfiguration().get("acme.ledger"));
      Path mine = folder.resolve(context.getTaskAttemptID().toString());
      return new RecordWriter<Text, NullWritable>() {
        private long rows;

        @Override
        public void write(Text key, NullWritable value) {
          rows++;
        }

        @Override
        public void close(TaskAttemptContext context) throws IOException {
          byte[] line = (rows + "\n").getBytes(StandardCharsets.UTF_8);
          Files.write(mine, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
      };
    }

    @Override
    public void checkOutputSpecs(JobContext context) {}

    @Override
    public OutputCommitter getOutputCommitter(TaskAttemptContext context) {
      return new NullOutputFormat<Text, NullWritable>().getOutputCommitter(context);
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "ledger");
    job.setJarByClass(Ledger.class);
    job.setMapperClass(Book.class);
    job.setNumReduceTasks(0);
    job.setOutputFormatClass(Rows.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(args[0]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Ledger(), args));
  }
}
