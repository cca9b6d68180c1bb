package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Digest;
import org.mprof.agent.Failures;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.RecordStatistics;
import org.mprof.agent.Settings;
import org.mprof.agent.Verify;

/**
 * The way of reduce() or combine() over its groups, seen at the raw iterator below the framework's.
 *
 * <p>Sizes and digests are taken from the raw bytes before anything is deserialised, so that a
 * record too large to be deserialised is known all the same. A group is what the framework makes
 * one call of, whatever comparator decides; the framework tells where one ends.
 *
 * <p>{@link #keyRead} for each record once the framework has asked for its key, {@link #begin}
 * where that key begins a group, {@link #hand} before the record is deserialised for the user's
 * code, {@link #leave} where the framework moves on without, {@link #end} after the group, {@link
 * #inputEnd} after the last one. Keys, and values where that is early enough, are those that the
 * framework was given: a sort buffer computes them anew each time it is asked.
 */
public abstract class GroupWalk {
  /** A group is not counted on after a failure where the key to compare with is longer. */
  private static final int MOST_KEY_BYTES = 16 * 1024;

  /**
   * A longer key is not made a string of, which may take a multiple of it in a heap that is full.
   */
  private static final int MOST_TEXT_BYTES = 1024;

  /** The cursor is on the record that the framework has asked for, which is of the open group. */
  private static final int ON_RECORD = 0;

  /** The iterator is on its way to the next record: where it throws, nobody knows where it is. */
  private static final int MOVING = 1;

  /**
   * The cursor is on the next record, and the framework has not said of which group that is. The
   * old API never says; there the group's first key is kept.
   */
  private static final int ON_NEXT = 2;

  /** The cursor is on the next record, which is of the open group. */
  private static final int ON_NEXT_OF_GROUP = 3;

  /** The cursor is on the next record, which is of another group, or at the end of the input. */
  private static final int ON_NEXT_OF_ANOTHER = 4;

  final GroupStatistics groups;
  final RecordStatistics records;
  private final VerifyGroups verify;
  private final GroupLeftOut leftOut = GroupLeftOut.wanted();

  /** The record under the cursor was handed over, or none is under it yet. */
  private boolean handed = true;

  /** Where the iterator's cursor is: one of the constants above. */
  private int cursor = ON_RECORD;

  private boolean hasMore;
  private RawKeyValueIterator input;
  private RawComparator<?> comparator;
  private final RawKey groupKey = new RawKey(MOST_KEY_BYTES);

  /** Size and digest of the key of the record under the cursor. */
  private int keyBytes;

  private long keyDigest;

  private boolean open;
  private boolean ended;
  private boolean keyWanted;
  private final boolean keysAsText = Settings.current().keysAsText();

  GroupWalk(GroupStatistics groups, RecordStatistics records, VerifyGroups verify) {
    this.groups = groups;
    this.records = records;
    this.verify = verify;
  }

  /** Which comparator decides about groups. */
  public final void groupedBy(RawComparator<?> groupComparator) {
    comparator = groupComparator;
    if (verify != null) {
      verify.groupedBy(groupComparator);
    }
    if (leftOut != null) {
      leftOut.groupedBy(groupComparator);
    }
  }

  /** The user's code has been set up and asks for its first group. */
  public void asks() {}

  /**
   * The framework has asked for the key of the record under the cursor, and hands that record over
   * next: as one of the group of the record before, or as the first one of a group.
   *
   * <p>This asks for the value itself: a key may be what cannot be deserialised.
   */
  public void comes(DataInputBuffer key, boolean isOfSameGroup, RawKeyValueIterator in)
      throws IOException {
    if (isAskedForAgain()) {
      return; // an error on the way to the user's code, which that code has lived with
    }
    standsOnRecord();
    keyRead(key);
    if (!isOfSameGroup) {
      asks();
      beginAnother();
    }
    hand(in.getValue(), in);
  }

  /** The framework has asked for the key of the record under the cursor, and deserialises it. */
  public final void keyRead(DataInputBuffer key) {
    int from = key.getPosition();
    keyBytes = key.getLength() - from;
    keyDigest = Digest.of(key.getData(), from, keyBytes);
  }

  /**
   * A group begins; the cursor stands on its first record, whose key this is.
   *
   * <p>Where that is the key of the group before, it is that group which goes on: the old API
   * compares the next key with the object that the user's code was given, and calls once for each
   * record of a group if that code has changed it. Hive's reducer of a join does.
   */
  public final void begin(DataInputBuffer key) {
    asks();
    handed = false;
    if (!open || keyDigest != groups.digest() || !groupKey.isEqual(key)) {
      beginAnother();
      groupKey.keep(key);
    }
  }

  /** A group begins that is another one than before; the cursor stands on its first record. */
  final void beginAnother() {
    open = true;
    keyWanted = keysAsText && keyBytes <= MOST_TEXT_BYTES;
    groups.begin(keyDigest);
    groupBegins(keyDigest);
  }

