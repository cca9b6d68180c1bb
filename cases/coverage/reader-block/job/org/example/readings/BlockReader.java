package org.example.readings;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Decodes a block whole, and hands out its readings one by one. */
class BlockReader extends RecordReader<LongWritable, Text> {
  private final LongWritable number = new LongWritable();
  private final Text reading = new Text();
  private BufferedReader in;
  private List<String> block = new ArrayList<>();
  private int next;

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
    while (next == block.size()) {
      block = null;
      block = decode();
      next = 0;
      if (block.isEmpty()) {
        return false;
      }
    }
    reading.set(block.get(next++));
    number.set(number.get() + 1);
    return true;
  }

  private List<String> decode() throws IOException {
    List<String> decoded = new ArrayList<>();
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      decoded.add(line);
    }
    return decoded;
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
