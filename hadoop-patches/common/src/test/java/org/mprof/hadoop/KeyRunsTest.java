package org.mprof.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.junit.jupiter.api.Test;

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
          runs.append(in);
        } else {
          DataOutputBuffer out = new DataOutputBuffer();
          out.write(key);
          runs.append(out);
        }
        records++;
        distinct.add(Arrays.toString(key));
      }
    }
    assertEquals(distinct.size(), runs.keys());
    assertEquals(records, runs.records());
  }

  @Test
  void aWriterThatIsNoMapOutputHasNoSample() {
    assertNull(KeyRuns.opened().sample());
  }

  @Test
  void theLastWriterClosedIsKnownToItsThreadAlone() throws Exception {
    KeyRuns mine = new KeyRuns();
    mine.append(new byte[] {1}, 0, 1);
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
