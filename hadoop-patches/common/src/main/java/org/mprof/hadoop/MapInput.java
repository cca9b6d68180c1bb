package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.mapreduce.RecordReader;
import org.mprof.agent.Failures;
import org.mprof.agent.Phase;
import org.mprof.agent.Position;
import org.mprof.agent.Probes;
import org.mprof.agent.RecordStatistics;
import org.mprof.agent.Verify;

/**
 * The input of map(), record by record, as the framework's tracking reader passes it on.
 *
 * <p>A reader of the user's own is never asked for a key or a value that the user's code does not
 * ask for: a getter may do work, or give its value away once. The sizes are those of what it
 * answered the mapper.
 */
public final class MapInput {
  private static final int EVERY_FIRST = 64;
  private static final int THEN_EVERY = 256;
  private static final long NOT_ASKED = Position.UNKNOWN - 1;

  private static volatile MapInput current;

  private final RecordStatistics statistics = new RecordStatistics("map");
  private long records;
  private long bytes;
  private boolean begun;

  /** The thread that asked for the first record, and whether it is inside the reader. */
  private Thread asking;

  private boolean isInReader;
  private boolean ended;
  private long keyBytes = NOT_ASKED;
  private long valueBytes = NOT_ASKED;

  /** Looking for the record of a verify attempt: the reader is called again from its own hook. */
  private boolean seeking;

  /** The thread that was given that record. */
  private Thread taker;

  private boolean survived;

  public MapInput() {
    statistics.register();
    current = this;
    Places.now(); // loads what an error will need
    Position.put(Position.BYTES_IN, 0);
  }

  /** The user's code asks for a record, so it is done with the one before. */
  public void asks() {
    isInReader = true;
    if (!begun) {
      asking = Thread.currentThread();
      begun = true;
      Phase.enter(Phase.MAP);
    } else if (taker == null || taker == Thread.currentThread()) {
      // Of several threads of one mapper, the others may ask while it works on its record.
      returned();
    }
  }

  private void returned() {
    if (VerifyGuard.in("map") && !seeking && !survived) {
      Verify.controlReturned();
      if (Verify.done()) {
        survived = true;
        Verify.survived();
      }
    }
  }

  /** Whether the calling thread makes the record reader, or is inside it. */
  static boolean isReading() {
    MapInput input = current;
    if (input == null || !input.begun) {
      // The new API makes the sort buffer, and so begins the set-up, before it opens the reader.
      return Position.get(Position.PHASE) == Phase.INIT || SplitReads.isUntouched();
    }
    return input.isInReader && input.asking == Thread.currentThread();
  }

  /** The reader failed: the record that was being read is the next one. */
  public void readFailed(Throwable error) {
    isInReader = false;
    Failures.record(error, "map", records + 1, Position.UNKNOWN, Position.UNKNOWN);
  }

  /** The user's code of the map side failed. */
  public static void failed(Throwable error, String place) {
    MapInput input = current;
    if (input == null || input.records == 0) {
      Failures.record(error, place);
    } else {
      Failures.record(error, place, input.records, input.statistics.bytes(), Position.UNKNOWN);
      if (VerifyGuard.in("map") && Verify.done() && !input.survived) {
        input.survived = true;
        Verify.failed(error);
      } else if (VerifyGuard.in("map") && !input.ended) {
        Verify.warmUpFailed(error);
      }
    }
  }

  /** The user's code returned without asking for another record. */
  public static void finished() {
    MapInput input = current;
    if (input != null) {
      input.returned();
    }
  }

  // ---- new API: the mapper asks the reader for key and value ------------------------------------

  /** The reader answered the mapper's question for the key. */
  public void gaveKey(Object key) {
    if (keyBytes == NOT_ASKED) {
      keyBytes = RecordSizes.of(key);
      sizedOnceBothAreKnown();
    }
  }

  /** The reader answered the mapper's question for the value. */
  public void gaveValue(Object value) {
    if (valueBytes == NOT_ASKED) {
      valueBytes = RecordSizes.of(value);
      sizedOnceBothAreKnown();
    }
  }

  private void sizedOnceBothAreKnown() {
    if (records > 0 && keyBytes != NOT_ASKED && valueBytes != NOT_ASKED) {
      sized(keyBytes < 0 || valueBytes < 0 ? Position.UNKNOWN : keyBytes + valueBytes);
    }
  }

