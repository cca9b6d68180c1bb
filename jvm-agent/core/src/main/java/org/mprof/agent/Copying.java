package org.mprof.agent;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Copies the events and the position at intervals, and finished dumps, to {@code
 * CAPTURE/ATTEMPT_ID/}. Dumps are large, and a client of a remote file system takes heap of a task
 * that has none to spare: there they are copied when the task has ended. A thread of its own,
 * because a slow file system must delay nothing else. A dump that was copied leaves the log folder:
 * log aggregation would store it once more, and others might read it there.
 *
 * <p>A name node serves all tasks of a cluster: where nothing else is asked for, each makes one
 * change a minute there while it runs.
 *
 * <p>To a {@link CaptureArea} nothing is copied before memory has run out.
 */
public final class Copying {
  /** How long the end of the JVM may wait for the last copy. */
  private static final long LAST_COPY_MS = 10_000;

  /** The same after a failure: there is a dump, and a container is given a minute to end. */
  private static final long LAST_COPY_AFTER_FAILURE_MS = 40_000;

  /**
   * How long it waits where nothing gets through any more: longer than an HDFS client rests at most
   * between two tries of a failover, which is 1.5 times {@code
   * dfs.client.failover.sleep.max.millis}.
   */
  private static final long STALLED_MS = 25_000;

  private static final long LOOK_MS = 250;

  /** From one copy to the next, to a folder that no name node keeps. */
  private static final long LOCAL_MS = 10_000;

  /** What each change of what a name node keeps is to be waited for. */
  private static final long CHANGE_MS = 60_000;

  /** Events and position. */
  private static final int FILES = 2;

  private static final int LAST_TRIES = 3;

  private static final Object WAKE = new Object();

  private static final List<CaptureCopier> COPIERS = new CopyOnWriteArrayList<>();
  private static final ArrayDeque<File> FINISHED = new ArrayDeque<>();

  private static URI folder;

  /** Null for a capture folder, which takes everything. */
  private static CaptureArea area;

  /** Whether there is something that the area takes. */
  private static volatile boolean wanted;

  /** Steps of all copies so far, of copiers that tell. */
  private static volatile long steps;

  private static long copiedBytes = -1;

  /** Files whose copy was begun. */
  private static int copies;

  /** Whether a copy is asked for before its time. */
  private static boolean asked;

  /** Whether memory has run out: what is loaded now is loaded into a full heap. */
  private static volatile boolean full;

  private static boolean failing;
  private static Thread thread;

  static {
    COPIERS.add(new LocalCopier());
  }

  private Copying() {}

  /** Adds a copier; later ones are asked first. */
  public static void use(CaptureCopier copier) {
    COPIERS.add(0, copier);
  }

  /** Something got through: a block of a file, a folder, a rename. Called by one thread a time. */
  public static void moved() {
    steps++;
  }

  /** Has a finished file copied soon. */
  static void offer(File finished) {
    if (folder != null) {
      synchronized (FINISHED) {
        FINISHED.add(finished);
      }
      wanted = true;
      soon();
    }
  }

  /** The task has failed; its last events are copied soon, to an area if memory was the reason. */
  static void failed(boolean ofMemory) {
    for (CaptureCopier each : COPIERS) {
      each.failed();
    }
    if (ofMemory) {
      wanted = true;
      full = true;
    }
    soon();
  }

  /** Copies now rather than at the next interval. */
  static void soon() {
    synchronized (WAKE) {
      asked = true;
      WAKE.notifyAll();
    }
  }

  static void start(String capture, int seconds) {
    String name = Attempt.current().id();
    URI base = URI.create(capture.endsWith("/") ? capture : capture + "/");
    start(base.resolve((name.isEmpty() ? "jvm-" + Agent.pid() : name) + "/"), seconds);
  }

  static void start(CaptureArea target, int seconds) {
    area = target;
    start(target.folder(), seconds);
  }

