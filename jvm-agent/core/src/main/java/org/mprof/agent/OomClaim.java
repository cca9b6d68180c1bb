package org.mprof.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Which task of a job makes the heap dump on this node: a file, created exclusively, in a folder
 * that all containers of the user share.
 *
 * <p>The JVM gives no notice before it dumps, so a claim is made when the heap is nearly full after
 * a major collection, or else when the dump is there. Two tasks that die within the same moment
 * without having been nearly full can therefore both dump; a claim whose holder died without a dump
 * is void. Nor does a claim bind another attempt of the same task: of two that run beside each
 * other the job fails with the first that dies, and that need not be the one that was full first.
 *
 * <p>Everybody can write to {@code /tmp}. The folder is used only where it is no link, is this
 * user's, and nobody else can write to it; else no claims are made, and every task may dump.
 */
final class OomClaim {
  /** Fill after a major collection at which a task claims the dump: most of those die. */
  static final double FILL = 0.9;

  private static final long STALE_MS = 7L * 24 * 3600 * 1000;

  private final File place;
  private final Path file;
  private final String task;
  private boolean held;

  /** Another attempt of the task holds it, so that this one may dump too. */
  private boolean shared;

  private long lookedAt;
  private long lookedAtModified;
  private boolean another;

  /** Of a task such as {@code m_000003} of a job. */
  OomClaim(String job, String task) {
    this(sharedFolder(), job, task);
  }

  OomClaim(File folder, String job, String task) {
    this.place = new File(folder, job);
    this.file = place.toPath();
    this.task = task;
  }

  /** Whether this process made the claim. */
  boolean held() {
    return held;
  }

  /**
   * Whether there is one that another process may have made, or turned into that of a dump, since
   * it was looked up; allocates next to nothing.
   */
  boolean isNewOfAnother() {
    long modified = held ? 0 : place.lastModified();
    return modified != 0 && modified != lookedAtModified;
  }

  /** Whether one made it that runs or ran another task, or has dumped; looked up once a second. */
  boolean heldByAnother() {
    if (held) {
      return false;
    }
    long now = System.currentTimeMillis();
    if (now - lookedAt >= 1000) {
      lookedAt = now;
      lookedAtModified = place.lastModified();
      another =
          Files.exists(file, LinkOption.NOFOLLOW_LINKS)
              && PrivateFolder.isOurs(file.getParent())
              && !isVoid()
              && !isOfThisTask();
    }
    return another;
  }

  /**
   * Claims; false where another process was first. Where claims cannot be made, everybody may, and
   * so may another attempt of the task that has claimed.
   */
  boolean take() {
    if (held || shared) {
      return true;
    }
    try {
      PrivateFolder.create(file.getParent());
      if (!PrivateFolder.isOurs(file.getParent())) {
        return true;
      }
      removeStale(file.getParent());
      if (Files.exists(file) && isVoid()) {
        Files.deleteIfExists(file);
      }
      byte[] words = (pid() + " " + task).getBytes(StandardCharsets.US_ASCII);
      Files.write(file, words, StandardOpenOption.CREATE_NEW);
      held = true;
      return true;
    } catch (FileAlreadyExistsException e) {
      shared = isOfThisTask();
      another = !shared;
      lookedAt = System.currentTimeMillis();
      return shared;
    } catch (IOException | RuntimeException e) {
      return true;
    }
  }

  /** The dump is made: the claim stands for good, whatever becomes of this process. */
  void keep() {
    if (held || shared) {
      try {
        Files.write(file, "dumped".getBytes(StandardCharsets.US_ASCII));
      } catch (IOException | RuntimeException e) {
        // Another dump on this node is the worst that follows.
      }
    }
  }

  /** Gives the claim up: this process ends without a dump. */
  void release() {
    if (held) {
      held = false;
      try {
        if (words()[0].equals(pid())) { // else another attempt of the task has dumped
          Files.deleteIfExists(file);
        }
      } catch (IOException | RuntimeException e) {
        // It becomes void with this process.
      }
    }
  }

  /** A claim whose process is gone and that was not kept. */
  private boolean isVoid() {
    try {
      String holder = words()[0];
      boolean isPid = !holder.isEmpty() && holder.chars().allMatch(Character::isDigit);
      return isPid && new File("/proc/self").exists() && !new File("/proc/" + holder).exists();
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** A claim of an attempt of this task, which has not dumped. */
  private boolean isOfThisTask() {
    try {
      String[] words = words();
      return words.length > 1 && words[1].equals(task);
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** The process that claimed, and its task; one word where the dump was made. */
  private String[] words() throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.US_ASCII).trim().split(" ");
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
