package org.example.convert;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.CombineFileSplit;

/** Reads one file of a combined split, all of it as one record. */
public class WholeFileReader extends RecordReader<Text, BytesWritable> {

  private final Path file;
  private final long length;
  private final Configuration configuration;
  private final Text key = new Text();
  private final BytesWritable value = new BytesWritable();
  private boolean done;

  /** Called by the framework for each file, with its number in the split. */
  public WholeFileReader(CombineFileSplit split, TaskAttemptContext context, Integer number) {
    file = split.getPath(number);
    length = split.getLength(number);
    configuration = context.getConfiguration();
  }

  @Override
  public void initialize(InputSplit split, TaskAttemptContext context) {}

  @Override
  public boolean nextKeyValue() throws IOException {
    if (done) {
      return false;
    }
    byte[] content = new byte[(int) length];
    try (FSDataInputStream in = file.getFileSystem(configuration).open(file)) {
      in.readFully(0, content);
    }
    key.set(file.getName());
    value.set(content, 0, content.length);
    done = true;
    return true;
  }

  @Override
  public Text getCurrentKey() {
    return key;
  }

  @Override
  public BytesWritable getCurrentValue() {
    return value;
  }

  @Override
  public float getProgress() {
    return done ? 1 : 0;
  }

  @Override
  public void close() {}
}
