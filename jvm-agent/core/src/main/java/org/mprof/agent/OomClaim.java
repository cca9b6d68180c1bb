package org.mprof.agent;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which task of a job makes the heap dump on this node: a file in a folder that all containers of
 * the user share.
 *
 * <p>Which of several full tasks dies first is not known before it does, and the JVM gives no
 * notice before it dumps. So a task whose heap is nearly full announces where its dump would be,
 * and that binds nobody: all of them stay armed. Bound are they by a dump that is there, and by one
 * that is being written: the file which a living process has announced. Tasks that die in the same
 * moment can therefore dump at once; the first that is done says so, and the others take theirs
 * away. What a process announced that is gone is void.
 *
 * <p>Lines are appended and never changed: {@code PID PATH} announces, {@code dumped PID} says that
 * a dump is complete. The word {@code dumped} alone is that of agents before 28 November 2026.
 *
 * <p>Everybody can write to {@code /tmp}. The folder is used only where it is no link, is this
 * user's, and nobody else can write to it; else nothing is announced, and every task may dump.
 */
final class OomClaim {
  /** Fill after a major collection at which a task announces its dump: most of those die. */
  static final double FILL = 0.9;

  private static final long STALE_MS = 7L * 24 * 3600 * 1000;

  private static final String DUMPED = "dumped";

  /** Of a longer file the rest is not read, into a heap that is nearly full. */
  private static final int MOST_BYTES = 64 * 1024;

  private static final File[] NONE = {};

  private static final OpenOption[] HOW = {
    StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS
  };

  private final File place;
  private final Path file;
  private final File dump;

  private long lookedAt;
  private long lookedAtModified;
  private boolean another;
  private boolean dumping;

  /** Dumps that other living processes may be writing. */
  private File[] others = NONE;

  private int ahead;
  private boolean announced;

  /** Of a task that would write that dump. */
  OomClaim(String job, File dump) {
    this(sharedFolder(), job, dump);
  }

  OomClaim(File folder, String job, File dump) {
    this.place = new File(folder, job);
    this.file = place.toPath();
    this.dump = dump;
  }

  /**
   * Whether something may have changed since it was looked up: another process has written to the
   * file, or has begun to dump. Allocates next to nothing.
   */
  boolean isNewOfAnother() {
    long modified = place.lastModified();
    if (modified != 0 && modified != lookedAtModified) {
      return true;
    }
    return anyExists() != dumping;
  }

  private boolean anyExists() {
    for (File each : others) {
      if (each.exists()) {
        return true;
      }
    }
    return false;
  }

  /** Whether another task has dumped, or is writing a dump; looked up once a second. */
  boolean heldByAnother() {
    if (System.currentTimeMillis() - lookedAt >= 1000) {
      look();
    }
    return another;
  }

  /** The same, looked up now. */
  boolean isHeldNow() {
    look();
    return another;
  }

  /** Living tasks that have announced a dump before this one, and have not begun it. */
  int ahead() {
    return ahead;
  }

  /** Says that the heap is nearly full, so that a dump may follow at any moment. */
  void announce() {
    if (!announced) {
      announced = append(pid() + " " + dump.getPath());
      look();
    }
  }

  /**
   * The dump is made: that stands for good, whatever becomes of this process.
   *
   * @return whether it is the first; where it is not, that of another task is there
   */
  boolean keep() {
    if (!append(DUMPED + " " + pid())) {
      return true;
    }
    for (String line : lines()) {
      if (line.startsWith(DUMPED)) {
        return line.equals(DUMPED + " " + pid());
      }
    }
    return true;
  }

  /** Takes back what was announced: this process ends without a dump. */
  void release() {
    if (!announced) {
      return;
    }
    announced = false;
    String own = pid() + " ";
    for (String line : lines()) {
      if (line.startsWith(DUMPED) || !line.startsWith(own) && isAlive(line)) {
        return; // it becomes void with this process
      }
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException | RuntimeException e) {
      // It is removed with those of jobs that ended long ago.
    }
  }

  private void look() {
    lookedAt = System.currentTimeMillis();
    lookedAtModified = place.lastModified();
    another = false;
    dumping = false;
    ahead = 0;
    others = NONE;
    if (lookedAtModified == 0 || !PrivateFolder.isOurs(file.getParent())) {
      return;
    }
    List<File> dumps = new ArrayList<>();
    String own = pid() + " ";
    boolean before = true;
    for (String line : lines()) {
      if (line.startsWith(DUMPED)) {
        another |= !line.equals(DUMPED + " " + pid());
      } else if (line.startsWith(own)) {
        before = false;
      } else if (isAlive(line)) {
        File of = new File(line.substring(line.indexOf(' ') + 1));
        dumps.add(of);
        ahead += before ? 1 : 0;
      }
    }
    others = dumps.toArray(NONE);
    dumping = anyExists();
    another |= dumping;
  }

  /** Lines of the file; none where there is no file, where it is a link, or where it is torn. */
  private List<String> lines() {
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return Collections.emptyList();
      }
      byte[] bytes = new byte[(int) Math.min(Files.size(file), MOST_BYTES)];
      try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
        in.readFully(bytes);
      }
      return Arrays.asList(new String(bytes, StandardCharsets.UTF_8).split("\n"));
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }

  /** Whether the process lives that has written the line {@code PID PATH}. */
  private static boolean isAlive(String line) {
    int end = line.indexOf(' ');
    if (end <= 0 || end == line.length() - 1) {
      return false;
    }
    String holder = line.substring(0, end);
    boolean isPid = holder.chars().allMatch(Character::isDigit);
    return isPid && (!new File("/proc/self").exists() || new File("/proc/" + holder).exists());
  }

  /** Adds a line; false where that cannot be done, or is not safe. */
  private boolean append(String line) {
    try {
      PrivateFolder.create(file.getParent());
      if (!PrivateFolder.isOurs(file.getParent())) {
        return false;
      }
      removeStale(file.getParent());
      Set<OpenOption> how = new HashSet<>(Arrays.asList(HOW));
      try (SeekableByteChannel out =
          Files.newByteChannel(
              file,
              how,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        // In one call, so that lines of several processes do not mix.
        out.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
      }
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** Claims of jobs that ended long ago; nothing else. */
  private static void removeStale(Path folder) {
    File[] files = folder.toFile().listFiles();
    long oldest = System.currentTimeMillis() - STALE_MS;
    for (File each : files == null ? new File[0] : files) {
      boolean isClaim = each.getName().startsWith("job_");
      if (isClaim && each.lastModified() < oldest && !each.isDirectory()) {
        each.delete();
      }
    }
  }

  /** java.io.tmpdir of a container is its own; /tmp is the node's. */
  private static File sharedFolder() {
    File tmp = new File("/tmp");
    File base = tmp.isDirectory() ? tmp : new File(System.getProperty("java.io.tmpdir"));
    return new File(base, "mprof-" + System.getProperty("user.name", "unknown"));
  }

  private static String pid() {
    return Agent.pid();
  }
}
