package com.acme.jobs;

import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Runs one job inside this JVM until it dies of memory: Run WORK_FOLDER MAPPER REDUCER COMBINER. */
public final class Run {
  private Run() {}

  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    Path input = work.resolve("input.txt");
    writeInput(input, args.length > 4 ? args[4] : "words");
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", work.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 2);
    letOnlyTheTaskAllocate(conf);
    for (String pair : System.getProperty("job", "").split(",")) {
      if (pair.contains("=")) {
        conf.set(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
    }
    if (args[1].startsWith("Old")) {
      runOld(conf, work, input, args);
    } else {
      runNew(conf, work, input, args);
    }
  }

  /**
   * Keeps the job client and the communication thread asleep. The JVM dumps for whichever thread
   * fails first; while one of these fails, the task's thread may be unwinding already.
   */
  private static void letOnlyTheTaskAllocate(Configuration conf) {
    for (String interval :
        new String[] {
          "mapreduce.client.completion.pollinterval",
          "mapreduce.client.progressmonitor.pollinterval",
          "mapreduce.task.progress-report.interval"
        }) {
      conf.setInt(interval, 300_000);
    }
  }

  @SuppressWarnings("unchecked")
  private static void runNew(Configuration conf, Path work, Path input, String[] args)
      throws Exception {
    Job job = Job.getInstance(conf, args[1]);
    job.setJarByClass(Run.class);
    job.setMapperClass((Class) Class.forName("com.acme.jobs." + args[1]));
    if (!args[2].equals("-")) {
      job.setReducerClass((Class) Class.forName("com.acme.jobs." + args[2]));
    }
    if (!args[3].equals("-")) {
      job.setCombinerClass((Class) Class.forName("com.acme.jobs." + args[3]));
    }
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    if (args.length > 5) {
      job.setMapOutputValueClass((Class) Class.forName(args[5]));
    }
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(input.toUri()));
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(work.resolve("out").toUri()));
    job.waitForCompletion(false);
  }

  @SuppressWarnings("unchecked")
  private static void runOld(Configuration conf, Path work, Path input, String[] args)
      throws Exception {
    JobConf job = new JobConf(conf, Run.class);
    job.setMapperClass((Class) Class.forName("com.acme.jobs." + args[1]));
    if (!args[2].equals("-")) {
      job.setReducerClass((Class) Class.forName("com.acme.jobs." + args[2]));
    }
    if (!args[3].equals("-")) {
      job.setCombinerClass((Class) Class.forName("com.acme.jobs." + args[3]));
    }
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    org.apache.hadoop.mapred.FileInputFormat.addInputPath(
        job, new org.apache.hadoop.fs.Path(input.toUri()));
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(
        job, new org.apache.hadoop.fs.Path(work.resolve("out").toUri()));
    JobClient.runJob(job);
  }

  private static void writeInput(Path input, String kind) throws Exception {
    Random random = new Random(7);
    try (BufferedWriter out = Files.newBufferedWriter(input)) {
      for (int line = 0; line < 60000; line++) {
        for (int word = 0; word < 10; word++) {
          out.write("w" + random.nextInt(50_000_000) + " ");
        }
        out.newLine();
        if (kind.equals("giant") && line == 50) {
          for (int word = 0; word < 600_000; word++) {
            out.write("g" + word + " ");
          }
          out.newLine();
        }
      }
    }
  }
}
