package org.mprof.agent;

import java.nio.ByteBuffer;

/**
 * Where the task stands: {@code position.bin}, a few counters in a memory-mapped file.
 *
 * <p>A put is a plain store into the page cache: it costs about a nanosecond, allocates nothing,
 * takes no lock, and survives the death of the process. The layout is described in {@code
 * docs/reference/position-file.md}. One thread writes a slot, but those that are {@linkplain
 * #fetchFrom fetched}.
 *
 * <p>The buffer is chosen when this class is initialised, which the agent does once it knows its
 * folder. Being a constant for the compiler is worth half the cost of a put. Without a file (no
 * agent, a folder that cannot be written) it is a buffer on the heap, never null.
 */
public final class Position {
  public static final int PHASE = 0;
  public static final int UPDATED_MS = 1;
  public static final int RECORDS_IN = 2;
  public static final int BYTES_IN = 3;
  public static final int RECORD_BYTES = 4;
  public static final int RECORDS_OUT = 5;
  public static final int BYTES_OUT = 6;
  public static final int GROUP = 7;
  public static final int RECORD_IN_GROUP = 8;
  public static final int GROUP_BYTES = 9;
  public static final int GROUP_DIGEST = 10;
  public static final int RECORD_DIGEST = 11;
  public static final int PARTITION = 12;
  public static final int SPILL = 13;
  public static final int PROGRESS_PPM = 14;
  public static final int COMBINE_PLACE = 15;
  public static final int COMBINE_CALL = 16;
  public static final int COMBINE_PARTITION = 17;
  public static final int COMBINE_RECORDS_IN = 18;
  public static final int COMBINE_TOTAL = 19;
  public static final int COMBINE_GROUP = 20;
  public static final int COMBINE_RECORD_IN_GROUP = 21;
  public static final int COMBINE_GROUP_BYTES = 22;
  public static final int COMBINE_GROUP_DIGEST = 23;
  public static final int COMBINE_RECORD_DIGEST = 24;
  public static final int COMBINE_RECORD_BYTES = 25;
  public static final int COMBINE_RECORDS_OUT = 26;
  public static final int MAP_BUFFER_BYTES = 27;
  public static final int MAP_BUFFER_READY = 28;
  public static final int SHUFFLE_LIMIT = 29;
  public static final int SHUFFLE_USED = 30;
  public static final int SHUFFLE_IN_FLIGHT = 31;
  public static final int SHUFFLE_MERGING = 32;
  public static final int FETCHED_SEGMENTS = 33;
  public static final int FETCHED_BYTES = 34;
  public static final int REDUCE_TOTAL = 35;
  public static final int SPLIT_LENGTH = 36;
  public static final int PROBES_DONE = 37;
  public static final int ERRORS = 38;
  public static final int VERIFIED = 39;

  /** Number of slots of format version 1. */
  public static final int SLOTS = 40;

  /** The value of a slot that is not known. */
  public static final long UNKNOWN = -1;

  /** Values of {@link #COMBINE_PLACE}. */
  public static final int COMBINE_NONE = 0;

  public static final int COMBINE_IN_SPILL = 1;
  public static final int COMBINE_IN_MAP_MERGE = 2;
  public static final int COMBINE_IN_SHUFFLE_MERGE = 3;

  private static final ByteBuffer BUFFER = PositionFile.current();

  /** Where the slots are, or 0 where they are reached through the buffer. */
  private static final long SLOTS_ADDRESS =
      BUFFER.isDirect() && Words.AVAILABLE ? Words.addressOf(BUFFER) + PositionFile.SLOTS_AT : 0;

  private static final Object FETCHING = new Object();
  private static volatile Source source;

  private Position() {}

  /** Puts values into slots that somebody else counts. */
  public interface Source {
    /** Called by any thread, by one at a time, in a full heap too. */
    void fetch();
  }

  /**
   * Has slots fetched for each event and twenty times a second, which costs a record nothing.
   *
   * @param from whose slots nobody else writes meanwhile; null for nobody
   */
  public static void fetchFrom(Source from) {
    source = from;
  }

  /** Fetches what is not put by those that count it. Never throws. */
  static void fetch() {
    Source from = source;
    if (from == null) {
      return;
    }
    try {
      // Without the lock a thread could overwrite a newer value with one that it read before.
      synchronized (FETCHING) {
        from.fetch();
      }
    } catch (RuntimeException | LinkageError e) {
      source = null;
    }
  }

  /** Stores a value. {@code slot} is one of the constants of this class. */
  public static void put(int slot, long value) {
    if (SLOTS_ADDRESS != 0) {
      Words.put(SLOTS_ADDRESS + (slot << 3), value);
    } else {
      BUFFER.putLong(PositionFile.SLOTS_AT + (slot << 3), value);
    }
  }

  /** The value of a slot; {@link #UNKNOWN} where it was never set. */
  public static long get(int slot) {
    return SLOTS_ADDRESS != 0
        ? Words.at(SLOTS_ADDRESS + (slot << 3))
        : BUFFER.getLong(PositionFile.SLOTS_AT + (slot << 3));
  }

  /** Adds to a slot and returns the new value; a slot that is not known counts from zero. */
  public static long add(int slot, long delta) {
    long before = get(slot);
    long after = before < 0 ? delta : before + delta;
    put(slot, after);
    return after;
  }

  /** Notes the time; called at phase changes, spills, merges, fetches, collections and probes. */
  public static void touch() {
    put(UPDATED_MS, System.currentTimeMillis());
  }

  /** Copies all slots, fetched, into {@code target}, which has at least {@link #SLOTS} elements. */
  static void copyTo(long[] target, int offset) {
    fetch();
    for (int slot = 0; slot < SLOTS; slot++) {
      target[offset + slot] = get(slot);
    }
  }
}
