package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.Test;
import org.mprof.agent.Digest;

class KeyRunsTest {
  @Test
  void runsOfEqualKeysAreCountedOnceWhateverTheirLength() throws Exception {
    Random random = new Random(3);
    List<byte[]> keys = new ArrayList<>();
    for (int length : new int[] {0, 1, 8, 31, 32, 33, 500, 1023, 1024, 1025, 5000, 100_000}) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      keys.add(key);
      // The same but for the last byte, and but for the first.
      for (int at : new int[] {length - 1, 0}) {
        if (length > 1) {
          byte[] other = key.clone();
          other[at] ^= 1;
          keys.add(other);
        }
      }
    }
    KeyRuns runs = new KeyRuns();
    Set<String> distinct = new LinkedHashSet<>();
    int records = 0;
    for (byte[] key : keys) {
      for (int i = random.nextInt(3); i >= 0; i--) {
        if (random.nextBoolean()) {
          DataInputBuffer in = new DataInputBuffer();
          byte[] shifted = new byte[key.length + 7];
          System.arraycopy(key, 0, shifted, 5, key.length);
          in.reset(shifted, 5, key.length);
          runs.append(in, 0);
        } else {
          DataOutputBuffer out = new DataOutputBuffer();
          out.write(key);
          runs.append(out, 0);
        }
        records++;
        distinct.add(Arrays.toString(key));
      }
    }
    assertEquals(distinct.size(), runs.keys());
    assertEquals(records, runs.records());
  }

  @Test
  void recordsAloneAreCountedWhereNobodyAsksForKeys() {
    KeyRuns runs = new KeyRuns(false, null, new FewKeys(0));
    for (byte each = 0; each < 5; each++) {
      runs.append(new byte[] {each}, 0, 1, 3 * each);
    }
    runs.closed(17, 17);
    assertEquals(5, runs.records());
    assertEquals(0, runs.keys());
    assertEquals(0, runs.largestRecords());
    assertEquals(17, runs.rawBytes());
  }

  @Test
  void theLargestKeyIsThatOfMostBytesWhereverItStands() {
    Random random = new Random(5);
    for (int turn = 0; turn < 500; turn++) {
      int count = 1 + random.nextInt(6);
      KeyRuns runs = new KeyRuns();
      long written = 0;
      long[] best = new long[3];
      for (int i = 0; i < count; i++) {
        byte[] key = new byte[1 + random.nextInt(31)];
        random.nextBytes(key);
        key[0] = (byte) i; // no two are equal
        long records = 1 + random.nextInt(20);
        long before = written;
        for (int r = 0; r < records; r++) {
          runs.append(key, 0, key.length, written);
          written += key.length + 1 + random.nextInt(100);
        }
        if (written - before > best[1]) {
          best = new long[] {records, written - before, Digest.of(key, 0, key.length)};
        }
      }
      runs.closed(written + 2, 1);
      long[] found = {runs.largestRecords(), runs.largestBytes(), runs.largestDigest()};
      assertArrayEquals(best, found, "turn " + turn);
    }
  }

  @Test
  void everyByteOfALongKeyIsInItsDigest() {
    for (int length : new int[] {33, 64, 65, 200, 1024, 1025, 1500}) {
      Set<Long> digests = new HashSet<>();
      byte[] key = new byte[length];
      digests.add(digestOf(key));
      for (int at = 0; at < length; at++) {
        key[at] ^= 1;
        digests.add(digestOf(key));
        key[at] ^= 1;
      }
      digests.add(digestOf(Arrays.copyOf(key, length + 1)));
      assertEquals(length + 2, digests.size());
      assertEquals(digestOf(key), digestOf(key.clone()));
    }
  }

  private static long digestOf(byte[] key) {
    KeyRuns runs = new KeyRuns();
    runs.append(key, 0, key.length, 0);
    runs.closed(key.length + 10, 1);
    return runs.largestDigest();
  }

  @Test
  void aWriterOfNothingHasNoLargestKey() {
    KeyRuns runs = new KeyRuns();
    runs.closed(2, 2);
    assertEquals(0, runs.largestRecords());
    assertEquals(0, runs.largestBytes());
  }

  @Test
  void aWriterThatIsNoMapOutputHasNoSample() {
    assertNull(KeyRuns.opened().sample());
  }

  @Test
  void theLastWriterClosedIsKnownToItsThreadAlone() throws Exception {
    KeyRuns mine = new KeyRuns();
    mine.append(new byte[] {1}, 0, 1, 0);
    mine.closed(10, 5);
    Thread other = new Thread(() -> new KeyRuns().closed(1, 1));
    other.start();
    other.join();
    assertSame(mine, KeyRuns.takeLastClosed());
    assertEquals(10, mine.rawBytes());
    assertEquals(5, mine.compressedBytes());
    assertNull(KeyRuns.takeLastClosed());
  }
}
