package org.mprof.hadoop;

import java.io.IOException;
import java.lang.ref.WeakReference;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.Seekable;

/**
 * How much of a split's files has been read, for readers that do not say how far they are.
 *
 * <p>A reader of combined files answers 0 until it is done with the first of them. The position in
 * the file that it reads tells, as long as nobody else opens the same files: then nothing is known.
 */
final class SplitReads {
  private static final float UNKNOWN = -1;

  private static volatile SplitReads current;

  private final String[] paths;
  private final long[] starts;
  private final long[] lengths;
  private long total;
  private int chunk = -1;
  private WeakReference<Seekable> stream = new WeakReference<>(null);
  private boolean spoiled;

  private SplitReads(Path[] paths, long[] starts, long[] lengths) {
    this.paths = new String[paths.length];
    for (int i = 0; i < paths.length; i++) {
      this.paths[i] = paths[i].toUri().getPath();
      total += lengths[i];
    }
    this.starts = starts;
    this.lengths = lengths;
  }

  /** The split of the task that begins. */
  static void of(Path[] paths, long[] starts, long[] lengths) {
    // A split of somebody's own may answer anything.
    boolean fits =
        starts != null
            && lengths != null
            && starts.length == paths.length
            && lengths.length == paths.length;
    current = fits ? new SplitReads(paths, starts, lengths) : null;
  }

  /** The split is of no files. */
  static void ofNoFiles() {
    current = null;
  }

  /**
   * A file of the split was opened.
   *
   * @param byReader whether the record reader opened it
   */
  static void opened(String path, Object stream, boolean byReader) {
    SplitReads reads = current;
    if (reads != null) {
      reads.next(path, stream, byReader);
    }
  }

  /** Whether no file of the split was opened yet. */
  static boolean isUntouched() {
    SplitReads reads = current;
    return reads != null && reads.chunk < 0;
  }

  private synchronized void next(String path, Object opened, boolean byReader) {
    int next = chunk + 1;
    boolean isNext = next < paths.length && paths[next].equals(path);
    boolean isAgain = chunk >= 0 && paths[chunk].equals(path);
    // Of two parts of one file it is not known which one was opened.
    if (!byReader || !(opened instanceof Seekable) || isNext == isAgain) {
      spoiled = true;
      return;
    }
    if (isNext) {
      chunk = next;
    }
    stream = new WeakReference<>((Seekable) opened);
  }

  /**
   * The share of the split that was read.
   *
   * @param answered what the reader answers: one of combined files counts whole files, one that
   *     does not care answers 0
   */
  static float orBetter(float answered) {
    SplitReads reads = current;
    if (reads == null || answered > 0 && reads.paths.length == 1) {
      return answered;
    }
    return Math.max(answered, reads.read());
  }

  private synchronized float read() {
    Seekable reading = stream.get();
    if (spoiled || reading == null || total <= 0) {
      return UNKNOWN;
    }
    long before = 0;
    for (int i = 0; i < chunk; i++) {
      before += lengths[i];
    }
    try {
      long inside = reading.getPos() - starts[chunk];
      return (before + Math.max(0, Math.min(lengths[chunk], inside))) / (float) total;
    } catch (IOException e) {
      return UNKNOWN;
    }
  }
}
