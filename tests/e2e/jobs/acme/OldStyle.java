package acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The old API: a reducer that copies all values of a key into a list. */
public class OldStyle extends Configured implements Tool {
  public static class ByFirstWord extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, Text> {
    private final Text key = new Text();

    @Override
    public void map(LongWritable offset, Text line, OutputCollector<Text, Text> out, Reporter r)
        throws IOException {
      String text = line.toString();
      key.set(text.substring(0, text.indexOf(' ')));
      out.collect(key, line);
    }
  }

  public static class KeepAll extends MapReduceBase implements Reducer<Text, Text, Text, Text> {
    @Override
    public void reduce(Text key, Iterator<Text> values, OutputCollector<Text, Text> out, Reporter r)
        throws IOException {
      List<Text> kept = new ArrayList<>();
      while (values.hasNext()) {
        kept.add(new Text(values.next()));
      }
      out.collect(key, new Text(Integer.toString(kept.size())));
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    JobConf conf = new JobConf(getConf(), OldStyle.class);
    conf.setJobName("old style");
    conf.setMapperClass(ByFirstWord.class);
    conf.setReducerClass(KeepAll.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(conf, new Path(args[0]));
    FileOutputFormat.setOutputPath(conf, new Path(args[1]));
    JobClient.runJob(conf);
    return 0;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Configuration(), new OldStyle(), args));
  }
}
