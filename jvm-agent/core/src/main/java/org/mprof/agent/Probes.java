package org.mprof.agent;

/**
 * The probes of profile mode. The hooks call {@code before...} for every record or group; the way
 * through is one comparison with the next ordinal at which something is to be done.
 */
public final class Probes {
  /** No probe is armed. */
  static final long NEVER = Long.MAX_VALUE;

  /** Next record of map() that is probed. */
  static long nextRecord = NEVER;

  /** Next group of reduce() that is probed. */
  static long nextGroup = NEVER;

  private Probes() {}

  /** A record was read; map() has not seen it. {@code ordinal} is 1-based. */
  public static void beforeRecord(long ordinal) {
    if (ordinal >= nextRecord) {
      recordReached(ordinal);
    }
  }

  /** reduce() is about to be called for a group. */
  public static void beforeGroup(long ordinal, long digest) {
    if (ordinal >= nextGroup) {
      groupReached(ordinal, digest);
    }
  }

  /** A record of a group is about to be handed to reduce(). */
  public static void beforeRecordInGroup(long group, long groupDigest, long ordinal) {}

  /** A record of a group is about to be handed to combine(). */
  public static void beforeCombineRecord(
      int spill, int partition, long group, long groupDigest, long ordinal) {}

  /** Nothing was read yet, and the process has read this many bytes. */
  public static void setupBytes(long bytesRead) {}

  static void verifyProbe(String point, long ordinal) {}

  private static void recordReached(long ordinal) {}

  private static void groupReached(long ordinal, long digest) {}
}
