package org.mprof.agent;

/** A group counted: {@code whole} where it was read to its end. */
public final class GroupTotal {
  private final long records;
  private final long bytes;
  private final long digest;
  private final boolean whole;

  /** {@code bytes} may be not known. */
  public GroupTotal(long records, long bytes, long digest, boolean whole) {
    this.records = records;
    this.bytes = bytes;
    this.digest = digest;
    this.whole = whole;
  }

  /** So much of it was read. */
  public long records() {
    return records;
  }

  /** Keys and values of those records, or not known. */
  public long bytes() {
    return bytes;
  }

  /** Digest of its key. */
  public long digest() {
    return digest;
  }

  /** Writes its members into the open object of a line. */
  public void writeTo(EventLine line) {
    line.put("records", records)
        .putKnown("bytes", bytes)
        .digest("digest", digest)
        .put("whole", whole);
  }
}