  private static void start(URI target, int seconds) {
    folder = target;
    // Not by the rehearsal of a failure.
    wanted = area == null;
    asked = false;
    thread =
        new Thread("mprof copy") {
          @Override
          public void run() {
            loop(seconds * 1000L);
          }
        };
    thread.setDaemon(true);
    Faults.contain(thread);
    thread.start();
  }

  /** The last copy, at the end of the JVM; does not wait long. */
  static void finish(boolean afterFailure) {
    if (thread == null || !wanted) {
      return;
    }
    Thread last =
        new Thread("mprof last copy") {
          @Override
          public void run() {
            // Out of memory at the first try, perhaps; what it had begun is garbage by the next.
            boolean copied = false;
            for (int i = 0; i < LAST_TRIES && !copied; i++) {
              try {
                copied = copyAll(true);
              } catch (OutOfMemoryError e) {
                // Not even what went wrong could be said.
                Faults.caught(e, "capture");
              }
            }
          }
        };
    last.setDaemon(true);
    Faults.contain(last);
    last.start();
    long mostMs = afterFailure ? LAST_COPY_AFTER_FAILURE_MS : LAST_COPY_MS;
    try {
      CaptureCopier copier = copier();
      boolean tells = copier != null && copier.tellsProgress(folder);
      long waitedMs = await(last, mostMs, tells ? STALLED_MS : mostMs);
      if (last.isAlive()) {
        report(false, Reason.of("too_slow", "seconds", waitedMs / 1000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for a copy, but no longer than {@code stalledMs} after its last step.
   *
   * @return for how long, in milliseconds
   */
  static long await(Thread copy, long mostMs, long stalledMs) throws InterruptedException {
    long begun = System.nanoTime();
    long lastStepMs = 0;
    long seen = steps;
    long nowMs = 0;
    while (copy.isAlive() && nowMs < mostMs && nowMs - lastStepMs < stalledMs) {
      copy.join(Math.max(1, Math.min(LOOK_MS, mostMs - nowMs)));
      nowMs = (System.nanoTime() - begun) / 1_000_000;
      if (seen != steps) {
        seen = steps;
        lastStepMs = nowMs;
      }
    }
    return nowMs;
  }

  private static void loop(long intervalMs) {
    long begun = System.nanoTime();
    try {
      while (true) {
        awaitTurn(intervalMs, begun);
        copyAll(false);
      }
    } catch (InterruptedException e) {
      // The JVM ends; finish() makes the last copy.
    }
  }

  /** Waits until it is time for the next copy, or one is asked for. */
  private static void awaitTurn(long intervalMs, long begun) throws InterruptedException {
    long since = System.nanoTime();
    synchronized (WAKE) {
      while (!asked) {
        long now = System.nanoTime();
        CaptureCopier copier = copier();
        int changes = copier == null ? 0 : copier.changesPerFile();
        long waited = (now - since) / 1_000_000;
        long left;
        if (intervalMs > 0) {
          left = intervalMs - waited;
        } else if (changes == 0) {
          left = LOCAL_MS - waited;
        } else {
          left = nextMs(copies, changes) - (now - begun) / 1_000_000;
        }
        if (wanted && left <= 0) {
          return;
        }
        // Without an end, where nothing is copied unless the task fails.
        WAKE.wait(wanted ? left : 0);
      }
      asked = false;
    }
  }

  /**
   * When a task may copy again, in milliseconds since it began: no more than one change a minute.
   *
   * @param before files that it has copied
   * @param changes for each file; there is one more for their folder
   */
  static long nextMs(int before, int changes) {
    return CHANGE_MS * (1 + (long) changes * (before + FILES));
  }

  /** Copies what is there; false where something could not be copied. */
  private static synchronized boolean copyAll(boolean last) {
    try {
      CaptureCopier copier = copier();
      if (copier == null) {
        report(false, Reason.of("no_copier", "scheme", folder.getScheme()));
        return false;
      }
      boolean cold = area != null || copies == 0 && full;
      if (cold && !last && !copier.isFrugal()) {
        // A client of a file system is loaded now for the first time: not in a full heap.
        return true;
      }
      if (!wanted) {
        return true;
      }
      Reason refused = area == null ? null : area.admit(copier);
      if (refused != null) {
        report(false, refused);
        // Nor will it at the next interval.
        wanted = false;
        deleteFinished();
        // Stop here: a dump offered meanwhile has set it again.
        return true;
      }
      long bytes = Events.written();
      if (bytes != copiedBytes) {
        copies++;
        copier.copy(Events.file(), folder, Events.file().getName());
        copiedBytes = bytes;
      }
      copies++;
      copier.copy(new File(Attempt.current().dir(), Agent.POSITION), folder, Agent.POSITION);
      refused = last || copier.isFrugal() ? copyFinished(copier) : null;
      report(refused == null, refused);
      return true;
    } catch (Exception | OutOfMemoryError | LinkageError e) {
      report(false, Reason.error(e));
      return false;
    }
  }

  /**
   * The newest first: without the dump at death those before it say little.
   *
   * @return why the area takes one of them not, or null
   */
  private static Reason copyFinished(CaptureCopier copier) throws IOException {
    Reason refused = null;
    for (File file = newestFinished(); file != null; file = newestFinished()) {
      if (file.exists()) {
        Reason why = area == null ? null : area.admitDump(copier, file);
        if (why == null) {
          copier.copy(file, folder, file.getName());
        }
        // Log aggregation would copy it once more, and 'yarn logs' print it.
        if (why == null || CaptureArea.isSuperfluous(why)) {
          file.delete();
        }
        refused = why == null ? refused : why;
      }
      forget(file);
    }
    return refused;
  }

  /** Dumps that nobody takes: log aggregation would copy them, and 'yarn logs' print them. */
  private static void deleteFinished() {
    for (File file = newestFinished(); file != null; file = newestFinished()) {
      file.delete();
      forget(file);
    }
  }

  private static File newestFinished() {
    synchronized (FINISHED) {
      return FINISHED.peekLast();
    }
  }

  private static void forget(File finished) {
    synchronized (FINISHED) {
      FINISHED.remove(finished);
    }
  }

  private static CaptureCopier copier() {
    for (CaptureCopier each : COPIERS) {
      if (each.accepts(folder)) {
        return each;
      }
    }
    return null;
  }

  /** One event and one line when copying begins to fail, one event when it works again. */
  private static void report(boolean ok, Reason why) {
    if (ok == failing) {
      failing = !ok;
      EventLine line = Events.line("copy").put("ok", ok).put("what", folder.toString());
      (why == null ? line : why.putTo(line, "why")).write();
      if (!ok) {
        Faults.say(
            "cannot copy to "
                + folder
                + ": "
                + why
                + "; the events stay in "
                + Attempt.current().dir());
      }
    }
  }

  /** Copies to {@code file:} folders, and to paths without a scheme. */
  static class LocalCopier implements CaptureCopier {
    @Override
    public boolean isFrugal() {
      return true;
    }

    @Override
    public boolean accepts(URI target) {
      return target.getScheme() == null || target.getScheme().equals("file");
    }

    @Override
    public void copy(File file, URI target, String name) throws IOException {
      Path path = Paths.get(target.getPath());
      Files.createDirectories(path);
      Path beside = path.resolve("." + name + ".part");
      try {
        Files.copy(file.toPath(), beside, StandardCopyOption.REPLACE_EXISTING);
        Files.move(beside, path.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      } finally {
        // On a full disk half a dump would keep it full.
        Files.deleteIfExists(beside);
      }
    }

    @Override
    public void makePrivate(URI target) throws IOException {
      Path path = Paths.get(target.getPath());
      PrivateFolder.create(path);
      if (!PrivateFolder.isOurs(path)) {
        throw new IOException(path + " is not a folder of this user's alone");
      }
    }

    @Override
    public boolean claim(URI target, String name) throws IOException {
      try {
        Files.createFile(Paths.get(target.getPath()).resolve(name));
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      }
    }

    @Override
    public long[] usedAndUsable(URI target) {
      return Dumps.usedAndUsable(new File(target.getPath()));
    }
  }
}
