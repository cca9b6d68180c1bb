package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Digest;
import org.mprof.agent.GroupTotal;

/**
 * Groups of a raw input, told apart and counted without anything being deserialised.
 *
 * <p>The comparator is the job's own, as it is in the merge below.
 */
final class RawGroups {
  /** Told of each group that has been read to its end. */
  interface Ended {
    void ended(GroupTotal group);
  }

  private final RawComparator<?> comparator;
  private final RawKey key;
  private final Ended ended;
  private boolean open;
  private long digest;
  private long records;
  private long bytes;

  RawGroups(RawComparator<?> comparator, Ended ended) {
    this.comparator = comparator;
    this.key = new RawKey(Integer.MAX_VALUE);
    this.ended = ended;
  }

  /**
   * Goes on in a group that was read so far already, of which {@code first} is a key; where none is
   * kept, that group is over.
   */
  RawGroups(RawComparator<?> comparator, Ended ended, RawKey first, GroupTotal soFar) {
    this.comparator = comparator;
    this.key = new RawKey(Integer.MAX_VALUE, first);
    this.ended = ended;
    this.open = true;
    this.digest = soFar.digest();
    this.records = soFar.records();
    this.bytes = soFar.bytes();
  }

  /** Counts the record under the cursor, in the open group or a new one; returns its bytes. */
  long count(RawKeyValueIterator in) throws IOException {
    DataInputBuffer recordKey = in.getKey();
    if (!open || !key.isSame(comparator, recordKey)) {
      end();
      begin(recordKey);
    }
    long size = size(recordKey) + (long) size(in.getValue());
    records++;
    bytes += size;
    return size;
  }

  /** There is no further record: the open group ends. */
  void end() {
    if (open) {
      open = false;
      ended.ended(new GroupTotal(records, bytes, digest, true));
    }
  }

  /** The open group as far as it was read, or null. */
  GroupTotal soFar() {
    return open ? new GroupTotal(records, bytes, digest, false) : null;
  }

  /** Digest of the key of the open or last group. */
  long digest() {
    return digest;
  }

  private void begin(DataInputBuffer recordKey) {
    open = true;
    key.keep(recordKey);
    if (!key.isKept()) {
      throw new OutOfMemoryError("no heap for a key of " + size(recordKey) + " bytes");
    }
    digest = Digest.of(recordKey.getData(), recordKey.getPosition(), size(recordKey));
    records = 0;
    bytes = 0;
  }

  static int size(DataInputBuffer buffer) {
    return buffer.getLength() - buffer.getPosition();
  }
}
