package org.mprof.agent;

import java.io.File;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Copies the events at intervals, and finished dumps, to the capture folder. */
public final class Copying {
  private static final List<CaptureCopier> COPIERS = new CopyOnWriteArrayList<>();

  private Copying() {}

  /** Adds a copier; later ones are asked first. */
  public static void use(CaptureCopier copier) {
    COPIERS.add(0, copier);
  }

  /** Has a finished file copied soon. */
  static void offer(File finished) {}
}
