package org.mprof.hadoop;

import java.util.zip.CRC32;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;

/**
 * Counts the records and the keys that pass one IFile writer.
 *
 * <p>Keys come sorted, so a key is new where its bytes differ from the key before it. Keys that are
 * equal to the job's comparator but differ in their bytes count as several. One writer belongs to
 * one thread; nothing is allocated for a record once the longest key was seen.
 */
public final class KeyRuns {
  /** Keys are kept up to this length; of the rest of longer ones only a checksum is compared. */
  static final int KEPT = 1024;

  /** The totals of the writer that was closed last on each thread. */
  private static final ThreadLocal<KeyRuns> LAST_CLOSED = new ThreadLocal<>();

  private byte[] last = new byte[32];
  private int lastLength = -1;
  private long lastTail;
  private CRC32 checksum;
  private long records;
  private long keys;
  private long rawBytes;
  private long compressedBytes;
  private final KeySample sample;
  private long recordsBefore;

  public KeyRuns() {
    this(null);
  }

  private KeyRuns(KeySample sample) {
    this.sample = sample;
  }

  /** Of a writer that was opened by this thread; with a sample of its keys where one is wanted. */
  public static KeyRuns opened() {
    MapOutputLog log = MapOutputLog.ofThisThread();
    return log != null && log.samplesKeys() ? new KeyRuns(new KeySample()) : new KeyRuns();
  }

  /** A record whose key lies in a buffer. */
  public void append(DataInputBuffer key) {
    int from = key.getPosition();
    append(key.getData(), from, key.getLength() - from);
  }

  /** A record whose serialised key is all that a buffer holds. */
  public void append(DataOutputBuffer key) {
    append(key.getData(), 0, key.getLength());
  }

  void append(byte[] data, int from, int length) {
    records++;
    if (length != lastLength || !same(data, from, length)) {
      keys++;
      if (sample != null) {
        sampleLast(records - 1);
      }
      keep(data, from, length);
    }
  }

  /** The key before the one that comes now has had all of its records. */
  private void sampleLast(long recordsSoFar) {
    if (lastLength >= 0) {
      sample.add(last, lastLength, recordsSoFar - recordsBefore);
    }
    recordsBefore = recordsSoFar;
  }

  private boolean same(byte[] data, int from, int length) {
    int kept = Math.min(length, KEPT);
    for (int i = 0; i < kept; i++) {
      if (last[i] != data[from + i]) {
        return false;
      }
    }
    return length <= KEPT || tail(data, from, length) == lastTail;
  }

  private void keep(byte[] data, int from, int length) {
    int kept = Math.min(length, KEPT);
    if (last.length < kept) {
      last = new byte[Math.min(KEPT, Integer.highestOneBit(kept) << 1)];
    }
    System.arraycopy(data, from, last, 0, kept);
    lastLength = length;
    if (length > KEPT) {
      lastTail = tail(data, from, length);
    }
  }

  private long tail(byte[] data, int from, int length) {
    if (checksum == null) {
      checksum = new CRC32();
    }
    checksum.reset();
    checksum.update(data, from + KEPT, length - KEPT);
    return checksum.getValue();
  }

  /** The writer was closed; its totals can be asked for on this thread. */
  public void closed(long raw, long compressed) {
    rawBytes = raw;
    compressedBytes = compressed;
    if (sample != null && lastLength >= 0) {
      sampleLast(records);
      sample.endPartition(last, lastLength);
    }
    last = null;
    LAST_CLOSED.set(this);
  }

  /** Totals of the writer that this thread closed last, or null. */
  public static KeyRuns lastClosed() {
    return LAST_CLOSED.get();
  }

  /** As {@link #lastClosed}, and forgets them. */
  static KeyRuns takeLastClosed() {
    KeyRuns runs = LAST_CLOSED.get();
    LAST_CLOSED.remove();
    return runs;
  }

  public long records() {
    return records;
  }

  /** A sample of the keys, or null where none was made. */
  KeySample sample() {
    return sample;
  }

  public long keys() {
    return keys;
  }

  /**
   * Uncompressed length of what was written, with lengths and end marker, as the shuffle counts.
   */
  public long rawBytes() {
    return rawBytes;
  }

  public long compressedBytes() {
    return compressedBytes;
  }
}
