package org.mprof.agent;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The probe plan of this task, see {@code docs/reference/probe-plan.md}. */
public final class Plan {
  private static final int DEFAULT_POINTS = 8;
  private static final int DEFAULT_HISTOGRAMS = 64;
  private static final int DEFAULT_WARM_UP = 16;

  /** Before the name of a property: the plan is for jobs that have this value only. */
  private static final String OF_JOB = "job.";

  /** After an ordinal: the probe there is a class histogram. */
  private static final String HISTOGRAM = "h";

  private static final int MOST_HOLD_SECONDS = 1800;
  private static final Plan NONE =
      new Plan(Collections.<String, String>emptyMap(), "", Mode.WATCH, Complaints.IGNORED);

  private static volatile Plan current = NONE;

  private final Map<String, String> lines;
  private final String task;
  private final Complaints complain;
  private final Mode mode;

  private Plan(Map<String, String> lines, String task, Mode otherwise, Complaints complain) {
    this.lines = lines;
    this.task = task;
    this.complain = complain;
    Mode byDefault = modeAt("default", otherwise);
    this.mode = task.isEmpty() ? byDefault : modeAt(task + ".mode", byDefault);
  }

  /** The plan of this process; without any point before the agent has started. */
  public static Plan current() {
    return current;
  }

  static void use(Plan plan) {
    current = plan;
  }

  /**
   * Reads the plan for one task; a missing file is an empty plan, so is one that is not understood.
   */
  static Plan read(File file, String task, Mode otherwise, Complaints complain) {
    return read(file, task, otherwise, new File(JobFile.NAME), complain);
  }

