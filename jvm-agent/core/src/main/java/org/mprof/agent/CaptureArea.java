package org.mprof.agent;

import java.io.File;
import java.io.IOException;
import java.net.URI;

/**
 * What this attempt may copy to the capture area, a folder that all jobs of a cluster share.
 *
 * <p>Each job gets a folder for its owner alone, {@code AREA/JOB_ID/ATTEMPT_ID/}. Of an attempt in
 * which memory has not run out nothing is copied. Of the others, {@link #ATTEMPTS} of a job copy
 * events and position, and {@link #DUMPS} their heap dump, however many fail at the same moment:
 * each claims one of so many empty files first, which exactly one can make.
 */
final class CaptureArea {
  /** As many as are compared with each other; a job has failed after four of one task. */
  static final int ATTEMPTS = 16;

  /** Of a map and of a reduce task, say. Those beyond are deleted: they would fill the logs. */
  static final int DUMPS = 2;

  private static final Reason NO_MORE_ATTEMPTS = Reason.of("enough_attempts", "count", ATTEMPTS);
  private static final Reason NO_MORE_DUMPS = Reason.of("enough_dumps", "count", DUMPS);

  private final URI job;
  private final URI attempt;
  private final int index;
  private boolean admitted;
  private boolean dumpAdmitted;

  private CaptureArea(URI job, URI attempt, int index) {
    this.job = job;
    this.attempt = attempt;
    this.index = index;
  }

  /** For an attempt of a task; {@code area} is a folder's URI. */
  static CaptureArea of(String area, Attempt attempt) {
    URI base = URI.create(area.endsWith("/") ? area : area + "/");
    URI job = base.resolve(attempt.job() + "/");
    return new CaptureArea(job, job.resolve(attempt.id() + "/"), attempt.index());
  }

  /** Where the files of this attempt go. */
  URI folder() {
    return attempt;
  }

  /** Null once this attempt may copy its events, else why it may not. */
  Reason admit(CaptureCopier copier) throws IOException {
    if (!admitted) {
      copier.makePrivate(job);
      admitted = claim(copier, ".attempt-", ATTEMPTS);
    }
    return admitted ? null : NO_MORE_ATTEMPTS;
  }

  /** Null once this attempt, which was admitted, may copy a dump, else why it may not. */
  Reason admitDump(CaptureCopier copier, File dump) throws IOException {
    long[] space = copier.usedAndUsable(job);
    long bytes = dump.length() * copier.replicas(job);
    Reason full = Dumps.noRoom(space[0], space[1], bytes, Settings.current().diskPercent());
    if (full != null) {
      return full;
    }
    dumpAdmitted = dumpAdmitted || claim(copier, ".dump-", DUMPS);
    return dumpAdmitted ? null : NO_MORE_DUMPS;
  }

  /** Whether a dump that may not be copied is of no use to anybody. */
  static boolean isSuperfluous(Reason refused) {
    return refused == NO_MORE_DUMPS;
  }

  /** Begins at another number in each task, so that few of them meet. */
  private boolean claim(CaptureCopier copier, String prefix, int most) throws IOException {
    for (int i = 0; i < most; i++) {
      if (copier.claim(job, prefix + (1 + (index + i) % most))) {
        return true;
      }
    }
    return false;
  }
}
