package org.mprof.agent;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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

  private static final File PROC = new File("/proc");

  private static final String DUMPED = "dumped";

  /** Of a longer file the rest is not read, into a heap that is nearly full. */
  private static final int MOST_BYTES = 64 * 1024;

  private static final File[] NONE = {};

  private static final Set<OpenOption> HOW =
      new HashSet<OpenOption>(
          Arrays.asList(
              StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS));

  private final File place;
  private final Path file;
  private final String words;

  /** Lines that are written without an allocation. */
  private ByteBuffer announcement;

  private ByteBuffer completion;

  /** Null where it is not opened, or where that is not safe: then every task may dump. */
  private FileChannel out;

  /** Bytes of the file that were looked up, or written by this process. */
  private long known;

  /** Whether another task has dumped: that stands for good. */
  private boolean complete;

  private boolean announced;
  private boolean kept;

  /** Dumps that other processes have announced, and of each the folder of its living process. */
  private File[] dumps = NONE;

  private File[] processes = NONE;

  /** So many of them were announced before this process did. */
  private int before;

  /** Of a task that would write that dump. */
  OomClaim(String job, File dump) {
    this(sharedFolder(), job, dump);
  }

  OomClaim(File folder, String job, File dump) {
    this.place = new File(folder, job);
    this.file = place.toPath();
    this.words = pid() + " " + dump.getPath();
  }

  private static ByteBuffer line(String words) {
    byte[] bytes = (words + "\n").getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
    buffer.put(bytes).flip();
    return buffer;
  }

  /**
   * Opens the file while the heap has room. What is done later allocates nothing unless another
   * task has written: in a full heap each object costs a full collection.
   */
  void open() {
    try {
      Path folder = file.getParent();
      PrivateFolder.create(folder);
      if (PrivateFolder.isOurs(folder)) {
        removeStale(folder);
        announcement = line(words);
        completion = line(DUMPED + " " + pid());
        out =
            FileChannel.open(
                file,
                HOW,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        out.size(); // the first call of a channel allocates
        look();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      out = null; // direct memory may be limited to less than two lines
    }
  }

  /** Whether another task has dumped, or is writing a dump. */
  boolean isHeld() {
    if (out != null && !complete && place.length() != known) {
      look();
    }
    return complete || anyDumps();
  }

  private boolean anyDumps() {
    for (int i = 0; i < dumps.length; i++) {
      if (dumps[i].exists() && isAlive(processes[i])) {
        return true;
      }
    }
    return false;
  }

  /** Living tasks that have announced a dump before this one, and have not begun it. */
  int ahead() {
    int count = 0;
    for (int i = 0; i < before; i++) {
      count += isAlive(processes[i]) ? 1 : 0;
    }
    return count;
  }

  /** Says that the heap is nearly full, so that a dump may follow at any moment. */
  void announce() {
    announced = announced || append(announcement);
  }

  /**
   * The dump is made: that stands for good, whatever becomes of this process.
   *
   * @return whether it is the first; where it is not, that of another task is there
   */
  boolean keep() {
    kept = append(completion);
    if (!kept || !complete && place.length() == known) {
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
    if (out == null) {
      return;
    }
    try {
      isHeld();
      boolean isOfAnother = complete;
      for (File process : processes) {
        isOfAnother |= isAlive(process);
      }
      if (!isOfAnother && !kept) {
        Files.deleteIfExists(file); // else it becomes void with this process
      }
      out.close();
    } catch (IOException | RuntimeException e) {
      // It is removed with those of jobs that ended long ago.
    }
    out = null;
  }

  private void look() {
    known = place.length();
    List<File> announcedDumps = new ArrayList<>();
    List<File> theirProcesses = new ArrayList<>();
    String own = pid() + " ";
    int others = -1;
    for (String line : lines()) {
      int end = line.indexOf(' ');
      if (line.startsWith(DUMPED)) {
        complete |= !line.equals(DUMPED + " " + pid());
      } else if (line.startsWith(own)) {
        others = announcedDumps.size();
      } else if (isPid(line, end) && isAlive(process(line.substring(0, end)))) {
        announcedDumps.add(new File(line.substring(end + 1)));
        theirProcesses.add(process(line.substring(0, end)));
      }
    }
    before = others < 0 ? announcedDumps.size() : others;
    processes = theirProcesses.toArray(NONE);
    dumps = announcedDumps.toArray(NONE);
  }

  /** Lines of the file; none where there is none, or where it is torn. */
  private List<String> lines() {
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      byte[] bytes = new byte[(int) Math.min(Files.size(file), MOST_BYTES)];
      in.readFully(bytes);
      return Arrays.asList(new String(bytes, StandardCharsets.UTF_8).split("\n"));
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }

  /** Whether the line is {@code PID PATH}, with that end of the first word. */
  private static boolean isPid(String line, int end) {
    for (int i = 0; i < end; i++) {
      if (line.charAt(i) < '0' || line.charAt(i) > '9') {
        return false;
      }
    }
    return end > 0 && end < line.length() - 1;
  }

  private static File process(String pid) {
    return new File(PROC, pid);
  }

  /** Where there is no /proc every process counts as living. */
  private static boolean isAlive(File process) {
    return process.exists() || !PROC.isDirectory();
  }

  /** Adds a line; false where that cannot be done, or is not safe. */
  private boolean append(ByteBuffer line) {
    if (out == null) {
      return false;
    }
    try {
      if (!write(line)) {
        // A task that ended has removed the file, and the channel leads nowhere.
        out.close();
        open();
        return out != null && write(line);
      }
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** Whether the file has the line, written in one call so that those of several do not mix. */
  private boolean write(ByteBuffer line) throws IOException {
    long length = place.length();
    line.rewind();
    int written = out.write(line);
    if (length == known) {
      known += written;
    }
    return written == line.limit() && place.length() >= length + written;
  }

  /** Claims of jobs that ended long ago; nothing else. */
  private static void removeStale(Path folder) {
    File[] files = folder.toFile().listFiles();
    long oldest = System.currentTimeMillis() - STALE_MS;
    for (File each : files == null ? NONE : files) {
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
