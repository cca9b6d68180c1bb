package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Digest;
import org.mprof.agent.Failures;
import org.mprof.agent.GroupStatistics;
import org.mprof.agent.Position;
import org.mprof.agent.Probes;
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
  /** A group whose first key is longer is not counted on after a failure. */
  private static final int MOST_KEY_BYTES = 16 * 1024;

  /**
   * A longer key is not made a string of, which may take a multiple of it in a heap that is full.
   */
  private static final int MOST_TEXT_BYTES = 1024;

  /** A larger key may be what a process dies of while it is deserialised. */
  private static final int SMALL_KEY_BYTES = 4 * 1024;

  final GroupStatistics groups;
  final RecordStatistics records;
  private final VerifyGroups verify;

  /** The record under the cursor was handed over, or none is under it yet. */
  private boolean handed = true;

  /** The iterator is on its way to the next record: where it throws, nobody knows where it is. */
  private boolean moving;

  private boolean inputEnds;
  /** The framework deserialises the key of the record under the cursor; its value comes next. */
  private boolean comes;

  private RawKeyValueIterator input;
  private RawComparator<?> comparator;
  private final RawKey groupKey = new RawKey(MOST_KEY_BYTES);

  /** Nothing is to be done before the framework deserialises a record. */
  private final boolean mayWait;

  /** Size of the key of the record under the cursor, and its digest or where its bytes are. */
  private int keyBytes;

  private long keyDigest;
  private final RawBytes key;

  /** Where the record handed over last lies; both null where digests do not wait. */
  private final RawBytes lastKey;

  private final RawBytes lastValue;

  private boolean open;
  private boolean ended;
  private boolean keyWanted;
  private final boolean keysAsText = Settings.current().keysAsText();

  /**
   * Where {@code bytesStay}, the raw bytes of a record stay where they are until the walk has
   * ended, and its digest is computed for those records alone of which it is wanted.
   */
  GroupWalk(
      GroupStatistics groups, RecordStatistics records, VerifyGroups verify, boolean bytesStay) {
    this.groups = groups;
    this.records = records;
    this.verify = verify;
    this.mayWait = Probes.areNone() && verify == null;
    boolean isDigestLate = bytesStay && verify == null;
    this.key = isDigestLate ? new RawBytes() : null;
    this.lastKey = isDigestLate ? new RawBytes() : null;
    this.lastValue = isDigestLate ? new RawBytes() : null;
  }

  /** Which comparator decides about groups. */
  public final void groupedBy(RawComparator<?> groupComparator) {
    comparator = groupComparator;
    if (verify != null) {
      verify.groupedBy(groupComparator);
    }
  }

  /** The user's code has been set up and asks for its first group. */
  public void asks() {}

  /** The framework has asked for the key of the record under the cursor, and deserialises it. */
  public final void keyRead(DataInputBuffer buffer) {
    keyBytes = RawGroups.size(buffer);
    if (key != null) {
      key.are(buffer);
    } else {
      keyDigest = Digest.of(buffer.getData(), buffer.getPosition(), keyBytes);
    }
  }

  /**
   * The same where no other call tells of a group: it begins here, unless the key is of the group
   * of the record before. The record is handed over before its key is deserialised where a probe
   * may be due or the key is large, else once the framework has asked for its value too, see {@link
   * #valueRead}.
   */
  public final void keyRead(DataInputBuffer buffer, boolean isSameGroup, RawKeyValueIterator in)
      throws IOException {
    keyRead(buffer);
    if (!isSameGroup) {
      begin(buffer);
    }
    if (mayWait && keyBytes <= SMALL_KEY_BYTES) {
      comes = true;
    } else {
      hand(in.getValue(), in);
    }
  }

  /** The framework has asked for the value of the record under the cursor. */
  public final void valueRead(DataInputBuffer value, RawKeyValueIterator in) {
    if (comes) {
      hand(value, in);
    }
  }

  /**
   * A group begins; the cursor stands on its first record, whose key this is.
   *
   * <p>Where that is the key of the group before, it is that group which goes on: the old API
   * compares the next key with the object that the user's code was given, and calls once for each
   * record of a group if that code has changed it. Hive's reducer of a join does.
   */
  public final void begin(DataInputBuffer buffer) {
    asks();
    handed = false;
    if (key != null) {
      keyDigest = key.digest();
    }
    if (open && keyDigest == groups.digest() && groupKey.isEqual(buffer)) {
      return;
    }
    open = true;
    keyWanted = keysAsText && keyBytes <= MOST_TEXT_BYTES;
    groups.begin(keyDigest);
    groupBegins(keyDigest);
    groupKey.keep(buffer);
  }

  /**
   * The record under the cursor, which has this value, is about to be handed to the user's code.
   */
  public final void hand(DataInputBuffer value, RawKeyValueIterator in) {
    handed = true;
    comes = false;
    long bytes = keyBytes + (long) RawGroups.size(value);
    long digest = digestNow(value, bytes);
    groups.record(bytes);
    records.record(bytes, groups.ordinal(), digest);
    recordHanded(bytes, digest, in);
    if (verify != null) {
      verify.handing(records.ordinal(), digest);
    }
  }

  /** The digest of the record under the cursor; not known where it can wait and is not needed. */
  private long digestNow(DataInputBuffer value, long bytes) {
    if (lastValue == null) {
      int from = value.getPosition();
      return Digest.record(
          keyDigest, Digest.of(value.getData(), from, value.getLength() - from));
    }
    lastKey.are(key);
    lastValue.are(value);
    return records.wouldKeep(bytes) ? lateDigest() : Position.UNKNOWN;
  }

  private long lateDigest() {
    return Digest.record(lastKey.digest(), lastValue.digest());
  }

  /** The attempt fails at the record in flight: what has waited is done now, or stays unknown. */
  final void settle() {
    try {
      if (comes && input != null) {
        hand(input.getValue(), input);
      }
      if (lastValue != null && lastValue.areKnown() && records.digest() == Position.UNKNOWN) {
        long digest = lateDigest();
        records.identified(digest);
        recordIdentified(digest);
      }
    } catch (Throwable error) {
      // Out of memory once more, or an input that is broken: the failure itself is to be told.
    }
  }

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
    moving = true;
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
    boolean isKnownWhere = open && !moving && input != null && groupKey.isKept();
    if (verify == null && isKnownWhere && comparator != null && Failures.isOfMemory(error)) {
      new RestOfInput(groups, groupKey, comparator).count(input, !inputEnds, handed);
    }
  }

  /**
   * Whether the record the iterator moved to is one for the user's code. In verify mode this goes
   * on to the wanted record.
   */
  public final boolean advance(boolean more, RawKeyValueIterator in) {
    moving = false;
    inputEnds = !more;
    if (input != in) { // a store of a reference is more than that to some collectors
      input = in;
    }
    return verify == null ? more : verify.advance(more, in);
  }

  /** Whether the user asked for keys as text and that of the open group is not known yet. */
  public final boolean wantsKey() {
    return keyWanted;
  }

  /** The key of the open group as text. */
  public final void key(Object object) {
    keyWanted = false;
    if (object != null) {
      groups.key(object.toString());
    }
  }

  abstract void groupBegins(long digest);

  abstract void recordHanded(long bytes, long digest, RawKeyValueIterator in);

  /** The digest of the record handed over last becomes known. */
  void recordIdentified(long digest) {}

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
