package com.example.index;

import com.example.script.Keeper;
import com.example.script.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;

/** Lines of text; before a task has its buffer, it gets the room that its script leaves it. */
public final class LineInput extends TextInputFormat {
  @Override
  public RecordReader<LongWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    Configuration conf = context.getConfiguration();
    Script script = Script.of(conf, ((FileSplit) split).getPath());
    script.takeRoom();
    if (script.bufferMb > 0) {
      conf.setInt("mapreduce.task.io.sort.mb", script.bufferMb);
    }
    List<Keeper> blocks = script.of("reader");
    return blocks.isEmpty() ? super.createRecordReader(split, context) : new BlockReader(blocks);
  }

  /** A reader that holds a block of what is to come. */
  static final class BlockReader extends RecordReader<LongWritable, Text> {
    private final LineRecordReader lines = new LineRecordReader();
    private final List<Keeper> blocks;
    private List<byte[]> ahead = new ArrayList<>();

    BlockReader(List<Keeper> blocks) {
      this.blocks = blocks;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
      lines.initialize(split, context);
    }

    @Override
    public boolean nextKeyValue() throws IOException {
      for (Keeper each : blocks) {
        each.takeBlock();
        if (each.isEmptied()) {
          ahead = new ArrayList<>();
          each.count = 0;
        }
        Filling.rows(ahead, each);
      }
      return lines.nextKeyValue();
    }

    @Override
    public LongWritable getCurrentKey() {
      return lines.getCurrentKey();
    }

    @Override
    public Text getCurrentValue() {
      return lines.getCurrentValue();
    }

    @Override
    public float getProgress() throws IOException {
      return lines.getProgress();
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }
}
