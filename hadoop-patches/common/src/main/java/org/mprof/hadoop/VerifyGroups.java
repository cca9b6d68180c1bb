package org.mprof.hadoop;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.mprof.agent.Digest;
import org.mprof.agent.Faults;
import org.mprof.agent.GroupTotal;
import org.mprof.agent.OtherGroups;
import org.mprof.agent.Position;
import org.mprof.agent.Verify;

/**
 * The filter of a verify attempt below reduce() or combine(): everything but the wanted record, and
 * a few at the beginning to warm up, is discarded as raw bytes, before the framework deserialises
 * it.
 *
 * <p>The record is told by digests, because the order of equal keys and the merge sets depend on
 * the order of fetches. The rest of the input is drained and counted after the user's code returned
 * or threw: its group, and the other groups of this pass or partition to compare it with. A
 * partition without the record is counted all the same.
 */
final class VerifyGroups implements RawGroups.Ended {
  private final boolean here;
  private final boolean withholdAll;
  private final boolean wholePartition;
  private RawGroups groups;

  private RawKeyValueIterator found;
  private long warmUpBytes;

  /** A record to warm up was handed to the user's code, which has not come back to ask for more. */
  private boolean warming;

  private boolean handed;
  private boolean reported;
  private boolean inputEnded;
  private boolean broken;

  /** The wanted record's group, once it has been read to its end. */
  private GroupTotal whole;

  private final OtherGroups others = new OtherGroups();

  private VerifyGroups(boolean here, boolean withholdAll, boolean wholePartition) {
    this.here = here;
    this.withholdAll = withholdAll;
    this.wholePartition = wholePartition;
  }

  /** The filter of {@code place}, or null where that place gets everything. */
  static VerifyGroups in(String place) {
    boolean here = VerifyGuard.in(place);
    // The combiner that was verified wrote next to nothing; reduce() is not asked about.
    boolean afterCombine = place.equals("reduce") && VerifyGuard.in("combine");
    // A pass of combine() without the record says little: its group may be in the next one.
    boolean all = here && place.equals("reduce");
    return here || afterCombine ? new VerifyGroups(here, afterCombine, all) : null;
  }

  void groupedBy(RawComparator<?> groupComparator) {
    groups = new RawGroups(groupComparator, this);
  }

  /** Goes on to the wanted record; false where there is none (any more). */
  boolean advance(boolean more, RawKeyValueIterator in) {
    if (withholdAll) {
      return false;
    }
    try {
      if (found != null) {
        // The framework reads ahead by one record, which may still be of the group.
        afterFound(more, in);
        return false;
      }
      if (reported || Verify.done()) {
        return false;
      }
      if (search(more, in)) {
        return true;
      }
      groups.end();
      notFound();
      return false;
    } catch (IOException | RuntimeException e) {
      Faults.caught(e, "verify");
      inputEnded = true;
      broken = true;
      if (found == null) {
        notFound();
      }
      return false;
    }
  }

  private boolean search(boolean first, RawKeyValueIterator in) throws IOException {
    for (boolean more = first; more; more = in.next()) {
      long bytes = groups.count(in);
      if (Verify.wanted(Position.UNKNOWN, groups.digest(), recordDigest(in))) {
        found = in;
        return true;
      }
      if (Verify.warmsUp(warmUpBytes)) {
        warmUpBytes += bytes;
        return true;
      }
    }
    return false;
  }

  private void notFound() {
    if (!wholePartition || reported) {
      return;
    }
    reported = true;
    if (whole != null) {
      Verify.groupTotal(whole, others, !broken);
    } else {
      Verify.counted(others, !broken);
    }
  }

  /** The record found, or one to warm up, is about to be deserialised for the user's code. */
  void handing(long ordinal, long digest) {
    warming = found == null;
    if (here && !handed && !Verify.done()) {
      Verify.handing();
    }
    if (here && found != null && !handed) {
      handed = true;
      Verify.met(ordinal, digest);
    }
  }

  void returned() {
    warming = false;
    Verify.controlReturned();
    if (handed && !reported) {
      reported = true;
      Verify.survived();
      drain();
    }
  }

  void threw(Throwable error) {
    if (handed && !reported) {
      reported = true;
      Verify.failed(error);
      drain();
    } else if (here && warming && !reported) {
      reported = true;
      Verify.warmUpFailed(error);
    }
  }

  private void afterFound(boolean more, RawKeyValueIterator in) throws IOException {
    if (in != found || inputEnded) {
      return;
    }
    if (!more) {
      inputEnded = true;
      groups.end();
      return;
    }
    groups.count(in);
  }

  private void drain() {
    try {
      while (!inputEnded) {
        afterFound(found.next(), found);
      }
    } catch (Throwable error) {
      // Out of memory once more, perhaps: what was counted is a lower bound then.
      inputEnded = true;
      broken = true;
    }
    Verify.groupTotal(whole != null ? whole : groups.soFar(), others, !broken);
  }

  @Override
  public void ended(GroupTotal group) {
    if (whole == null && (found != null || group.digest() == Verify.group())) {
      whole = group;
    } else {
      others.add(group);
    }
  }

  private static long recordDigest(RawKeyValueIterator in) throws IOException {
    DataInputBuffer key = in.getKey();
    DataInputBuffer value = in.getValue();
    int keyFrom = key.getPosition();
    int valueFrom = value.getPosition();
    return Digest.record(
        Digest.of(key.getData(), keyFrom, key.getLength() - keyFrom),
        Digest.of(value.getData(), valueFrom, value.getLength() - valueFrom));
  }
}
