package org.example.caching;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
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

/** Works words out, with a cache of bounded size. */
public class Caching extends Configured implements Tool {

  /** Holds on to the words that were asked for last. */
  public static class CachingMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final Text result = new Text();
    private Map<String, char[]> cache;

    @Override
    protected void setup(Context context) {
      int entries = context.getConfiguration().getInt("caching.entries", 100_000);
      cache =
          new LinkedHashMap<String, char[]>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, char[]> eldest) {
              return size() > entries;
            }
          };
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().split(" ")) {
        char[] worked = cache.get(word);
        if (worked == null) {
          worked = workedOut(word);
          cache.put(word, worked);
        }
        if (worked[0] == 'e' && worked[1] == worked[2]) {
          result.set(new String(worked));
          context.write(result, NullWritable.get());
        }
      }
    }

    private static char[] workedOut(String word) {
      char[] letters = new char[100];
      for (int i = 0; i < letters.length; i++) {
        letters[i] = word.charAt((i * 7 + word.length()) % word.length());
      }
      return letters;
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "caching");
    job.setJarByClass(Caching.class);
    job.setMapperClass(CachingMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Caching(), args));
  }
}
