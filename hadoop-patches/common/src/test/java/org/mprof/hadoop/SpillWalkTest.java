package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.RecordStatistics;
import org.mprof.agent.StatisticsText;

/** The walk that reads sizes from the sort buffer, against the one that is handed every record. */
class SpillWalkTest {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int MOST_RECORDS = 4000;

  private final Random random = new Random(7);

  @Test
  void findsWhatAWalkRecordByRecordFinds() throws Exception {
    for (int round = 0; round < 30; round++) {
      int mostBytes = round % 3 == 0 ? 9000 : 60;
      Spill first = new Spill(random.nextInt(3000), mostBytes);
      Spill last = new Spill(random.nextInt(3000), mostBytes);
      assertEquals(walked(first, last, last.count, false), walked(first, last, last.count, true));
    }
  }

  @Test
  void atAFailureItStandsWhereAWalkRecordByRecordStands() throws Exception {
    for (int round = 0; round < 60; round++) {
      Spill first = new Spill(random.nextInt(100), 60);
      Spill last = new Spill(1000, round % 3 == 0 ? 9000 : 60);
      int handed = round % 10 == 0 ? 0 : random.nextInt(last.count + 1);
      assertEquals(failed(first, last, handed, false), failed(first, last, handed, true));
    }
  }

  @Test
  void aLargeRecordIsKnownAtOnceAndASmallOneIsNotTakenForIt() throws Exception {
    Spill spill = new Spill(0, 0);
    spill.add(1, 10);
    spill.add(1, 5000);
    spill.add(1, 10);
    List<Long> bytes = new ArrayList<>();
    CombineWalk walk = walk(spill, groups(), records(), true);
    for (spill.cursor = 0; spill.cursor < 3; spill.cursor++) {
      walk.comes(spill.getKey(), spill.isOfGroupBefore(), spill);
      bytes.add(Position.get(Position.COMBINE_RECORD_BYTES));
      boolean isDigestKnown = Position.get(Position.COMBINE_RECORD_DIGEST) != Position.UNKNOWN;
      assertEquals(spill.cursor == 1, isDigestKnown);
      walk.moves();
      walk.advance(spill.cursor < 2, spill);
    }
    assertEquals(Arrays.asList(-1L, 8L + 5000, -1L), bytes);
    assertEquals(3, Position.get(Position.COMBINE_RECORDS_IN));
    assertEquals(2L * 8 + 5010, Position.get(Position.COMBINE_GROUP_BYTES));
  }

  @Test
  void aRecordThatIsAskedForAgainAfterAnErrorIsOneRecord() throws Exception {
    for (boolean isLate : new boolean[] {true, false}) {
      Spill spill = new Spill(600, 60);
      GroupStatistics groups = groups();
      RecordStatistics records = records();
      CombineWalk walk = walk(spill, groups, records, isLate);
      for (spill.cursor = 0; spill.cursor < spill.count; spill.cursor++) {
        for (int times = 0; times < 1 + spill.cursor % 2; times++) {
          walk.comes(spill.getKey(), spill.isOfGroupBefore(), spill);
        }
        walk.moves();
        walk.advance(spill.cursor + 1 < spill.count, spill);
      }
      walk.inputEnd();
      assertEquals(spill.count, Position.get(Position.COMBINE_RECORDS_IN));
      List<String> found = Arrays.asList(StatisticsText.of(groups), StatisticsText.of(records));
      assertEquals(walked(new Spill(0, 0), spill, spill.count, false), found);
    }
  }

  /** What is written of two passes, the last of which is handed so many records. */
  private static List<String> walked(Spill first, Spill last, int handed, boolean isLate)
      throws IOException {
    GroupStatistics groups = groups();
    RecordStatistics records = records();
    pass(first, groups, records, isLate);
    walk(last, handed, groups, records, isLate).inputEnd();
    return Arrays.asList(StatisticsText.of(groups), StatisticsText.of(records));
  }

