package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

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
    for (int round = 0; round < 20; round++) {
      Spill spill = new Spill(random.nextInt(3000), random.nextInt(3) == 0 ? 9000 : 60);
      assertEquals(
          walked(spill, spill.count, false, false), walked(spill, spill.count, true, false));
      int handed = random.nextInt(spill.count + 1);
      assertEquals(walked(spill, handed, false, true), walked(spill, handed, true, true));
    }
  }

  @Test
  void theRecordOfAFailureHasItsDigest() throws Exception {
    Spill spill = new Spill(700, 60);
    walked(spill, 700, true, true);
    assertNotEquals(Position.UNKNOWN, Position.get(Position.COMBINE_RECORD_DIGEST));
    walked(spill, 699, true, true);
    long before = Position.get(Position.COMBINE_RECORD_DIGEST);
    walked(spill, 699, false, true);
    assertEquals(Position.get(Position.COMBINE_RECORD_DIGEST), before);
  }

  @Test
  void aLargeRecordIsKnownAtOnceAndASmallOneIsNotTakenForIt() throws Exception {
    Spill spill = new Spill(0, 0);
    spill.add(1, 10);
    spill.add(1, 5000);
    spill.add(1, 10);
    List<Long> bytes = new ArrayList<>();
    SpillWalk walk =
        new SpillWalk(
            CombinePass.outsideOfAPass(), groups(), records(), spill.sorted(), spill.first);
    spill.cursor = 0;
    for (int i = 0; i < 3; i++, spill.cursor++) {
      walk.comes(spill.getKey(), i > 0, spill);
      bytes.add(Position.get(Position.COMBINE_RECORD_BYTES));
    }
    assertEquals(Arrays.asList(-1L, 8L + 5000, -1L), bytes);
    assertEquals(3, Position.get(Position.COMBINE_RECORDS_IN));
    assertEquals(2L * 8 + 5010, Position.get(Position.COMBINE_GROUP_BYTES));
  }

  /** All that a walk over the first records writes of them, and where it says that it stands. */
  private static List<String> walked(Spill spill, int handed, boolean isLate, boolean fails)
      throws IOException {
    GroupStatistics groups = groups();
    RecordStatistics records = records();
    CombinePass pass = CombinePass.outsideOfAPass();
    CombineWalk walk =
        isLate
            ? new SpillWalk(pass, groups, records, spill.sorted(), spill.first)
            : new CombineWalk(pass, groups, records);
    for (spill.cursor = 0; spill.cursor < handed; spill.cursor++) {
      walk.comes(spill.getKey(), spill.isOfGroupBefore(), spill);
      walk.moves();
      walk.advance(spill.cursor + 1 < handed, spill);
    }
    List<String> found = new ArrayList<>();
    if (fails) {
      walk.fails();
      if (handed > 0) {
        for (int slot = Position.COMBINE_RECORDS_IN; slot < Position.COMBINE_RECORDS_OUT; slot++) {
          found.add(slot + " " + (slot == Position.COMBINE_TOTAL ? 0 : Position.get(slot)));
        }
      }
    } else {
      walk.inputEnd();
    }
    found.add(StatisticsText.of(groups));
    found.add(StatisticsText.of(records));
    return found;
  }

  private static GroupStatistics groups() {
    return new GroupStatistics("combine");
  }

  private static RecordStatistics records() {
    return new RecordStatistics("combine");
  }

  /** Records in a sort buffer: eight bytes of key, and a value that no end of the buffer cuts. */
  private final class Spill implements RawKeyValueIterator {
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final IntBuffer meta =
        ByteBuffer.allocate(16 * MOST_RECORDS).order(ByteOrder.nativeOrder()).asIntBuffer();
    private final int first = random.nextInt(MOST_RECORDS);
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private int end;
    private int count;
    private int cursor;

    Spill(int records, int mostBytes) {
      random.nextBytes(buffer);
      long group = 0;
      while (count < records && end + mostBytes + 8 < BUFFER_BYTES) {
        group += random.nextInt(40) == 0 ? 1 : 0;
        add(group, random.nextInt(mostBytes));
      }
    }

    void add(long group, int valueBytes) {
      int at = (first + count) % MOST_RECORDS * 4;
      ByteBuffer.wrap(buffer).putLong(end, group);
      meta.put(at, end + 8).put(at + 1, end).put(at + 3, valueBytes);
      end += 8 + valueBytes;
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
      value.reset(buffer, meta.get(at(cursor)), meta.get(at(cursor) + 3));
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
