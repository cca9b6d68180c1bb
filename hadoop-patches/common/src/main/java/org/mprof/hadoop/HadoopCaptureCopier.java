package org.mprof.hadoop;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.mprof.agent.CaptureCopier;

/** Copies events and dumps to a capture folder on any file system that Hadoop knows. */
public final class HadoopCaptureCopier implements CaptureCopier {
  private static final int CHUNK = 64 * 1024;
  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);

  private static volatile Configuration configuration;

  private byte[] buffer;

  /** The task's configuration; before it is there nothing is copied. */
  public static void use(Configuration taskConfiguration) {
    configuration = taskConfiguration;
  }

  @Override
  public boolean accepts(URI folder) {
    return configuration != null && folder.getScheme() != null && !"file".equals(folder.getScheme());
  }

  @Override
  public void copy(File file, URI folder, String name) throws IOException {
    Path target = new Path(new Path(folder), name);
    Path part = new Path(target.getParent(), "." + name + ".part");
    FileSystem fs = target.getFileSystem(configuration);
    fs.mkdirs(target.getParent());
    write(file, fs, part);
    // HDFS renames onto nothing but an empty place; a reader sees no file for that moment.
    fs.delete(target, false);
    if (!fs.rename(part, target)) {
      fs.delete(part, false);
      throw new IOException("cannot rename " + part + " to " + target);
    }
  }

  private void write(File file, FileSystem fs, Path part) throws IOException {
    if (buffer == null) {
      buffer = new byte[CHUNK];
    }
    long left = file.length();
    try (InputStream in = new FileInputStream(file);
        FSDataOutputStream out = FileSystem.create(fs, part, OWNER_ONLY)) {
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
