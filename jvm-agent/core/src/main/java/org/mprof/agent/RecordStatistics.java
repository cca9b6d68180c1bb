package org.mprof.agent;

/**
 * Sizes of records: the content of the {@code records} event.
 *
 * <p>Only records before the one in flight are in the sketch and among the largest. One thread
 * calls, and nothing allocates.
 */
public final class RecordStatistics extends Statistics {
  private final String scope;
  private final Sketch sketch = new Sketch();
  private final Largest largest = new Largest();

  private long ordinal;
  private boolean inFlight;
  private long group = Position.UNKNOWN;
  private long bytes = Position.UNKNOWN;
  private long digest = Position.UNKNOWN;

  /** {@code scope} is {@code map}, {@code reduce} or {@code combine}. */
  public RecordStatistics(String scope) {
    this.scope = scope;
  }

  /** A record of map() is handed over. */
  public void record(long recordBytes) {
    record(recordBytes, Position.UNKNOWN, Position.UNKNOWN);
  }

  /**
   * A record is handed over; the one before it is now among those that passed.
   *
   * @param recordBytes its size, or not known
   * @param groupOrdinal ordinal of its group, or not known
   * @param recordDigest its digest, or not known
   */
  public void record(long recordBytes, long groupOrdinal, long recordDigest) {
    end();
    ordinal++;
    inFlight = true;
    bytes = recordBytes;
    group = groupOrdinal;
    digest = recordDigest;
  }

  /**
   * So many records of one group and size are handed over, one after the other, none of which would
   * be among the largest.
   */
  public void records(long recordBytes, long groupOrdinal, long count) {
    record(recordBytes, groupOrdinal, Position.UNKNOWN);
    ordinal += count - 1;
    sketch.add(recordBytes, count - 1);
  }

  /** The size of the record in flight becomes known: the user's code has asked for it. */
  public void sized(long recordBytes) {
    bytes = recordBytes;
  }

  /** The digest of the record in flight becomes known. */
  public void identified(long recordDigest) {
    digest = recordDigest;
  }

  /** Whether a record of this size would be among the largest, were it to pass now. */
  public boolean wouldKeep(long recordBytes) {
    return largest.wouldKeep(recordBytes);
  }

  /** The record in flight has passed; nothing where none is. */
  public void end() {
    if (inFlight) {
      inFlight = false;
      sketch.add(bytes);
      if (largest.wouldKeep(bytes)) {
        largest.offer(bytes, group, ordinal, Position.UNKNOWN, bytes, digest, null);
      }
    }
  }

  /** 1-based ordinal of the record in flight, or of the last one. */
  public long ordinal() {
    return ordinal;
  }

  /** Size of the record in flight, or not known. */
  public long bytes() {
    return bytes;
  }

  /** Digest of the record in flight, or not known. */
  public long digest() {
    return digest;
  }

  @Override
  long seen() {
    return ordinal;
  }

  @Override
  String type() {
    return "records";
  }

  @Override
  void write(boolean whole, EventLine line) {
    line.put("scope", scope).put("count", inFlight ? ordinal - 1 : ordinal);
    sketch.writeTo(line, "bytes");
    largest.writeTo(line, "largest");
    if (inFlight) {
      line.beginObject("current")
          .put("record", ordinal)
          .putKnown("group", group)
          .putKnown("bytes", bytes)
          .digest("digest", digest)
          .endObject();
    }
    line.put("whole", whole).at();
  }
}
