package org.example.readings;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Decodes one reading at a time. */
class BlockReader extends RecordReader<LongWritable, Text> {
  private final LongWritable number = new LongWritable();
  private final Text reading = new Text();
  private BufferedReader in;

  @Override
  public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
    Path file = ((FileSplit) split).getPath();
    in =
        new BufferedReader(
            new InputStreamReader(
                file.getFileSystem(context.getConfiguration()).open(file),
                StandardCharsets.UTF_8));
  }

  @Override
  public boolean nextKeyValue() throws IOException {
    String line = in.readLine();
    while (line != null && line.isEmpty()) {
      line = in.readLine();
    }
    if (line == null) {
      return false;
    }
    reading.set(line);
    number.set(number.get() + 1);
    return true;
  }

  @Override
  public LongWritable getCurrentKey() {
    return number;
  }

  @Override
  public Text getCurrentValue() {
    return reading;
  }

  @Override
  public float getProgress() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
