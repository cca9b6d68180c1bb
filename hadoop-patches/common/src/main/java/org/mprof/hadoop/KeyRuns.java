package org.mprof.hadoop;

import java.util.zip.CRC32;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.mprof.agent.Digest;

/**
 * Counts the records and the keys that pass one IFile writer, and keeps the largest key; the
 * records alone where nobody will ask for the keys.
 *
 * <p>Keys come sorted, so a key is new where its bytes differ from the key before it. Keys that are
 * equal to the job's comparator but differ in their bytes count as several. One writer belongs to
 * one thread; nothing is allocated for a record once the longest key was seen.
 */
public final class KeyRuns {
  /** Keys are kept up to this length; of the rest of longer ones only a checksum is compared. */
  static final int KEPT = 1024;

  /** A {@link Digest} leaves no byte out of so many. */
  private static final int DIGESTED_WHOLE = 32;

  /** What an IFile ends in: two lengths of -1, a byte each. */
  private static final int END_BYTES = 2;

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
  private final boolean countsKeys;
  private final KeySample sample;
  private final FewKeys few;
  private long recordsBefore;
  private long bytesBefore;
  private long largestRecords;
  private long largestBytes;
  private long largestDigest;

  public KeyRuns() {
    this(true, null, new FewKeys());
  }

  KeyRuns(boolean countsKeys, KeySample sample, FewKeys few) {
    this.countsKeys = countsKeys;
    this.sample = sample;
    this.few = few;
  }

  /** Of a writer that was opened by this thread; with a sample of its keys where one is wanted. */
  public static KeyRuns opened() {
    MapOutputLog log = MapOutputLog.ofThisThread();
    boolean countsKeys = log == null || log.countsKeys();
    boolean samplesKeys = log != null && countsKeys && log.samplesKeys();
    int few = log != null && countsKeys ? log.keysLeft() : 0;
    return new KeyRuns(countsKeys, samplesKeys ? new KeySample() : null, new FewKeys(few));
  }

  /**
   * A record whose key lies in a buffer.
   *
   * @param written bytes of the records before it
   */
  public void append(DataInputBuffer key, long written) {
    int from = key.getPosition();
    append(key.getData(), from, key.getLength() - from, written);
  }

  /** A record whose serialised key is all that a buffer holds. */
  public void append(DataOutputBuffer key, long written) {
    append(key.getData(), 0, key.getLength(), written);
  }

  void append(byte[] data, int from, int length, long written) {
    records++;
    if (countsKeys && (length != lastLength || !same(data, from, length))) {
      keys++;
      endRun(records - 1, written);
      keep(data, from, length);
    }
  }

  /** The key before the one that comes now has had all of its records. */
  private void endRun(long recordsSoFar, long bytesSoFar) {
    if (lastLength < 0) {
      return;
    }
    long recordsOfKey = recordsSoFar - recordsBefore;
    long bytesOfKey = bytesSoFar - bytesBefore;
    boolean isLargest = bytesOfKey > largestBytes;
    if (isLargest || few.areAll()) {
      long digest = digestOfLast();
      few.add(digest, recordsOfKey, bytesOfKey);
      if (isLargest) {
        largestRecords = recordsOfKey;
        largestBytes = bytesOfKey;
        largestDigest = digest;
      }
    }
    if (sample != null) {
      sample.add(last, lastLength, recordsOfKey);
    }
    recordsBefore = recordsSoFar;
    bytesBefore = bytesSoFar;
  }

  /**
   * The digest of the key, of every byte of it: what several maps wrote is added up by it, and keys
   * that a digest of samples takes for one would be one key with the records of both.
   */
  private long digestOfLast() {
    int kept = Math.min(lastLength, KEPT);
    long digest = Digest.of(last, 0, Math.min(kept, DIGESTED_WHOLE));
    for (int at = DIGESTED_WHOLE; at < kept; at += DIGESTED_WHOLE) {
      long further = Digest.of(last, at, Math.min(kept - at, DIGESTED_WHOLE));
      digest = Digest.record(digest, further);
    }
    return lastLength <= KEPT ? digest : Digest.record(digest, lastTail);
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
    endRun(records, raw - END_BYTES);
    if (sample != null && lastLength >= 0) {
      sample.endPartition(last, lastLength);
    }
    last = null;
    lastLength = -1;
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

  /** All keys, where they are few. */
  FewKeys few() {
    return few;
  }

  /** Runs of equal keys; 0 where keys were not counted. */
  public long keys() {
    return keys;
  }

  /** Records of the key that has the most bytes; of equal ones the first. */
  public long largestRecords() {
    return largestRecords;
  }

  /** Bytes of its records, as {@link #rawBytes} counts them. */
  public long largestBytes() {
    return largestBytes;
  }

  /** Its digest: that of a group of that key, where the key has at most 32 bytes. */
  public long largestDigest() {
    return largestDigest;
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
