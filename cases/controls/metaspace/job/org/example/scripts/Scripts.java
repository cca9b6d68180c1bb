package org.example.scripts;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
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

/** Loads a class anew for each line. */
public class Scripts extends Configured implements Tool {

  /** What is loaded for each line. */
  public static class Script {
    public int apply(int length) {
      return length * 31;
    }
  }

  /** One class each. */
  private static class ScriptLoader extends ClassLoader {
    Class<?> define(byte[] code) {
      return defineClass(Script.class.getName(), code, 0, code.length);
    }
  }

  /** Keeps every script. */
  public static class ScriptMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private final List<Object> scripts = new ArrayList<>();
    private byte[] code;

    @Override
    protected void setup(Context context) throws IOException {
      String resource = Script.class.getName().replace('.', '/') + ".class";
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (InputStream in = Script.class.getClassLoader().getResourceAsStream(resource)) {
        for (int next = in.read(); next >= 0; next = in.read()) {
          bytes.write(next);
        }
      }
      code = bytes.toByteArray();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      try {
        scripts.add(new ScriptLoader().define(code).getDeclaredConstructor().newInstance());
      } catch (ReflectiveOperationException e) {
        throw new IOException(e);
      }
      context.write(line, NullWritable.get());
    }
  }

  @Override
  public int run(String[] args) throws Exception {
    Job job = Job.getInstance(getConf(), "metaspace");
    job.setJarByClass(Scripts.class);
    job.setMapperClass(ScriptMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new Scripts(), args));
  }
}
