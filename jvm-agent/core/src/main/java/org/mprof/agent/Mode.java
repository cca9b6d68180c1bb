package org.mprof.agent;

import java.util.Locale;

/** What the agent does in a task. */
public enum Mode {
  /** Nothing at all. */
  OFF,
  /** Counts, events, collections, a few histograms, the first OutOfMemoryError. */
  WATCH,
  /** As watch, and probes at the points of the plan. */
  PROFILE,
  /** Hands one record to the user's code, after a few to warm up, and fails before the commit. */
  VERIFY;

  /** The mode of that name, or null. */
  static Mode parse(String name) {
    for (Mode mode : values()) {
      if (mode.word().equals(name)) {
        return mode;
      }
    }
    return null;
  }

  /** The name as it stands in settings, plans and events. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
