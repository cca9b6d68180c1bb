package org.mprof.agent;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The probes of profile mode. The hooks call {@code before...} for every record or group; the way
 * through is one comparison with the next ordinal at which something is to be done.
 *
 * <p>The {@code next...} fields are written by the thread that also reads them; a thread that sees
 * an older value makes its probe one record later.
 */
public final class Probes {
  /** No probe is armed. */
  static final long NEVER = Long.MAX_VALUE;

  /** Next record of map() that is probed. */
  static long nextRecord = NEVER;

  /** Next group of reduce() that is probed. */
  static long nextGroup = NEVER;

  /** Next record of the current group of reduce() that is probed. */
  static long nextInGroup = NEVER;

  /** Next record of the current call of combine() that is probed. */
  static long nextInCombine = NEVER;

  private static final List<File> KEPT = new ArrayList<>();
  private static final Set<String> COUNTED = new HashSet<>();
  private static final List<Plan.InGroup> IN_GROUPS = new ArrayList<>();
  private static final List<Plan.InGroup> IN_COMBINES = new ArrayList<>();

  /** Whether a plan has points; {@code false} for the life of a task that is only watched. */
  private static boolean active;

  private static boolean byHistogram;
  private static boolean thins;
  private static boolean doublesInGroup;
  private static int points;
  private static int made;
  private static int mostHistograms;
  private static Plan.Points records = Plan.Points.NONE;
  private static Plan.Points groups = Plan.Points.NONE;
  private static Plan.Points inGroup = Plan.Points.NONE;
  private static Plan.Points inCombine = Plan.Points.NONE;
  private static boolean doublesRecords;
  private static boolean doublesGroups;

  private Probes() {}

  /** Whether no probe will ever be due in this task. */
  public static boolean areNone() {
    return !active;
  }

  /** A record was read; map() has not seen it. {@code ordinal} is 1-based. */
  public static void beforeRecord(long ordinal) {
    if (ordinal >= nextRecord) {
      boolean histogram = records.isHistogram(nextRecord);
      nextRecord = after(ordinal, records.ordinals, doublesRecords);
      probe("before_record", ordinal, Position.UNKNOWN, histogram);
    }
  }

  /** reduce() is about to be called for a group. */
  public static void beforeGroup(long ordinal, long digest) {
    if (ordinal >= nextGroup) {
      boolean histogram = groups.isHistogram(nextGroup);
      nextGroup = after(ordinal, groups.ordinals, doublesGroups);
      probe("before_group", ordinal, Position.UNKNOWN, histogram);
    }
  }

  /** A record of a group is about to be handed to reduce(). */
  public static void beforeRecordInGroup(long group, long groupDigest, long ordinal) {
    if (active && ordinal == 1) {
      inGroup = pointsOf(IN_GROUPS, -1, -1, group, groupDigest);
      nextInGroup = after(0, inGroup.ordinals, doublesInGroup);
    }
    if (ordinal >= nextInGroup) {
      boolean histogram = inGroup.isHistogram(nextInGroup);
      nextInGroup = after(ordinal, inGroup.ordinals, doublesInGroup);
      probe("in_group", ordinal, group, histogram);
    }
  }

  /** A record of a group is about to be handed to combine(). */
  public static void beforeCombineRecord(
      int spill, int partition, long group, long groupDigest, long ordinal) {
    if (active && ordinal == 1) {
      inCombine = pointsOf(IN_COMBINES, spill, partition, group, groupDigest);
      nextInCombine = after(0, inCombine.ordinals, false);
    }
    if (ordinal >= nextInCombine) {
      boolean histogram = inCombine.isHistogram(nextInCombine);
      nextInCombine = after(ordinal, inCombine.ordinals, false);
      probe("in_combine", ordinal, group, histogram);
    }
  }

  // ---- for the agent ---------------------------------------------------------------------------

