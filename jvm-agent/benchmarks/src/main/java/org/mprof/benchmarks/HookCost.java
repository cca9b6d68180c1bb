package org.mprof.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.mprof.agent.Digest;
import org.mprof.agent.Position;
import org.mprof.agent.Sketch;
import org.mprof.hadoop.CombinePass;
import org.mprof.hadoop.GroupWalk;
import org.mprof.hadoop.MapInput;
import org.mprof.hadoop.MapOutputLog;
import org.mprof.hadoop.ReduceWalk;
import org.mprof.hadoop.SpillRecords;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the hooks do for one record of map() and of reduce(), and the parts of it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class HookCost {
  /** Records of a pass of the combiner. */
  private static final int PASS = 1 << 16;

  /** Bytes of key and value as serialised: short words and counts, and longer ones. */
  @Param({"10-8", "20-40", "60-400"})
  public String sizes;

  private MapInput mapInput;
  private Lines lines;
  private ReduceWalk walk;
  private GroupWalk combining;
  private int inPass;
  private RawInput raw;
  private RawInput ownGroups;
  private Sketch sketch;
  private byte[] bytes;
  private long counter;

  @Setup
  public void setUp() {
    int dash = sizes.indexOf('-');
    int keyLength = Integer.parseInt(sizes.substring(0, dash));
    int valueLength = Integer.parseInt(sizes.substring(dash + 1));
    mapInput = new MapInput();
    lines = new Lines(valueLength);
    walk = new ReduceWalk();
    IntBuffer meta = ByteBuffer.allocate(16 * PASS).order(ByteOrder.nativeOrder()).asIntBuffer();
    for (int record = 0; record < PASS; record++) {
      meta.put(keyLength).put(0).put(0).put(valueLength);
    }
    SpillRecords sorted = new SpillRecords(meta, new byte[keyLength + valueLength], 1 << 20);
    new MapOutputLog(1).beginSpill(0, 1, 1, sorted);
    beginPass();
    raw = new RawInput(keyLength, valueLength);
    ownGroups = new RawInput(keyLength, valueLength, 1);
    sketch = new Sketch();
    bytes = new byte[keyLength];
  }

  private void beginPass() {
    inPass = 1;
    MapOutputLog.combineNext(0, PASS);
    CombinePass.begin();
    combining = CombinePass.walkInOrder();
  }

  /** A record of map(): before the read, after it, and what is asked of it. */
  @Benchmark
  public boolean mapRecord() throws IOException, InterruptedException {
    mapInput.asks();
    mapInput.progress(lines.getProgress());
    boolean more = mapInput.read(true, lines);
    mapInput.gaveKey(lines.getCurrentKey());
    mapInput.gaveValue(lines.getCurrentValue());
    return more;
  }

  /** A record of reduce(), a group of a hundred of them opened and closed included. */
  @Benchmark
  public boolean reduceRecord() {
    walk.keyRead(raw.getKey());
    if (raw.atGroupStart()) {
      walk.begin(raw.getKey());
    }
    walk.hand(raw.getValue(), raw);
    return walk.advance(raw.next(), raw);
  }

  /**
   * A record of reduce() that is a group of its own, as each record of a sort by whole lines is.
   */
  @Benchmark
  public boolean groupOfOneRecord() throws IOException {
    walk.comes(ownGroups.getKey(), false, ownGroups);
    walk.moves();
    return walk.advance(ownGroups.next(), ownGroups);
  }

  /**
   * The same of combine() over a spill, whose records are read from the sort buffer's accounting.
   */
  @Benchmark
  public boolean combineRecord() throws IOException {
    if (++inPass > PASS) {
      beginPass();
    }
    combining.comes(raw.getKey(), !raw.atGroupStart(), raw);
    combining.moves();
    return combining.advance(raw.next(), raw);
  }

  /** The input of {@link #reduceRecord} alone, to be taken off. */
  @Benchmark
  public boolean reduceInputAlone() {
    return raw.next();
  }

  @Benchmark
  public void positionPut() {
    Position.put(Position.RECORDS_IN, ++counter);
  }

  @Benchmark
  public void sketchAdd() {
    sketch.add(++counter & 0xffff);
  }

  @Benchmark
  public long digestOfKey() {
    return Digest.of(bytes, 0, bytes.length);
  }

  /** A reader of lines that hands out the same two objects, as LineRecordReader does. */
  private static final class Lines extends RecordReader<LongWritable, Text> {
    private final LongWritable key = new LongWritable();
    private final Text value;

    Lines(int length) {
      value = new Text(new byte[length]);
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {}

    @Override
    public boolean nextKeyValue() {
      return true;
    }

    @Override
    public LongWritable getCurrentKey() {
      return key;
    }

    @Override
    public Text getCurrentValue() {
      return value;
    }

    @Override
    public float getProgress() {
      return 0.5f;
    }

    @Override
    public void close() {}
  }
}
