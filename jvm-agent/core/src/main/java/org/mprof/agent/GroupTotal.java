package org.mprof.agent;

/** A group counted: {@code whole} where it was read to its end. */
public final class GroupTotal {
  final long records;
  final long bytes;
  final long digest;
  final boolean whole;

  /** {@code bytes} may be not known. */
  public GroupTotal(long records, long bytes, long digest, boolean whole) {
    this.records = records;
    this.bytes = bytes;
    this.digest = digest;
    this.whole = whole;
  }
}
