package org.mprof.hadoop;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.mprof.agent.CaptureCopier;
import org.mprof.agent.Copying;
import org.mprof.agent.Settings;

/** Copies events and dumps to a capture folder on any file system that Hadoop knows. */
public final class HadoopCaptureCopier implements CaptureCopier {
  private static final int CHUNK = 64 * 1024;

  private static final int BUFFER = 4096;

  /** Packets that wait for their acknowledgement; 80 of them, the default, are 5 MB of heap. */
  private static final int PACKETS = 4;

  /**
   * Given up when the task fails. What filled the heap may be there to stay (a static field), and
   * an HDFS client that cannot allocate its packets does not fail but waits.
   */
  private static final int RESERVE_BYTES = 1024 * 1024;

  /** Records in the log of HDFS 3.4: the file, three of its block, its completion, its renaming. */
  private static final int CHANGES = 6;

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);
  private static final FsPermission OWNER_ONLY_FOLDER = new FsPermission((short) 0700);
  private static final int OTHERS = 0077;

  private static boolean registered;

  private final Configuration task;
  private final UserGroupInformation user;
  private FileSystem fileSystem;
  private Path madeFolder;
  private byte[] buffer;
  private volatile byte[] reserve;

  HadoopCaptureCopier(Configuration task, UserGroupInformation user, byte[] reserve) {
    this.task = task;
    this.user = user;
    this.reserve = reserve;
  }

  /**
   * Makes Hadoop's file systems reachable for captures, where one was asked for.
   *
   * @param task the task's configuration; called as the job's user, who differs from the user of
   *     the JVM where containers are not secure
   */
  public static synchronized void register(Configuration task) throws IOException {
    Settings settings = Settings.current();
    boolean always = settings.capture() != null;
    if (registered || !always && settings.captureArea() == null) {
      return;
    }
    registered = true;
    // Every task of a cluster would set it aside for an area, and few need it; what cannot be
    // copied from a full heap is still in the container's log folder.
    byte[] reserve = always ? new byte[RESERVE_BYTES] : null;
    Copying.use(new HadoopCaptureCopier(task, UserGroupInformation.getCurrentUser(), reserve));
  }

  @Override
  public boolean accepts(URI folder) {
    return folder.getScheme() != null && !"file".equals(folder.getScheme());
  }

  @Override
  public boolean tellsProgress(URI folder) {
    // The clients of object stores send a file when it is closed, and copy it to rename it.
    return "hdfs".equals(folder.getScheme());
  }

  @Override
  public int changesPerFile() {
    return CHANGES;
  }

  @Override
  public void failed() {
    reserve = null;
  }

  @Override
  public void copy(File file, URI folder, String name) throws IOException {
    asUser(() -> copyAsUser(file, new Path(path(folder), name)));
  }

  @Override
  public void makePrivate(URI folder) throws IOException {
    asUser(() -> makePrivateAsUser(path(folder)));
  }

  @Override
  public boolean claim(URI folder, String name) throws IOException {
    Path file = new Path(path(folder), name);
    return asUser(() -> claimAsUser(file));
  }

  @Override
  public long[] usedAndUsable(URI folder) throws IOException {
    return asUser(
        () -> {
          Path path = path(folder);
          FsStatus status = fileSystem(path).getStatus(path);
          return new long[] {status.getCapacity() - status.getRemaining(), status.getRemaining()};
        });
  }

  @Override
  public int replicas(URI folder) throws IOException {
    return asUser(() -> (int) fileSystem(path(folder)).getDefaultReplication(path(folder)));
  }

  /** Without the slash at its end, which would make the folder its own parent. */
  private static Path path(URI folder) {
    return new Path(folder.toString());
  }

  private <T> T asUser(PrivilegedExceptionAction<T> action) throws IOException {
    try {
      T done = user.doAs(action);
      Copying.moved();
      return done;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** An instance of its own: the job may close the one it shares with others. */
  private FileSystem fileSystem(Path path) throws IOException {
    if (fileSystem == null) {
      Configuration own = new Configuration(task);
      // Hadoop closes file systems in a shutdown hook, while the last events are being copied.
      own.setBoolean("fs.automatic.close", false);
      own.setInt("dfs.client.write.max-packets-in-flight", PACKETS);
      own.setInt("dfs.client-write-packet-size", CHUNK);
      fileSystem = FileSystem.newInstance(path.toUri(), own);
    }
    return fileSystem;
  }

  private Void makePrivateAsUser(Path folder) throws IOException {
    FileSystem files = fileSystem(folder);
    // mkdirs would make a missing area too, for this user alone.
    files.getFileStatus(folder.getParent());
    files.mkdirs(folder, OWNER_ONLY_FOLDER);
    FileStatus made = files.getFileStatus(folder);
    boolean byUs = user.getShortUserName().equals(made.getOwner());
    if (!byUs || (made.getPermission().toShort() & OTHERS) != 0) {
      throw new IOException(folder + " is not a folder of " + user.getShortUserName() + " alone");
    }
    return null;
  }

  private boolean claimAsUser(Path file) throws IOException {
    FileSystem files = fileSystem(file);
    try (FSDataOutputStream out = files.create(file, false)) {
      return true;
    } catch (IOException e) {
      // HDFS has more than one exception for it: another one where that file is being made now.
      if (files.exists(file)) {
        return false;
      }
      throw e;
    }
  }

  private Void copyAsUser(File file, Path target) throws IOException {
    FileSystem files = fileSystem(target);
    Path part = new Path(target.getParent(), "." + target.getName() + ".part");
    if (!target.getParent().equals(madeFolder)) {
      files.mkdirs(target.getParent());
      madeFolder = target.getParent();
    }
    boolean moved = false;
    try {
      write(file, part);
      new Replacing(files).replace(part, target);
      moved = true;
    } finally {
      if (!moved) {
        // On a full disk half a dump would keep it full.
        files.delete(part, false);
      }
    }
    return null;
  }

  /** A rename that replaces is one request, and a reader sees the old file or the new one. */
  private static final class Replacing extends FilterFileSystem {
    Replacing(FileSystem files) {
      super(files);
    }

    @SuppressWarnings("deprecation") // the other way, FileContext, would make one more client
    void replace(Path part, Path target) throws IOException {
      rename(part, target, Options.Rename.OVERWRITE);
    }
  }

  private void write(File file, Path part) throws IOException {
    if (buffer == null) {
      buffer = new byte[CHUNK];
    }
    long left = file.length();
    short replicas = fileSystem.getDefaultReplication(part);
    long block = fileSystem.getDefaultBlockSize(part);
    // Not FileSystem.create(fs, path, permission), which makes a second request of the permission.
    try (InputStream in = new FileInputStream(file);
        FSDataOutputStream out =
            fileSystem.create(part, OWNER_ONLY, true, BUFFER, replicas, block, null)) {
      while (left > 0) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          break;
        }
        out.write(buffer, 0, read);
        Copying.moved();
        left -= read;
      }
    }
  }
}
