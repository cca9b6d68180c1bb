package org.mprof.agent;

/**
 * Sizes of groups: the content of the {@code groups} event.
 *
 * <p>{@code begin(digest)}, then {@code record(bytes)} for each record, then {@code end()}. Only
 * groups that have ended are in the sketches and among the largest; the open one is reported beside
 * them, because fences are drawn over the values before it. One thread calls, and nothing
 * allocates.
 */
public final class GroupStatistics extends Statistics {
  private final String scope;
  private final Sketch recordSketch = new Sketch();
  private final Sketch byteSketch = new Sketch();
  private final Largest byRecords = new Largest();
  private final Largest byBytes = new Largest();

  private long ordinal;
  private boolean open;
  private long digest;
  private long records;
  private long bytes;
  private String key;

  /** {@code scope} is {@code reduce} or {@code combine}. */
  public GroupStatistics(String scope) {
    this.scope = scope;
  }

  /** A group begins (ending the one before it, should it still be open). */
  public void begin(long keyDigest) {
    end();
    ordinal++;
    open = true;
    digest = keyDigest;
    records = 0;
    bytes = 0;
    key = null;
  }

  /** The key of the open group as text; only where the user asked for keys. */
  public void key(String text) {
    key = text;
  }

  /** A record of the open group; {@code recordBytes} is key plus value, or not known. */
  public void record(long recordBytes) {
    records(recordBytes, 1);
  }

  /** So many records of the open group, each of {@code recordBytes}. */
  public void records(long recordBytes, long count) {
    records += count;
    if (recordBytes < 0 || bytes == Position.UNKNOWN) {
      bytes = Position.UNKNOWN;
    } else {
      bytes += recordBytes * count;
    }
  }

  /** The open group ends; nothing where none is open. */
  public void end() {
    if (open) {
      open = false;
      recordSketch.add(records);
      byteSketch.add(bytes);
      if (byRecords.wouldKeep(records)) {
        byRecords.offer(records, ordinal, Position.UNKNOWN, records, bytes, digest, key);
      }
      if (byBytes.wouldKeep(bytes)) {
        byBytes.offer(bytes, ordinal, Position.UNKNOWN, records, bytes, digest, key);
      }
    }
  }

  /** 1-based ordinal of the open (or last) group. */
  public long ordinal() {
    return ordinal;
  }

  /** Records of the open group so far. */
  public long records() {
    return records;
  }

  /** Bytes of the open group so far, or not known. */
  public long bytes() {
    return bytes;
  }

  /** {@code reduce} or {@code combine}. */
  public String scope() {
    return scope;
  }

  /** Adds the sizes of the groups that have ended to these sketches. */
  void addEndedTo(Sketch endedRecords, Sketch endedBytes) {
    endedRecords.addAll(recordSketch);
    endedBytes.addAll(byteSketch);
  }

  /** Digest of the key of the open group. */
  public long digest() {
    return digest;
  }

  @Override
  long seen() {
    return ordinal;
  }

  @Override
  String type() {
    return "groups";
  }

  @Override
  void write(boolean whole, EventLine line) {
    line.put("scope", scope).put("count", open ? ordinal - 1 : ordinal);
    recordSketch.writeTo(line, "records");
    byteSketch.writeTo(line, "bytes");
    byRecords.writeTo(line, "largest_by_records");
    byBytes.writeTo(line, "largest_by_bytes");
    if (open) {
      line.beginObject("current")
          .put("group", ordinal)
          .put("records", records)
          .putKnown("bytes", bytes)
          .digest("digest", digest)
          .put("key", key)
          .endObject();
    }
    line.put("whole", whole).at();
  }
}
