package org.mprof.agent;

import java.util.LinkedHashMap;
import java.util.Map;

/** The agent's settings, as listed in {@code docs/reference/agent-settings.md}. */
public final class Settings {
  private static final Settings NONE = parse("", Complaints.IGNORED);
  private static volatile Settings current = NONE;

  private final Map<String, String> given;
  private final Complaints complain;

  private Settings(Map<String, String> given, Complaints complain) {
    this.given = given;
    this.complain = complain;
  }

  /** The settings of this process; the defaults before the agent has started. */
  public static Settings current() {
    return current;
  }

  static void use(Settings settings) {
    current = settings;
  }

  /** Parses {@code key=value,key=value}; each complaint is one line. */
  static Settings parse(String arguments, Complaints complain) {
    Map<String, String> given = new LinkedHashMap<>();
    for (String pair : (arguments == null ? "" : arguments).split(",")) {
      int equals = pair.indexOf('=');
      if (equals > 0 && isKnown(pair.substring(0, equals).trim())) {
        given.put(pair.substring(0, equals).trim(), pair.substring(equals + 1).trim());
      } else if (!pair.trim().isEmpty()) {
        complain.accept("setting not understood, ignored: " + pair.trim());
      }
    }
    return new Settings(given, complain);
  }

  private static boolean isKnown(String key) {
    switch (key) {
      case "mode":
      case "plan":
      case "dir":
      case "capture":
      case "capture.area":
      case "copy.seconds":
      case "oom.dump":
      case "disk.percent":
      case "events.bytes":
      case "histograms":
      case "histogram.percent":
      case "histogram.share":
      case "keys":
      case "rest.seconds":
      case "run":
        return true;
      default:
        return false;
    }
  }

  /** Mode of the tasks the plan does not name. */
  public Mode mode() {
    String word = text("mode", "watch");
    Mode mode = Mode.parse(word);
    return mode != null ? mode : bad("mode", word, Mode.WATCH);
  }

  /** The probe plan's file. */
  public String plan() {
    return text("plan", "mprof.plan");
  }

  /** Where events, position and dumps go, or null for the container's log folder. */
  public String dir() {
    return text("dir", null);
  }

  /** URI of the capture folder, or null. */
  public String capture() {
    return text("capture", null);
  }

  /** URI of the capture area that all jobs of a cluster share, or null. */
  public String captureArea() {
    return text("capture.area", null);
  }

  /** Seconds between copies to the capture folder; 0: as often as a name node bears it. */
  public int copySeconds() {
    return (int) number("copy.seconds", 0, 0, 86_400);
  }

  /** Whether the dump on the first OutOfMemoryError may be armed. */
  public boolean oomDump() {
    return choice("oom.dump", "first", "never").equals("first");
  }

  /** No dump when the disk is fuller than this, in per cent. */
  public int diskPercent() {
    return (int) number("disk.percent", 80, 0, 100);
  }

  /** Upper bound of the event log in bytes. */
  public long eventsBytes() {
    return number("events.bytes", 32L << 20, 0, Long.MAX_VALUE);
  }

  /** Number of live class histograms in watch mode. */
  public int histograms() {
    return (int) number("histograms", 4, 0, 1000);
  }

  /** No histogram below this fill of the old generation, in per cent. */
  public int histogramPercent() {
    return (int) number("histogram.percent", 70, 70, 100);
  }

  /** What part of the time a task has run may go into histograms in watch mode, in per cent. */
  public int histogramShare() {
    return (int) number("histogram.share", 1, 0, 100);
  }

  /** Whether keys may appear as text beside their digest. */
  public boolean keysAsText() {
    return choice("keys", "digest", "text").equals("text");
  }

  /**
   * How long the rest of the group may be counted after an OutOfMemoryError, in seconds; 0: not.
   */
  public int restSeconds() {
    return (int) number("rest.seconds", 5, 0, 600);
  }

  /** Id of the run, or null. */
  public String run() {
    return text("run", null);
  }

  private String text(String key, String otherwise) {
    String value = given.get(key);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private String choice(String key, String first, String second) {
    String value = text(key, first);
    return value.equals(first) || value.equals(second) ? value : bad(key, value, first);
  }

  private long number(String key, long otherwise, long least, long most) {
    String value = text(key, null);
    if (value == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(value);
      return number >= least && number <= most ? number : bad(key, value, otherwise);
    } catch (NumberFormatException e) {
      return bad(key, value, otherwise);
    }
  }

  private <T> T bad(String key, String value, T otherwise) {
    complain.accept("bad value " + key + "=" + value + ", using " + otherwise);
    return otherwise;
  }
}