  /** A record was read, or the end reached; {@code tracking} is the reader the user's code sees. */
  public boolean read(boolean more, RecordReader<?, ?> tracking)
      throws IOException, InterruptedException {
    isInReader = false;
    if (!more) {
      end();
      return false;
    }
    count();
    if (VerifyGuard.leavesOut(records)) {
      return passOver(tracking);
    }
    if (VerifyGuard.in("map")) {
      return seeking || warmsUp() || seek(tracking);
    }
    Probes.beforeRecord(records);
    return true;
  }

  /** Whether the record just read is handed over although it is not the one that is wanted. */
  private boolean warmsUp() {
    boolean warms =
        !Verify.wanted(records, Position.UNKNOWN, Position.UNKNOWN) && Verify.warmsUp(bytes);
    if (warms) {
      Verify.handing();
    }
    return warms;
  }

  /** Asks for the next record in place of this one; the reader's hooks count it. */
  private boolean passOver(RecordReader<?, ?> tracking) throws IOException, InterruptedException {
    try {
      return tracking.nextKeyValue();
    } catch (IOException | InterruptedException | RuntimeException e) {
      readFailed(e);
      return false;
    }
  }

  private boolean seek(RecordReader<?, ?> tracking) throws IOException, InterruptedException {
    seeking = true;
    try {
      boolean more = !Verify.done();
      while (more && !Verify.wanted(records, Position.UNKNOWN, Position.UNKNOWN)) {
        more = tracking.nextKeyValue();
      }
      return meet(more);
    } catch (IOException | InterruptedException | RuntimeException e) {
      readFailed(e);
      return false;
    } finally {
      seeking = false;
    }
  }

  // ---- old API: key and value are filled in -----------------------------------------------------

  /** As the other one, for readers that fill in a key and a value. */
  public <K, V> boolean read(
      boolean more, K key, V value, org.apache.hadoop.mapred.RecordReader<K, V> tracking)
      throws IOException {
    isInReader = false;
    if (!more) {
      end();
      return false;
    }
    count();
    gaveKey(key);
    gaveValue(value);
    if (VerifyGuard.leavesOut(records)) {
      return passOver(key, value, tracking);
    }
    if (VerifyGuard.in("map")) {
      return seeking || warmsUp() || seek(key, value, tracking);
    }
    Probes.beforeRecord(records);
    return true;
  }

  private <K, V> boolean passOver(
      K key, V value, org.apache.hadoop.mapred.RecordReader<K, V> tracking) {
    try {
      return tracking.next(key, value);
    } catch (IOException | RuntimeException e) {
      readFailed(e);
      return false;
    }
  }

  private <K, V> boolean seek(
      K key, V value, org.apache.hadoop.mapred.RecordReader<K, V> tracking) {
    seeking = true;
    try {
      boolean more = !Verify.done();
      while (more && !Verify.wanted(records, Position.UNKNOWN, Position.UNKNOWN)) {
        more = tracking.next(key, value);
      }
      return meet(more);
    } catch (IOException | RuntimeException e) {
      readFailed(e);
      return false;
    } finally {
      seeking = false;
    }
  }

  /** The framework asked the reader how far it is; it does so for every record, too often. */
  public void progress(float share) {
    boolean sampled = records <= EVERY_FIRST || records % THEN_EVERY == 0;
    if (sampled && !ended && !seeking) {
      Position.put(Position.PROGRESS_PPM, GroupWalk.progressPpm(SplitReads.orBetter(share)));
    }
  }

  // ---- both -----------------------------------------------------------------------------------

  private void count() {
    boolean wasSized = keyBytes != NOT_ASKED && valueBytes != NOT_ASKED;
    if (records > 0 && !wasSized) {
      bytes = Position.UNKNOWN;
      Position.put(Position.BYTES_IN, bytes);
    }
    keyBytes = NOT_ASKED;
    valueBytes = NOT_ASKED;
    records++;
    Position.put(Position.RECORDS_IN, records);
    Position.put(Position.RECORD_BYTES, Position.UNKNOWN);
    statistics.record(Position.UNKNOWN);
  }

  private void sized(long size) {
    bytes = size < 0 || bytes < 0 ? Position.UNKNOWN : bytes + size;
    Position.put(Position.RECORD_BYTES, size);
    Position.put(Position.BYTES_IN, bytes);
    statistics.sized(size);
  }

  private boolean meet(boolean found) {
    if (found) {
      taker = Thread.currentThread();
      Verify.met(records, Position.UNKNOWN);
    }
    return found;
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    statistics.end();
    statistics.write(true);
    statistics.unregister();
    if (!seeking) {
      Position.put(Position.PROGRESS_PPM, 1_000_000);
      Phase.enter(Phase.CLEANUP);
    }
  }
}
