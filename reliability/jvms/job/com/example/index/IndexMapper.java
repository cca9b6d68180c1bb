package com.example.index;

import com.example.script.Keeper;
import com.example.script.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** A mapper that keeps what its script says. */
public final class IndexMapper extends Mapper<LongWritable, Text, Text, Text> {
  private Index index;
  private List<Keeper> work;
  private long words;

  @Override
  protected void setup(Context context) throws IOException {
    FileSplit split = (FileSplit) context.getInputSplit();
    Script script = Script.of(context.getConfiguration(), split.getPath());
    work = script.of("record");
    index = new Index(script, "map", context.getConfiguration());
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    int length = line.getLength() + 1;
    List<byte[]> cells = new ArrayList<>();
    List<String> tokens = new ArrayList<>();
    for (Keeper each : work) {
      each.takeWork(length, Script.work(line), Script.damped(line));
      if (each.slot.equals("cells")) {
        parse(cells, each);
      } else {
        tokenize(tokens, each);
      }
    }
    index.add(length, false);
    words += cells.size() + tokens.size() + index.size();
    context.write(new Text("word" + offset.get() % 1000), new Text("1"));
  }

  private void parse(List<byte[]> cells, Keeper keeper) {
    Filling.rows(cells, keeper);
  }

  private void tokenize(List<String> tokens, Keeper keeper) {
    Filling.titles(tokens, keeper);
  }
}
