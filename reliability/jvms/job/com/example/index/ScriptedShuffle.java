package com.example.index;

import com.example.script.Script;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;

/** Hadoop's shuffle, with the share of the heap and the room that the script of the task says. */
public final class ScriptedShuffle<K, V> extends Shuffle<K, V> {
  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public void init(ShuffleConsumerPlugin.Context context) {
    int number = context.getReduceId().getTaskID().getId();
    Script script = Script.of(context.getJobConf(), number);
    script.takeRoom();
    context.getJobConf().setFloat("mapreduce.reduce.shuffle.input.buffer.percent", script.ratio);
    super.init(context);
  }
}
