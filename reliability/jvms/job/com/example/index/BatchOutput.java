package com.example.index;

import com.example.script.Keeper;
import com.example.script.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/** Text whose writer keeps a batch of what it was given. */
public final class BatchOutput extends TextOutputFormat<Text, Text> {
  @Override
  public RecordWriter<Text, Text> getRecordWriter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    RecordWriter<Text, Text> plain = super.getRecordWriter(context);
    // A map task's script is that of its file, which its input has noted.
    int number = context.getTaskAttemptID().getTaskID().getId();
    Script script = Script.of(context.getConfiguration(), number);
    List<Keeper> batches = script.of("writer");
    return batches.isEmpty() ? plain : new BatchWriter(plain, batches);
  }

  /** A writer that holds what has not been sent. */
  static final class BatchWriter extends RecordWriter<Text, Text> {
    private final RecordWriter<Text, Text> plain;
    private final List<Keeper> batches;
    private List<byte[]> batch = new ArrayList<>();

    BatchWriter(RecordWriter<Text, Text> plain, List<Keeper> batches) {
      this.plain = plain;
      this.batches = batches;
    }

    @Override
    public void write(Text key, Text value) throws IOException, InterruptedException {
      for (Keeper each : batches) {
        each.take(0, true);
        if (each.isEmptied()) {
          batch = new ArrayList<>();
          each.count = 0;
        }
        Filling.rows(batch, each);
        if (each.isFlushed()) {
          batch = new ArrayList<>();
          each.count = 0;
        }
      }
      plain.write(key, value);
    }

    @Override
    public void close(TaskAttemptContext context) throws IOException, InterruptedException {
      plain.close(context);
    }
  }
}
