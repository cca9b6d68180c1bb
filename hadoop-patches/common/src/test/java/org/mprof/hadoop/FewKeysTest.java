package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.mprof.agent.Digest;

class FewKeysTest {
  @Test
  void everyKeyOfEveryPartitionIsWrittenInOrderWhileThereAreFew() {
    Random random = new Random(11);
    for (int turn = 0; turn < 200; turn++) {
      int partitions = 1 + random.nextInt(40);
      int[] keys = random.ints(partitions, 0, 15).toArray();
      List<String> expected = new ArrayList<>();
      Partitions written = new Partitions(partitions, false);
      for (int partition = 0; partition < partitions; partition++) {
        KeyRuns runs = new KeyRuns(true, null, new FewKeys(written.few().left()));
        long bytes = 0;
        for (int k = 0; k < keys[partition]; k++) {
          byte[] key = {(byte) partition, (byte) k};
          int records = 1 + random.nextInt(5);
          long before = bytes;
          for (int r = 0; r < records; r++) {
            runs.append(key, 0, key.length, bytes);
            bytes += 4 + random.nextInt(30);
          }
          String digest = String.format("%016x", Digest.of(key, 0, key.length));
          expected.add(records + " " + (bytes - before) + " " + digest);
        }
        runs.closed(bytes + 2, 1);
        written.written(partition, runs, bytes + 2, 1);
      }
      FewKeys few = written.few();
      assertEquals(expected.size() <= FewKeys.MOST, few.areAll());
      assertEquals(few.areAll() ? expected : new ArrayList<>(), keysOf(few), "turn " + turn);
    }
  }

  @Test
  void oneKeyTooManyIsNone() {
    FewKeys keys = new FewKeys();
    for (int i = 0; i < FewKeys.MOST; i++) {
      keys.add(i, 1, 1);
      assertEquals(FewKeys.MOST - 1 - i, keys.left());
    }
    assertTrue(keys.areAll());
    keys.add(0, 1, 1);
    assertFalse(keys.areAll());
    assertEquals(0, keys.left());
    assertFalse(new FewKeys(0).areAll());
  }

  @Test
  void whereThoseOfOnePartitionAreNotKnownNoneAre() {
    Partitions written = new Partitions(2, false);
    KeyRuns runs = new KeyRuns();
    runs.append(new byte[] {1}, 0, 1, 0);
    runs.closed(9, 9);
    written.written(0, runs, 9, 9);
    written.written(1, null, 9, 9);
    assertFalse(written.few().areAll());
  }

  @Test
  void anotherSpillBeginsWithNone() {
    Partitions spill = new Partitions(1, false);
    KeyRuns runs = new KeyRuns();
    runs.append(new byte[] {1}, 0, 1, 0);
    runs.closed(9, 9);
    spill.written(0, runs, 9, 9);
    assertEquals(FewKeys.MOST - 1, spill.few().left());
    spill.clear();
    assertEquals(FewKeys.MOST, spill.few().left());
  }

  private static List<String> keysOf(FewKeys few) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < few.count(); i++) {
      keys.add(few.records(i) + " " + few.bytes(i) + " " + String.format("%016x", few.digest(i)));
    }
    return keys;
  }
}
