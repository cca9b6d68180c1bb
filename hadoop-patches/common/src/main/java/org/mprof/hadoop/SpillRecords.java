package org.mprof.hadoop;

import java.nio.IntBuffer;
import org.mprof.agent.Digest;

/**
 * The records of a spill in the sort buffer, sorted. Neither the buffer nor its accounting is
 * overwritten before the spill is done, so a record can be looked at after the framework has passed
 * it.
 *
 * <p>As {@code MapTask.MapOutputBuffer} has them: four integers a record, in a ring.
 */
public final class SpillRecords {
  /** Integers a record takes in the accounting (NMETA). */
  public static final int META = 4;

  private static final int VALUE_START = 0;
  private static final int KEY_START = 1;
  private static final int VALUE_LENGTH = 3;

  private final IntBuffer meta;
  private final int mostRecords;
  private final byte[] buffer;
  private final int bufferEnd;

  /**
   * Of a sort buffer.
   *
   * @param meta its {@code kvmeta}
   * @param buffer its {@code kvbuffer}, in which a value may go on at the beginning
   * @param bufferEnd its {@code bufvoid}: where that happens
   */
  public SpillRecords(IntBuffer meta, byte[] buffer, int bufferEnd) {
    this.meta = meta;
    this.mostRecords = meta.capacity() / META;
    this.buffer = buffer;
    this.bufferEnd = bufferEnd;
  }

  /** Bytes of key and value of a record, which {@code MRResultIterator} numbers so. */
  int bytes(int record) {
    int at = at(record);
    return meta.get(at + VALUE_START) - meta.get(at + KEY_START) + meta.get(at + VALUE_LENGTH);
  }

  int valueBytes(int record) {
    return meta.get(at(record) + VALUE_LENGTH);
  }

  /** The digest of a record, whose value may go on at the beginning of the buffer. */
  long digest(int record) {
    int at = at(record);
    int key = meta.get(at + KEY_START);
    int value = meta.get(at + VALUE_START);
    int length = meta.get(at + VALUE_LENGTH);
    long ofValue =
        length <= bufferEnd - value
            ? Digest.of(buffer, value, length)
            : Digest.ofRing(buffer, value, length, bufferEnd);
    return Digest.record(Digest.of(buffer, key, value - key), ofValue);
  }

  private int at(int record) {
    // The numbers of a spill go round once at most. Neither a division nor a branch: one that is
    // first taken late has the compiler do everything again that this was inlined into.
    int isBeyond = (mostRecords - 1 - record) >> 31;
    return (record - (mostRecords & isBeyond)) * META;
  }
}
