package org.mprof.hadoop;

import java.util.Arrays;
import org.mprof.agent.EventLine;

/** What a spill, or the whole map output, holds of each partition. */
final class Partitions {
  /** With the largest keys of more partitions the line could become too long, and be lost. */
  static final int MOST_WITH_KEYS = 8192;

  private final long[] records;
  private final long[] keys;
  private final long[] rawBytes;
  private final long[] compressedBytes;

  /** Null while nothing was combined. */
  private long[] combineIn;

  private final long[] largestRecords;
  private final long[] largestBytes;
  private final long[] largestDigests;
  private final boolean samplesKeys;
  private KeySample sample;
  private FewKeys few = new FewKeys();
  private int next;

  Partitions(int count, boolean samplesKeys) {
    this.samplesKeys = samplesKeys;
    sample = samplesKeys ? new KeySample() : null;
    records = new long[count];
    keys = new long[count];
    rawBytes = new long[count];
    compressedBytes = new long[count];
    largestRecords = new long[count];
    largestBytes = new long[count];
    largestDigests = new long[count];
  }

  void clear() {
    Arrays.fill(records, 0);
    Arrays.fill(keys, 0);
    Arrays.fill(rawBytes, 0);
    Arrays.fill(compressedBytes, 0);
    combineIn = null;
    Arrays.fill(largestRecords, 0);
    Arrays.fill(largestBytes, 0);
    Arrays.fill(largestDigests, 0);
    sample = samplesKeys ? new KeySample() : null;
    few = new FewKeys();
    next = 0;
  }

  /** The partition that is being written: they come in order. */
  int current() {
    return next;
  }

  /** All keys of the partitions so far, where they are few. */
  FewKeys few() {
    return few;
  }

  void written(int partition, KeyRuns runs, long raw, long compressed) {
    few.addPartition(runs == null ? null : runs.few());
    if (partition >= 0 && partition < records.length) {
      if (runs != null) {
        records[partition] = runs.records();
        keys[partition] = runs.keys();
        largestRecords[partition] = runs.largestRecords();
        largestBytes[partition] = runs.largestBytes();
        largestDigests[partition] = runs.largestDigest();
        if (sample != null && runs.sample() != null) {
          sample.addPartition(runs.sample());
        }
      }
      rawBytes[partition] = raw;
      compressedBytes[partition] = compressed;
    }
    next = partition + 1;
  }

  void combined(int partition, long recordsIn) {
    if (combineIn == null) {
      combineIn = new long[records.length];
    }
    if (partition >= 0 && partition < combineIn.length) {
      combineIn[partition] += recordsIn;
    }
  }

  boolean wereCombined() {
    return combineIn != null;
  }

  /** Sample of the keys of all partitions, or null where none was made. */
  KeySample sample() {
    return sample;
  }

  /** Of a spill, whose keys may not have been counted. */
  void writeTo(EventLine line, boolean withKeys) {
    begin(line, withKeys).endObject();
  }

  /** Of the map output, with the largest key of each partition, and all where they are few. */
  void writeWholeTo(EventLine line, boolean withKeys) {
    begin(line, withKeys);
    if (withKeys && records.length <= MOST_WITH_KEYS) {
      line.put("largest_key_records", largestRecords)
          .put("largest_key_bytes", largestBytes)
          .digests("largest_key_digest", largestDigests);
      few.writeTo(line);
    }
    line.endObject();
  }

  private EventLine begin(EventLine line, boolean withKeys) {
    return line.beginObject("partitions")
        .put("records", records)
        .put("keys", withKeys ? keys : null)
        .put("raw_bytes", rawBytes)
        .put("compressed_bytes", compressedBytes)
        .put("combine_in", combineIn);
  }
}
