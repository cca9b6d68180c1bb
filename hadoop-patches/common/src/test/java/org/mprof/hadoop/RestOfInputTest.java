package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;
import org.mprof.agent.GroupTotal;

/** When the rest of an input is read after an error, and when it is left alone. */
class RestOfInputTest {
  private static final OutOfMemoryError FULL = new OutOfMemoryError("as thrown by a test");

  @Test
  void isReadToTheEndOnceTheErrorHasLeftTheTask() {
    Input in = new Input("a", "a", "b", "c");
    standingOnTheSecond(in);
    ReduceWalk.left(FULL);
    assertEquals(4, in.at);
  }

  @Test
  void isLeftAloneAfterAnyOtherError() {
    Input in = new Input("a", "a", "b");
    standingOnTheSecond(in);
    ReduceWalk.left(new IllegalStateException());
    assertEquals(1, in.at);
  }

  @Test
  void isLeftAloneWhereTheIteratorItselfFailed() {
    Input in = new Input("a", "a", "b");
    standingOnTheSecond(in).moves();
    ReduceWalk.left(FULL);
    assertEquals(1, in.at);
  }

  @Test
  void isReadWhereTheFrameworkHasComparedTheNextKey() throws IOException {
    for (boolean isOfSameGroup : new boolean[] {true, false}) {
      Input in = new Input("a", "a", "b", "c");
      comparing(in).compared(isOfSameGroup);
      ReduceWalk.left(FULL);
      assertEquals(4, in.at);
    }
  }

  @Test
  void isReadFromTheRecordThatTheFrameworkHasAskedFor() throws IOException {
    Input in = new Input("a", "a", "b", "c");
    ReduceWalk walk = comparing(in);
    walk.compared(true);
    walk.comes(in.getKey(), true, in);
    ReduceWalk.left(FULL);
    assertEquals(4, in.at);
  }

  @Test
  void isLeftAloneWhereAnErrorOfTheIteratorWasLivedWith() throws IOException {
    Input in = new Input("a", "a", "b", "c");
    ReduceWalk walk = comparing(in);
    walk.compared(true);
    walk.moves();
    walk.comes(in.getKey(), true, in);
    ReduceWalk.left(FULL);
    assertEquals(1, in.at);
  }

  @Test
  void isLeftAloneWhereNobodyHasComparedTheNextKey() throws IOException {
    Input in = new Input("a", "a", "b", "c");
    comparing(in);
    ReduceWalk.left(FULL);
    assertEquals(1, in.at);
  }

  @Test
  void isLeftAloneWhereTheKeyOfTheGroupIsHuge() {
    char[] key = new char[20_000];
    Arrays.fill(key, 'k');
    Input in = new Input(new String(key), new String(key), "z");
    standingOnTheSecond(in);
    ReduceWalk.left(FULL);
    assertEquals(1, in.at);
  }

  @Test
  void aLaterGroupIsOneGroupHoweverLongItsKeyIs() throws Exception {
    char[] letters = new char[20_000];
    Arrays.fill(letters, 'k');
    String longKey = new String(letters);
    Input in = new Input("a", "a", longKey, longKey, longKey, "z");
    RawKey first = new RawKey(100);
    in.next();
    first.keep(in.getKey());
    List<Long> sizes = new ArrayList<>();
    RawGroups groups =
        new RawGroups(
            new Text.Comparator(),
            group -> sizes.add(group.records()),
            first,
            new GroupTotal(1, 2, 7, /* whole= */ false));
    while (in.next()) {
      groups.count(in);
    }
    groups.end();
    assertEquals(Arrays.asList(2L, 3L, 1L), sizes);
  }

  @Test
  void ofAnInputWithoutEndIsReadForABoundedTime() {
    Input in = new Input("a", "a");
    in.isEndless = true;
    standingOnTheSecond(in);
    long began = System.nanoTime();
    ReduceWalk.left(FULL);
    double seconds = (System.nanoTime() - began) / 1e9;
    assertTrue(in.at > 100_000, "read " + in.at);
    assertTrue(seconds < 10, "took " + seconds);
  }

  @Test
  void ofLargeRecordsIsReadForABoundedTimeToo() {
    Input in = new Input("a", "a");
    in.isEndless = true;
    in.value.reset(new byte[2 << 20], 2 << 20);
    standingOnTheSecond(in);
    in.nanosToRead = 50_000_000;
    ReduceWalk.left(FULL);
    // Two seconds are given; 256 of them, at which it looked before, take thirteen.
    assertTrue(in.at > 10 && in.at < 60, "read " + in.at);
  }

  @Test
  void mayTakeAShareOfWhatTheTaskHasTaken() {
    assertEquals(2_000_000_000L, RestOfInput.mostNanos(1_000_000_000L));
    assertEquals(3_000_000_000L, RestOfInput.mostNanos(60_000_000_000L));
    assertEquals(5_000_000_000L, RestOfInput.mostNanos(3_600_000_000_000L));
  }

  /** A walk whose first record was handed over; the cursor is on the second one. */
  private static ReduceWalk standingOnTheSecond(Input in) {
    ReduceWalk walk = new ReduceWalk();
    walk.groupedBy(new Text.Comparator());
    walk.advance(in.next(), in);
    walk.keyRead(in.getKey());
    walk.begin(in.getKey());
    walk.hand(in.getValue(), in);
    walk.moves();
    walk.advance(in.next(), in);
    return walk;
  }

  /** The same of the new API, which compares keys itself and has not done so yet. */
  private static ReduceWalk comparing(Input in) throws IOException {
    ReduceWalk walk = new ReduceWalk();
    walk.groupedBy(new Text.Comparator());
    walk.advance(in.next(), in);
    walk.comes(in.getKey(), false, in);
    walk.moves();
    walk.advance(in.next(), in);
    return walk;
  }

  /** Keys without values. */
  private static final class Input implements RawKeyValueIterator {
    private final byte[][] keys;
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private boolean isEndless;
    private long nanosToRead;
    private int at = -1;

    Input(String... words) {
      keys = new byte[words.length][];
      for (int i = 0; i < words.length; i++) {
        keys[i] = serialised(words[i]);
      }
      value.reset(new byte[0], 0);
    }

    @Override
    public boolean next() {
      at++;
      for (long until = System.nanoTime() + nanosToRead; System.nanoTime() < until; ) {
        Thread.yield(); // a slow disk
      }
      byte[] bytes = keys[Math.min(at, keys.length - 1)];
      key.reset(bytes, bytes.length);
      return isEndless || at < keys.length;
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

    private static byte[] serialised(String word) {
      try (org.apache.hadoop.io.DataOutputBuffer out =
          new org.apache.hadoop.io.DataOutputBuffer()) {
        new Text(word).write(out);
        return Arrays.copyOf(out.getData(), out.getLength());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