  /**
   * Reads the plan for one task of the job whose configuration is in a file. In another job than
   * the plan is for, the task is one that the plan does not name.
   */
  static Plan read(File file, String task, Mode otherwise, File job, Complaints complain) {
    Map<String, String> lines = new HashMap<>();
    if (file.exists()) {
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          int equals = line.indexOf('=');
          if (equals > 0 && !line.startsWith("#")) {
            lines.put(line.substring(0, equals).trim(), line.substring(equals + 1).trim());
          }
        }
        String version = lines.get("version");
        if (!"1".equals(version)) {
          complain.accept("the plan has version " + version + ", not 1, and is ignored: " + file);
          lines.clear();
        }
      } catch (IOException e) {
        complain.accept("the plan cannot be read and is ignored: " + e);
        lines.clear();
      }
    }
    return new Plan(lines, isFor(job, lines, complain) ? task : "", otherwise, complain);
  }

  /** A driver may start several jobs, and each has a task of this name. */
  private static boolean isFor(File job, Map<String, String> lines, Complaints complain) {
    JobFile properties = null;
    for (Map.Entry<String, String> line : lines.entrySet()) {
      if (!line.getKey().startsWith(OF_JOB)) {
        continue;
      }
      try {
        properties = properties == null ? JobFile.read(job) : properties;
      } catch (IOException | RuntimeException e) {
        complain.accept(
            "the plan is for one of several jobs, and which this is cannot be read: " + e);
        return false;
      }
      String value = properties.value(line.getKey().substring(OF_JOB.length()));
      if (!line.getValue().equals(value == null ? "" : value.trim())) {
        return false;
      }
    }
    return true;
  }

  /** What the agent does in this task. */
  public Mode mode() {
    return mode;
  }

  /** Records of map() before which a probe is made. */
  Points beforeRecord() {
    return points(text("before_record"));
  }

  /** Groups of reduce() before which a probe is made. */
  Points beforeGroup() {
    return points(text("before_group"));
  }

  /** Records inside one group, the group told by ordinal. */
  List<InGroup> inGroup() {
    return inGroups("in_group");
  }

  /** Records inside one group, the group told by digest. */
  List<InGroup> inGroupDigest() {
    return inGroups("in_group_digest");
  }

  /** Records inside one call of combine(), told by spill, partition and group. */
  List<InGroup> inCombine() {
    return inGroups("in_combine");
  }

  /** Records inside one call of combine(), told by the digest of its key. */
  List<InGroup> inCombineDigest() {
    return inGroups("in_combine_digest");
  }

  /** Bytes read between two probes while nothing was read as input; 0 for none. */
  long setupBytes() {
    return number("setup_bytes", 0);
  }

  /** {@code map}, {@code group}, {@code in_group}, or "". */
  String doubling() {
    return text("doubling");
  }

  /** Most probe dumps to keep. */
  int points() {
    return (int) Math.max(1, Math.min(1000, number("points", DEFAULT_POINTS)));
  }

  /** Most probe histograms to make. */
  int histograms() {
    return (int) Math.max(0, Math.min(1000, number("histograms", DEFAULT_HISTOGRAMS)));
  }

  /** Whether all probes are histograms, whatever stands at their ordinals. */
  boolean probeByHistogram() {
    return text("probe").equals("histogram");
  }

  /** Ordinal of the record of map() that alone is left out, or not known. */
  long leaveOutRecord() {
    return number("leave_out_record", Position.UNKNOWN);
  }

  /** Digest of the key of the group of reduce() and combine() that is left out, or not known. */
  long leaveOutGroup() {
    return digest(text("leave_out_group"));
  }

  /** {@code map}, {@code reduce}, {@code combine}, or "". */
  public String verifyPlace() {
    return text("verify_place");
  }

  /** Ordinal of the record to verify in map(), or not known. */
  public long verifyRecord() {
    return number("verify_record", Position.UNKNOWN);
  }

  /** Digest of the record to verify, or not known. */
  public long verifyDigest() {
    return digest(text("verify_digest"));
  }

  /** Digest of its group's key, or not known. */
  public long verifyGroup() {
    return digest(text("verify_group"));
  }

  /** Bytes that were live before that record in the job, or not known. */
  long verifyLive() {
    return number("verify_live", Position.UNKNOWN);
  }

  /** {@code least} or {@code most} where that is a bound of what was live, or "". */
  String verifyLiveIs() {
    return text("verify_live_is");
  }

  /** Most records that the user's code is given before that one. */
  int verifyWarmUp() {
    return (int) Math.max(0, Math.min(1000, number("verify_warm_up", DEFAULT_WARM_UP)));
  }

  /** Seconds that a verify attempt waits before it fails, and with it the job. */
  public int verifyHoldSeconds() {
    return (int) Math.max(0, Math.min(MOST_HOLD_SECONDS, number("verify_hold", 0)));
  }

  private Mode modeAt(String key, Mode otherwise) {
    String word = lines.get(key);
    if (word == null) {
      return otherwise;
    }
    Mode parsed = Mode.parse(word);
    if (parsed == null) {
      complain.accept("bad mode in the plan: " + key + "=" + word);
      return otherwise;
    }
    return parsed;
  }

  private String text(String key) {
    return task.isEmpty() ? "" : lines.getOrDefault(task + "." + key, "");
  }

  private long number(String key, long otherwise) {
    String text = text(key);
    try {
      return text.isEmpty() ? otherwise : Long.parseLong(text);
    } catch (NumberFormatException e) {
      complain.accept("bad number in the plan: " + key + "=" + text);
      return otherwise;
    }
  }

  private long digest(String text) {
    try {
      return text.isEmpty() ? Position.UNKNOWN : Long.parseUnsignedLong(text, 16);
    } catch (NumberFormatException e) {
      complain.accept("bad digest in the plan: " + text);
      return Position.UNKNOWN;
    }
  }

  private Points points(String list) {
    long[] all = new long[list.isEmpty() ? 0 : list.split(",").length];
    long[] counted = new long[all.length];
    int count = 0;
    int histograms = 0;
    for (String word : list.split(",")) {
      String digits = word.trim();
      boolean histogram = digits.endsWith(HISTOGRAM);
      if (histogram) {
        digits = digits.substring(0, digits.length() - HISTOGRAM.length());
      }
      try {
        if (!digits.isEmpty()) {
          all[count] = Long.parseLong(digits);
          if (histogram) {
            counted[histograms++] = all[count];
          }
          count++;
        }
      } catch (NumberFormatException e) {
        complain.accept("bad ordinal in the plan: " + word);
      }
    }
    return new Points(sorted(all, count), sorted(counted, histograms));
  }

  private static long[] sorted(long[] ordinals, int count) {
    long[] sorted = Arrays.copyOf(ordinals, count);
    Arrays.sort(sorted);
    return sorted;
  }

  /** {@code WHERE:ordinals}, more of them separated by semicolons. */
  private List<InGroup> inGroups(String key) {
    List<InGroup> found = new ArrayList<>();
    for (String part : text(key).split(";")) {
      int colon = part.indexOf(':');
      if (colon > 0) {
        InGroup one = inGroup(part.substring(0, colon).trim(), key);
        if (one != null) {
          found.add(one.with(points(part.substring(colon + 1))));
        }
      }
    }
    return found;
  }

  private InGroup inGroup(String where, String key) {
    try {
      if (key.endsWith("_digest")) {
        return new InGroup(-1, -1, -1, Long.parseUnsignedLong(where, 16), Points.NONE);
      }
      String[] parts = where.split("/");
      if (parts.length == 3) {
        return new InGroup(
            Long.parseLong(parts[0]),
            Long.parseLong(parts[1]),
            Long.parseLong(parts[2]),
            Position.UNKNOWN,
            Points.NONE);
      }
      return new InGroup(-1, -1, Long.parseLong(where), Position.UNKNOWN, Points.NONE);
    } catch (NumberFormatException e) {
      complain.accept("bad group in the plan: " + key + "=" + where);
      return null;
    }
  }

  /** Ordinals at which probes are made, and those among them at which it is a histogram. */
  static final class Points {
    static final Points NONE = new Points(new long[0], new long[0]);

    final long[] ordinals;
    private final long[] histograms;

    Points(long[] ordinals, long[] histograms) {
      this.ordinals = ordinals;
      this.histograms = histograms;
    }

    boolean isHistogram(long ordinal) {
      return Arrays.binarySearch(histograms, ordinal) >= 0;
    }
  }

  /** A group, and the records in it before which a probe is made; -1 where it does not matter. */
  static final class InGroup {
    final long spill;
    final long partition;
    final long group;
    final long digest;
    final Points points;

    InGroup(long spill, long partition, long group, long digest, Points points) {
      this.spill = spill;
      this.partition = partition;
      this.group = group;
      this.digest = digest;
      this.points = points;
    }

    InGroup with(Points newPoints) {
      return new InGroup(spill, partition, group, digest, newPoints);
    }

    boolean matches(long otherSpill, long otherPartition, long otherGroup, long otherDigest) {
      if (digest != Position.UNKNOWN) {
        return digest == otherDigest;
      }
      return group == otherGroup
          && (spill < 0 || spill == otherSpill && partition == otherPartition);
    }
  }
}