  /**
   * The record under the cursor, which has this value, is about to be handed to the user's code.
   */
  public final void hand(DataInputBuffer value, RawKeyValueIterator in) {
    handed = true;
    int from = value.getPosition();
    int valueBytes = value.getLength() - from;
    long bytes = (long) keyBytes + valueBytes;
    long digest = Digest.record(keyDigest, Digest.of(value.getData(), from, valueBytes));
    groups.record(bytes);
    records.record(bytes, groups.ordinal(), digest);
    recordHanded(bytes, digest, in);
    if (verify != null) {
      verify.handing(records.ordinal(), digest);
    }
  }

  /** Whether the record under the cursor was about to be handed over before. */
  final boolean isAskedForAgain() {
    return handed && open;
  }

  /** The record under the cursor is about to be handed over, and is counted later. */
  final void markHanded() {
    standsOnRecord();
    handed = true;
  }

  private void standsOnRecord() {
    if (cursor != MOVING) { // else the user's code has lived with an error of the iterator's
      cursor = ON_RECORD;
    }
  }

  /** The framework has compared the key under the cursor, if there is one, with the one before. */
  public final void compared(boolean isNextOfSameGroup) {
    cursor = isNextOfSameGroup ? ON_NEXT_OF_GROUP : ON_NEXT_OF_ANOTHER;
  }

  /** Counts what was handed over and not counted yet. */
  void catchUp() {}

  /** The framework moves on; a record it did not hand over still belongs to the group. */
  public final void leave(RawKeyValueIterator in) throws IOException {
    if (!handed && open) {
      groups.record(keyBytes + (long) RawGroups.size(in.getValue()));
      recordSkipped();
    }
    moves();
  }

  /** The framework moves the iterator on; {@link #advance} once it stands on the next record. */
  public final void moves() {
    handed = false;
    cursor = MOVING;
  }

  /** The open group has no further record. */
  private void end() {
    if (open) {
      open = false;
      groups.end();
    }
  }

  /** There is no further group. */
  public final void inputEnd() {
    catchUp();
    end();
    if (!ended) {
      ended = true;
      records.end();
      allGroupsDone();
    }
  }

  /** The user's call for a group returned and the framework asks for the next one. */
  public final void returned() {
    if (verify != null) {
      verify.returned();
    }
  }

  /** The user's code threw. */
  public final void threw(Throwable error) {
    if (verify != null) {
      verify.threw(error);
    }
  }

  /** The attempt has failed of this error, which has left the user's code. */
  final void failed(Throwable error) {
    boolean isWanted = verify == null && Failures.isOfMemory(error);
    RawKey key = isWanted && open && input != null && comparator != null ? keyOfGroup() : null;
    if (key != null) {
      new RestOfInput(groups, key, comparator).count(input, hasMore, handed);
    }
  }

  /**
   * A key of the open group, to compare those that follow with; one that keeps no key where the
   * next record is known to be of another group; null where neither is known.
   */
  private RawKey keyOfGroup() {
    if (cursor == MOVING) {
      return null;
    }
    if (groupKey.isKept()) {
      return groupKey;
    }
    RawKey key = new RawKey(MOST_KEY_BYTES);
    try {
      if (cursor == ON_RECORD || cursor == ON_NEXT_OF_GROUP) {
        key.keep(input.getKey());
      }
    } catch (IOException e) {
      return null;
    }
    return key.isKept() || cursor == ON_NEXT_OF_ANOTHER ? key : null;
  }

  /**
   * Whether the record the iterator moved to is one for the user's code. In verify mode this goes
   * on to the wanted record, or past a group.
   */
  public final boolean advance(boolean more) {
    cursor = ON_NEXT;
    hasMore = more;
    if (leftOut != null) {
      hasMore = leftOut.passOver(more, input);
      return hasMore;
    }
    return verify == null ? more : verify.advance(more, input);
  }

  /** The same where the iterator may be another one than before, as the first one is. */
  public final boolean advance(boolean more, RawKeyValueIterator in) {
    if (input != in) { // a store of a reference is more than that to some collectors
      input = in;
    }
    return advance(more);
  }

  /** Whether the user asked for keys as text and that of the open group is not known yet. */
  public final boolean wantsKey() {
    return keyWanted;
  }

  /** The key of the open group as text. */
  public final void key(Object key) {
    keyWanted = false;
    if (key != null) {
      groups.key(key.toString());
    }
  }

  abstract void groupBegins(long digest);

  abstract void recordHanded(long bytes, long digest, RawKeyValueIterator in);

  abstract void recordSkipped();

  void allGroupsDone() {}

  /** The filter of a verify attempt, or null in every other one. */
  static VerifyGroups verifying(String place) {
    return Verify.active() ? VerifyGroups.in(place) : null;
  }

  static int progressPpm(float progress) {
    return progress >= 0 && progress <= 1 ? Math.round(progress * 1e6f) : (int) Position.UNKNOWN;
  }
}
