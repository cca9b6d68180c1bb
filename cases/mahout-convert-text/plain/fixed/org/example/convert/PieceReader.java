package org.example.convert;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.CombineFileSplit;

/** Reads one file of a combined split in pieces of bounded size, cut at line ends. */
public class PieceReader extends RecordReader<Text, BytesWritable> {

  private static final int PIECE_BYTES = 1 << 20;

  private final String name;
  private final long length;
  private final FSDataInputStream in;
  private final byte[] buffer = new byte[PIECE_BYTES];
  private final Text key = new Text();
  private final BytesWritable value = new BytesWritable();
  private long position;
  private int piece;

  /** Called by the framework for each file, with its number in the split. */
  public PieceReader(CombineFileSplit split, TaskAttemptContext context, Integer number)
      throws IOException {
    Path file = split.getPath(number);
    name = file.getName();
    length = split.getLength(number);
    in = file.getFileSystem(context.getConfiguration()).open(file);
  }

  @Override
  public void initialize(InputSplit split, TaskAttemptContext context) {}

  @Override
  public boolean nextKeyValue() throws IOException {
    if (position >= length) {
      return false;
    }
    int size = (int) Math.min(buffer.length, length - position);
    in.readFully(position, buffer, 0, size);
    if (position + size < length) {
      size = endOfLastLine(size);
    }
    key.set(name + "#" + piece++);
    value.set(buffer, 0, size);
    position += size;
    return true;
  }

  /** Bytes up to the last line end; all of them where a line is longer than a piece. */
  private int endOfLastLine(int size) {
    for (int end = size; end > 0; end--) {
      if (buffer[end - 1] == '\n') {
        return end;
      }
    }
    return size;
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
    return length == 0 ? 1 : (float) position / length;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
