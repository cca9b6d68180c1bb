package org.example.bulkload;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.CellCreator;
import org.apache.hadoop.hbase.mapreduce.CellSerialization;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.mapreduce.ImportTsv;
import org.apache.hadoop.hbase.mapreduce.MutationSerialization;
import org.apache.hadoop.hbase.mapreduce.PutSortReducer;
import org.apache.hadoop.hbase.mapreduce.TsvImporterMapper;
import org.apache.hadoop.hbase.mapreduce.VisibilityExpressionResolver;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Makes the store files of a table from text, as ImportTsv of HBase does; no HBase is running. */
public class PrepareLoad extends Configured implements Tool {

  private static final String COLUMNS = "HBASE_ROW_KEY,HBASE_TS_KEY,m:reads,m:writes,m:user";

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: PrepareLoad INPUT OUTPUT");
      return 2;
    }
    Configuration conf = getConf();
    conf.set(ImportTsv.COLUMNS_CONF_KEY, COLUMNS);
    conf.set("hbase.mapreduce.hfileoutputformat.table.name", "visits");
    conf.setBoolean(HFileOutputFormat2.LOCALITY_SENSITIVE_CONF_KEY, false);
    conf.setClass(
        CellCreator.VISIBILITY_EXP_RESOLVER_CLASS,
        NoLabels.class,
        VisibilityExpressionResolver.class);
    conf.setStrings(
        "io.serializations",
        conf.get("io.serializations"),
        MutationSerialization.class.getName(),
        CellSerialization.class.getName());
    Job job = Job.getInstance(conf, "prepare load");
    job.setJarByClass(PrepareLoad.class);
    job.setMapperClass(TsvImporterMapper.class);
    job.setReducerClass(PutSortReducer.class);
    job.setMapOutputKeyClass(ImmutableBytesWritable.class);
    job.setMapOutputValueClass(Put.class);
    job.setOutputKeyClass(ImmutableBytesWritable.class);
    job.setOutputValueClass(KeyValue.class);
    job.setOutputFormatClass(HFileOutputFormat2.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new PrepareLoad(), args));
  }
}
