package org.mprof.hadoop;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.mprof.agent.CaptureCopier;
import org.mprof.agent.Copying;
import org.mprof.agent.Settings;

/** Copies events and dumps to a capture folder on any file system that Hadoop knows. */
public final class HadoopCaptureCopier implements CaptureCopier {
  private static final int CHUNK = 64 * 1024;

  /** Packets that wait for their acknowledgement; 80 of them, the default, are 5 MB of heap. */
  private static final int PACKETS = 4;

  /**
   * Given up when the task fails. What filled the heap may be there to stay (a static field), and
   * an HDFS client that cannot allocate its packets does not fail but waits.
   */
  private static final int RESERVE_BYTES = 1024 * 1024;

  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);

  private static boolean registered;

  private final Configuration configuration;
  private final UserGroupInformation user;
  private FileSystem fileSystem;
  private byte[] buffer;
  private volatile byte[] reserve = new byte[RESERVE_BYTES];

  private HadoopCaptureCopier(Configuration configuration, UserGroupInformation user) {
    this.configuration = configuration;
    this.user = user;
  }

  /**
   * Makes Hadoop's file systems reachable for captures, where one was asked for.
   *
   * @param task the task's configuration; called as the job's user, who differs from the user of
   *     the JVM where containers are not secure
   */
  public static synchronized void register(Configuration task) throws IOException {
    if (registered || Settings.current().capture() == null) {
      return;
    }
    registered = true;
    Configuration own = new Configuration(task);
    // Hadoop closes file systems in a shutdown hook, while the last events are being copied.
    own.setBoolean("fs.automatic.close", false);
    own.setInt("dfs.client.write.max-packets-in-flight", PACKETS);
    own.setInt("dfs.client-write-packet-size", CHUNK);
    Copying.use(new HadoopCaptureCopier(own, UserGroupInformation.getCurrentUser()));
  }

  @Override
  public boolean accepts(URI folder) {
    return folder.getScheme() != null && !"file".equals(folder.getScheme());
  }

  @Override
  public void failed() {
    reserve = null;
  }

  @Override
  public void copy(File file, URI folder, String name) throws IOException {
    try {
      user.doAs(
          (PrivilegedExceptionAction<Void>)
              () -> {
                copyAsUser(file, new Path(new Path(folder), name));
                return null;
              });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void copyAsUser(File file, Path target) throws IOException {
    if (fileSystem == null) {
      // An instance of its own: the job may close the one it shares with others.
      fileSystem = FileSystem.newInstance(target.toUri(), configuration);
    }
    Path part = new Path(target.getParent(), "." + target.getName() + ".part");
    fileSystem.mkdirs(target.getParent());
    write(file, part);
    // HDFS renames onto nothing but an empty place; a reader sees no file for that moment.
    fileSystem.delete(target, false);
    if (!fileSystem.rename(part, target)) {
      fileSystem.delete(part, false);
      throw new IOException("cannot rename " + part + " to " + target);
    }
  }

  private void write(File file, Path part) throws IOException {
    if (buffer == null) {
      buffer = new byte[CHUNK];
    }
    long left = file.length();
    try (InputStream in = new FileInputStream(file);
        FSDataOutputStream out = FileSystem.create(fileSystem, part, OWNER_ONLY)) {
      while (left > 0) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          break;
        }
        out.write(buffer, 0, read);
        left -= read;
      }
    }
  }
}
