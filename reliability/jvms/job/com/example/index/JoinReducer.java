package com.example.index;

import com.example.script.Keeper;
import com.example.script.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** A reducer that keeps what its script says: for itself, and for each group. */
public final class JoinReducer extends Reducer<Text, Text, Text, Text> {
  private Index index;
  private List<Keeper> work;
  private List<Keeper> ofGroup;
  private long words;

  @Override
  protected void setup(Context context) throws IOException {
    int number = context.getTaskAttemptID().getTaskID().getId();
    Script script = Script.of(context.getConfiguration(), number);
    script.takeRoom();
    work = script.of("record");
    ofGroup = script.of("group");
    index = new Index(script, "reduce", context.getConfiguration());
  }

  @Override
  protected void reduce(Text key, Iterable<Text> values, Context context)
      throws IOException, InterruptedException {
    List<byte[]> pending = new ArrayList<>();
    Map<Integer, byte[]> seen = new HashMap<>();
    Object[] buffer = new Object[1];
    for (Keeper each : ofGroup) {
      each.beginGroup();
    }
    context.write(new Text("group" + words % 1000), new Text("1"));
    boolean isFirst = true;
    for (Text value : values) {
      int length = key.getLength() + value.getLength();
      List<byte[]> cells = new ArrayList<>();
      List<String> tokens = new ArrayList<>();
      for (Keeper each : work) {
        each.takeWork(length, Script.work(value), Script.damped(value));
        if (each.slot.equals("cells")) {
          Filling.rows(cells, each);
        } else {
          Filling.titles(tokens, each);
        }
      }
      for (Keeper each : ofGroup) {
        each.take(length, false);
        if (each.slot.equals("pending")) {
          Filling.rows(pending, each);
        } else if (each.slot.equals("seen")) {
          Filling.counts(seen, each);
        } else {
          buffer = Filling.table(buffer, each);
        }
        if (each.isFlushed()) {
          each.count = 0;
          pending.clear();
        }
      }
      index.add(length, isFirst);
      isFirst = false;
      words += cells.size() + tokens.size();
    }
    words += pending.size() + seen.size() + buffer.length + index.size();
  }
}
