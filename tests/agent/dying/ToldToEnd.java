import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.mprof.hadoop.ReduceWalk;

/**
 * A reducer that has failed in its first group, and whose JVM is told to end while the agent counts
 * the rest of a group that never ends.
 */
public final class ToldToEnd {
  private static final int UNTIL = 200_000;

  private ToldToEnd() {}

  public static void main(String[] args) throws Exception {
    Endless in = new Endless();
    ReduceWalk walk = new ReduceWalk();
    walk.groupedBy(new Text.Comparator());
    walk.advance(in.next(), in);
    walk.keyRead(in.getKey());
    walk.begin(in.getKey());
    walk.hand(in.getValue(), in);
    walk.moves();
    walk.advance(in.next(), in);
    ReduceWalk.left(new OutOfMemoryError("as thrown by a test"));
    System.out.println("counted to " + in.records);
  }

  private static final class Endless implements RawKeyValueIterator {
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private long records;

    Endless() throws IOException {
      DataOutputBuffer bytes = new DataOutputBuffer();
      new Text("k").write(bytes);
      key.reset(bytes.getData(), bytes.getLength());
      value.reset(new byte[0], 0);
    }

    @Override
    public boolean next() {
      records++;
      if (records == UNTIL) {
        new Thread(() -> System.exit(143)).start();
      }
      return true;
    }

    @Override
    public DataInputBuffer getKey() {
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      return value;
    }

    @Override
    public void close() {}

    @Override
    public Progress getProgress() {
      return null;
    }
  }
}