  static void configure(Plan plan) {
    active = plan.mode() == Mode.PROFILE;
    byHistogram = plan.probeByHistogram();
    points = plan.points();
    made = 0;
    mostHistograms = plan.histograms();
    COUNTED.clear();
    KEPT.clear();
    IN_GROUPS.clear();
    IN_COMBINES.clear();
    nextRecord = nextGroup = nextInGroup = nextInCombine = NEVER;
    if (!active) {
      return;
    }
    doublesRecords = plan.doubling().equals("map");
    doublesGroups = plan.doubling().equals("group");
    doublesInGroup = plan.doubling().equals("in_group");
    thins = doublesRecords || doublesGroups || doublesInGroup;
    records = plan.beforeRecord();
    groups = plan.beforeGroup();
    IN_GROUPS.addAll(plan.inGroup());
    IN_GROUPS.addAll(plan.inGroupDigest());
    IN_COMBINES.addAll(plan.inCombine());
    IN_COMBINES.addAll(plan.inCombineDigest());
    nextRecord = after(0, records.ordinals, doublesRecords);
    nextGroup = after(0, groups.ordinals, doublesGroups);
  }

  /** A probe while the user's set-up has read that many bytes. */
  static void setupProbe(long bytesRead) {
    if (active) {
      probe("setup_bytes", bytesRead, Position.UNKNOWN, false);
    }
  }

  /** The dump before, or after, the record of a verify attempt; whether one was made. */
  static boolean verifyProbe(String point, long ordinal) {
    int before = made;
    probe(point, ordinal, Position.UNKNOWN, false);
    return made > before;
  }

  /** Whether dumps may still be deleted by thinning, so that copying them is for later. */
  static boolean thins() {
    return thins;
  }

  /** The next ordinal above {@code ordinal}, from a list or by doubling. */
  static long after(long ordinal, long[] ordinals, boolean doubles) {
    if (doubles) {
      return ordinal < 1 ? 1 : Math.max(Long.highestOneBit(ordinal) << 1, 2);
    }
    int at = Arrays.binarySearch(ordinals, ordinal + 1);
    at = at < 0 ? -at - 1 : at;
    return at < ordinals.length ? ordinals[at] : NEVER;
  }

  private static Plan.Points pointsOf(
      List<Plan.InGroup> plans, long spill, long partition, long group, long digest) {
    for (Plan.InGroup plan : plans) {
      if (plan.matches(spill, partition, group, digest)) {
        return plan.points;
      }
    }
    return Plan.Points.NONE;
  }

  private static void probe(String point, long ordinal, long group, boolean histogram) {
    try {
      Position.touch();
      if (byHistogram || histogram) {
        count(point, ordinal, group);
      } else {
        dump(point, ordinal, group);
      }
      Statistics.writeAll(false);
    } catch (Throwable fault) {
      Faults.inProbe(fault, point, ordinal);
    }
  }

  private static void count(String point, long ordinal, long group) {
    // A call of combine() for one key may occur in many spills: as with dumps, the first counts.
    if (COUNTED.size() >= mostHistograms || !COUNTED.add(point + ' ' + group + ' ' + ordinal)) {
      skipped(point, ordinal, Reason.of("enough_histograms", "count", COUNTED.size()));
      return;
    }
    // Without room for the table, or on a virtual machine that has no such command, a dump.
    if (!Histograms.probe(point, ordinal, group)) {
      dump(point, ordinal, group);
    }
  }

  private static void dump(String point, long ordinal, long group) {
    if (made >= points && !thins) {
      skipped(point, ordinal, Reason.of("enough_dumps", "count", made));
      return;
    }
    StringBuilder name = new StringBuilder("probe-").append(point);
    if (group != Position.UNKNOWN) {
      name.append('-').append(group);
    }
    if (ordinal != Position.UNKNOWN) {
      name.append('-').append(ordinal);
    }
    Reason why = Dumps.make(name.append(".hprof").toString(), "probe", point, ordinal, group);
    if (why != null) {
      skipped(point, ordinal, why);
      return;
    }
    made++;
    Position.add(Position.PROBES_DONE, 1);
    if (thins) {
      KEPT.add(new File(Attempt.current().dir(), name.toString()));
      thin();
    }
  }

  /** With more dumps than points, deletes every other one, the newest and the first kept. */
  private static void thin() {
    if (KEPT.size() <= points) {
      return;
    }
    for (int i = KEPT.size() - 2; i > 0; i -= 2) {
      File file = KEPT.remove(i);
      if (file.delete()) {
        EventLine line = Events.line("dump_removed").put("file", file.getName());
        Reason.of("thinned").putTo(line, "why").write();
      }
    }
  }

  private static void skipped(String point, long ordinal, Reason why) {
    EventLine line = Events.line("probe_skipped").put("point", point).putKnown("ordinal", ordinal);
    why.putTo(line, "why").at().write();
  }
}
