package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class KeySampleTest {
  @Test
  void whatLiesBelowAnyKeyIsKnownToOneInAHundredOfAllRecords() {
    Random random = new Random(5);
    int partitions = 7;
    KeySample sample = new KeySample();
    TreeMap<Integer, Long> truth = new TreeMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      TreeMap<Integer, Long> part = new TreeMap<>();
      for (int i = 0; i < 20_000; i++) {
        // As a hash has it: each partition holds keys from the whole range, unevenly dense.
        int key = (int) (Math.pow(random.nextDouble(), 3) * 1_000_000) * partitions + partition;
        part.merge(key, 1L + random.nextInt(3), Long::sum);
      }
      part.merge(partition, partition == 3 ? 50_000L : 1L, Long::sum);
      KeySample one = new KeySample();
      part.forEach((key, records) -> one.add(bytes(key), 4, records));
      one.endPartition(bytes(part.lastKey()), 4);
      sample.addPartition(one);
      part.forEach((key, records) -> truth.merge(key, records, Long::sum));
    }
    long all = truth.values().stream().mapToLong(Long::longValue).sum();
    assertEquals(all, sample.records());
    assertTrue(sample.count() < KeySample.MOST_KEYS, "bounded");
    assertTrue(sample.count() > KeySample.MOST_KEYS / 4, "and not wasteful");
    long sampled = 0;
    for (int i = 0; i < sample.count(); i++) {
      sampled += sample.records(i);
    }
    assertEquals(all, sampled);
    for (int at = 0; at < 7_000_000; at += 9_973) {
      long below = 0;
      for (int i = 0; i < sample.count(); i++) {
        below += ByteBuffer.wrap(sample.key(i)).getInt() < at ? sample.records(i) : 0;
      }
      long exact = truth.headMap(at).values().stream().mapToLong(Long::longValue).sum();
      assertTrue(Math.abs(below - exact) <= all / 100, "below " + at + ": " + below + " " + exact);
    }
  }

  @Test
  void longKeysAreNoBordersAndManyPartitionsNoSample() {
    KeySample sample = new KeySample();
    byte[] longKey = new byte[KeySample.MOST_KEY_BYTES + 1];
    sample.add(longKey, longKey.length, 5);
    assertFalse(sample.isOfUse());
    sample.add(bytes(8), 4, 2);
    sample.endPartition(bytes(8), 4);
    assertEquals(7, sample.records(0));
    for (int partition = 1; partition < 3 * KeySample.MOST_KEYS; partition++) {
      sample.add(bytes(partition), 4, 1);
      sample.endPartition(bytes(partition), 4);
    }
    assertFalse(sample.isOfUse());
  }

  @Test
  void itsKeysTakeNoMoreThanTheyMay() {
    KeySample sample = new KeySample();
    Random random = new Random(1);
    byte[] key = new byte[KeySample.MOST_KEY_BYTES];
    for (int i = 0; i < 5_000; i++) {
      random.nextBytes(key);
      sample.add(key, key.length, 1);
    }
    sample.endPartition(key, key.length);
    long bytes = 0;
    for (int i = 0; i < sample.count(); i++) {
      bytes += sample.key(i).length;
    }
    assertTrue(bytes <= KeySample.MOST_BYTES, bytes + " bytes");
    assertEquals(5_000, sample.records());
  }

  private static byte[] bytes(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }
}