  /** The same where the last one fails, and the position then. */
  private static List<String> failed(Spill first, Spill last, int handed, boolean isLate)
      throws IOException {
    GroupStatistics groups = groups();
    RecordStatistics records = records();
    pass(first, groups, records, isLate);
    for (int slot = Position.COMBINE_RECORDS_IN; slot < Position.COMBINE_RECORDS_OUT; slot++) {
      Position.put(slot, Position.UNKNOWN);
    }
    walk(last, handed, groups, records, isLate).fails();
    List<String> found = new ArrayList<>();
    found.add(StatisticsText.of(groups));
    found.add(StatisticsText.of(records));
    for (int slot = Position.COMBINE_RECORDS_IN; slot < Position.COMBINE_RECORDS_OUT; slot++) {
      found.add(slot + " " + Position.get(slot));
    }
    return found;
  }

  private static void pass(
      Spill spill, GroupStatistics groups, RecordStatistics records, boolean isLate)
      throws IOException {
    walk(spill, spill.count, groups, records, isLate).inputEnd();
    groups.end();
    records.end();
  }

  private static CombineWalk walk(
      Spill spill, int handed, GroupStatistics groups, RecordStatistics records, boolean isLate)
      throws IOException {
    CombineWalk walk = walk(spill, groups, records, isLate);
    for (spill.cursor = 0; spill.cursor < handed; spill.cursor++) {
      walk.comes(spill.getKey(), spill.isOfGroupBefore(), spill);
      if (spill.cursor + 1 < handed) {
        walk.moves();
        walk.advance(true, spill);
      }
    }
    return walk;
  }

  private static CombineWalk walk(
      Spill spill, GroupStatistics groups, RecordStatistics records, boolean isLate) {
    CombinePass pass = new CombinePass(null);
    return isLate
        ? new SpillWalk(pass, groups, records, spill.sorted(), spill.first)
        : new CombineWalk(pass, groups, records);
  }

  private static GroupStatistics groups() {
    return new GroupStatistics("combine");
  }

  private static RecordStatistics records() {
    return new RecordStatistics("combine");
  }

  /** Records in a sort buffer: eight bytes of key, and a value that the buffer's end may cut. */
  private final class Spill implements RawKeyValueIterator {
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final IntBuffer meta =
        ByteBuffer.allocate(16 * MOST_RECORDS).order(ByteOrder.nativeOrder()).asIntBuffer();
    private final int first = random.nextInt(MOST_RECORDS);
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private int end = BUFFER_BYTES - 4000;
    private int count;
    private int cursor;

    Spill(int records, int mostBytes) {
      random.nextBytes(buffer);
      long group = 0;
      int size = 0;
      for (int bytes = 0; count < records && bytes < BUFFER_BYTES - 10_000; bytes += mostBytes) {
        group += random.nextInt(40) == 0 ? 1 : 0;
        size = random.nextInt(3) == 0 ? random.nextInt(mostBytes) : size; // some alike in a row
        add(group, size);
      }
    }

    void add(long group, int valueBytes) {
      int at = (first + count) % MOST_RECORDS * 4;
      end = end + 8 > BUFFER_BYTES ? 0 : end; // a key is never cut
      ByteBuffer.wrap(buffer).putLong(end, group);
      meta.put(at, end + 8).put(at + 1, end).put(at + 3, valueBytes);
      end = (end + 8 + valueBytes) % BUFFER_BYTES;
      count++;
    }

    SpillRecords sorted() {
      return new SpillRecords(meta, buffer, BUFFER_BYTES);
    }

    boolean isOfGroupBefore() {
      return cursor > 0 && group(cursor) == group(cursor - 1);
    }

    private long group(int record) {
      return ByteBuffer.wrap(buffer).getLong(meta.get(at(record) + 1));
    }

    private int at(int record) {
      return (first + record) % MOST_RECORDS * 4;
    }

    @Override
    public DataInputBuffer getKey() {
      key.reset(buffer, meta.get(at(cursor) + 1), 8);
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      int from = meta.get(at(cursor));
      int length = meta.get(at(cursor) + 3);
      byte[] whole = new byte[length];
      for (int i = 0; i < length; i++) {
        whole[i] = buffer[(from + i) % BUFFER_BYTES];
      }
      value.reset(whole, length);
      return value;
    }

    @Override
    public boolean next() {
      return ++cursor < count;
    }

    @Override
    public void close() {}

    @Override
    public Progress getProgress() {
      return null;
    }
  }
}
