package org.mprof.hadoop;

import java.io.File;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.mprof.agent.Events;
import org.mprof.agent.Position;

/**
 * Files that the task opens through Hadoop's file systems: what the user's code loads beside its
 * input. Its own split, the framework's spills and segments, and the job's files are left out.
 */
public final class Opens {
  private static final int MOST = 64;

  private static final Set<String> INPUTS = Collections.synchronizedSet(new HashSet<String>());
  private static final Set<String> SEEN = Collections.synchronizedSet(new HashSet<String>());

  private static volatile boolean full;

  private Opens() {}

  /** A file of the task's own split. */
  static void input(Path path) {
    if (INPUTS.size() < MOST) {
      INPUTS.add(path.toUri().getPath());
    }
  }

  /** A file was opened; {@code stream} is what the file system returned. */
  public static void opened(Path path, Object stream) {
    if (path == null) {
      return;
    }
    if (!INPUTS.isEmpty() && INPUTS.contains(path.toUri().getPath())) {
      SplitReads.opened(path.toUri().getPath(), stream, MapInput.isReading());
      return;
    }
    if (full || !Places.isUserPhase()) {
      return;
    }
    String plain = path.toUri().getPath();
    if (isFrameworks(plain, path.getName()) || !SEEN.add(plain)) {
      return;
    }
    full = SEEN.size() >= MOST;
    Events.line("open")
        .put("path", path.toString())
        .putKnown("length", length(path, stream))
        .at()
        .write();
  }

  /** Names as in MROutputFiles, YarnOutputFiles, MRJobConfig and JobSubmissionFiles. */
  private static boolean isFrameworks(String path, String name) {
    return name.endsWith(".crc")
        || name.equals("job.xml")
        || name.equals("job.split")
        || name.equals("job.splitmetainfo")
        || name.startsWith("file.out")
        || name.startsWith("spill") && path.contains("attempt_")
        || name.startsWith("map_") && path.contains("attempt_")
        || name.startsWith("intermediate.");
  }

  private static long length(Path path, Object stream) {
    String scheme = path.toUri().getScheme();
    if (scheme == null || scheme.equals("file")) {
      File file = new File(path.toUri().getPath());
      return file.isFile() ? file.length() : visibleLength(stream);
    }
    return visibleLength(stream);
  }

  /** HdfsDataInputStream knows its length; asking a file system would be one more remote call. */
  private static long visibleLength(Object stream) {
    try {
      return (Long) stream.getClass().getMethod("getVisibleLength").invoke(stream);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return Position.UNKNOWN;
    }
  }
}
