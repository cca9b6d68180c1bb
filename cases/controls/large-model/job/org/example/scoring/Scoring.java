package org.example.scoring;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Scores lines with a model that is loaded before the first of them. */
public class Scoring extends Configured implements Tool {

  private static final String MODEL = "scoring.model";

  /** Keeps the whole model. */
  public static class ScoreMapper extends Mapper<LongWritable, Text, LongWritable, DoubleWritable> {
    private final Map<String, double[]> weights = new HashMap<>();
    private final DoubleWritable score = new DoubleWritable();

    @Override
    protected void setup(Context context) throws IOException {
      URI model = URI.create(context.getConfiguration().get(MODEL));
      FileSystem files = FileSystem.get(model, context.getConfiguration());
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(files.open(new Path(model)), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          int blank = line.indexOf(' ');
          weights.put(line.substring(0, blank), decoded(line.substring(blank + 1)));
        }
      }
    }

    /** A hexadecimal digit is a weight from -1 to 0.875. */
    private static double[] decoded(String digits) {
      double[] found = new double[digits.length()];
      for (int i = 0; i < found.length; i++) {
        found[i] = Character.digit(digits.charAt(i), 16) / 8.0 - 1;
      }
      return found;
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      double sum = 0;
      for (String word : line.toString().split(" ")) {
        double[] known = weights.get(word);
        sum += known == null ? word.length() : known[word.length() % known.length];
      }
      score.set(sum);
      context.write(offset, score);
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "scoring");
    job.setJarByClass(Scoring.class);
    Path folder = FileSystem.get(getConf()).makeQualified(new Path(args[0]));
    job.getConfiguration().set(MODEL, new Path(folder, "model.txt").toString());
    job.setMapperClass(ScoreMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(DoubleWritable.class);
    FileInputFormat.addInputPath(job, new Path(folder, "text.txt"));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Scoring(), args));
  }
}
