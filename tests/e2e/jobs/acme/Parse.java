package acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
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

/** Takes every line apart into objects that are gone with the next line; one line is too long. */
public class Parse extends Configured implements Tool {
  static final class Token {
    final String text;
    final long[] features = new long[12];

    Token(String text) {
      this.text = text;
    }
  }

  public static class Tokens extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      List<Token> tokens = takeApart(line.toString());
      context.write(new Text(Integer.toString(tokens.size())), NullWritable.get());
    }

    private static List<Token> takeApart(String line) {
      List<Token> tokens = new ArrayList<>();
      int begin = 0;
      for (int end = line.indexOf(' '); end >= 0; end = line.indexOf(' ', begin)) {
        tokens.add(new Token(line.substring(begin, end)));
        begin = end + 1;
      }
      return tokens;
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "parse");
    job.setJarByClass(Parse.class);
    job.setMapperClass(Tokens.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new Parse(), args));
  }
}
