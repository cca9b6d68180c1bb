package org.mprof.gateway;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/** Files on whatever file system the URI names; a plain path means the default one. */
final class ClusterFiles {

  private static final short OWNER_WRITES = 0755;

  private final Configuration configuration;

  ClusterFiles(Configuration configuration) {
    this.configuration = configuration;
  }

  String home() throws IOException {
    FileSystem fileSystem = FileSystem.get(configuration);
    return fileSystem.makeQualified(fileSystem.getHomeDirectory()).toString();
  }

  String user() throws IOException {
    return UserGroupInformation.getCurrentUser().getShortUserName();
  }

  boolean exists(String uri) throws IOException {
    Path path = new Path(uri);
    return of(path).exists(path);
  }

  List<Map<String, Object>> list(String uri) throws IOException {
    Path path = new Path(uri);
    List<Map<String, Object>> answer = new ArrayList<>();
    for (FileStatus status : of(path).listStatus(path)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("uri", status.getPath().toString());
      row.put("is_folder", status.isDirectory());
      row.put("bytes", status.getLen());
      row.put("modified_ms", status.getModificationTime());
      row.put("is_link", isLink(status));
      answer.add(row);
    }
    return answer;
  }

  /** As a row of {@link #list}, with owner and mode; a link is not followed where that is known. */
  Map<String, Object> status(String uri) throws IOException {
    Path path = new Path(uri);
    FileStatus status = of(path).getFileStatus(path);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("uri", status.getPath().toString());
    row.put("is_folder", status.isDirectory());
    row.put("bytes", status.getLen());
    row.put("modified_ms", status.getModificationTime());
    row.put("is_link", isLink(status));
    row.put("owner", status.getOwner());
    row.put("mode", (int) status.getPermission().toShort());
    return row;
  }

  /** Local listings follow links without a word. */
  private boolean isLink(FileStatus status) throws IOException {
    Path path = status.getPath();
    boolean local = "file".equals(path.toUri().getScheme());
    return local ? of(path).getFileLinkStatus(path).isSymlink() : status.isSymlink();
  }

  /** Bytes in use and bytes still to be had on the file system of a path. */
  Map<String, Object> space(String uri) throws IOException {
    Path path = new Path(uri);
    FsStatus status = of(path).getStatus(path);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("used", status.getCapacity() - status.getRemaining());
    answer.put("usable", status.getRemaining());
    return answer;
  }

  /** The first bytes of a file, a character each. */
  String head(String uri, int most) throws IOException {
    Path path = new Path(uri);
    byte[] bytes = new byte[most];
    int length = 0;
    try (InputStream in = of(path).open(path)) {
      for (int read = 0; read >= 0 && length < most; length += Math.max(read, 0)) {
        read = in.read(bytes, length, most - length);
      }
    }
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  void setMode(String uri, int mode) throws IOException {
    Path path = new Path(uri);
    of(path).setPermission(path, new FsPermission((short) mode));
  }

  String makeFolder(String uri, int mode) throws IOException {
    Path path = new Path(uri);
    FileSystem fileSystem = of(path);
    makeMissing(fileSystem, path.getParent());
    make(fileSystem, path, new FsPermission((short) mode));
    return fileSystem.makeQualified(path).toString();
  }

  /** Hadoop itself would make them with the umask, which is 000 in a MiniMRYarnCluster. */
  private static void makeMissing(FileSystem fileSystem, Path folder) throws IOException {
    if (folder != null && !fileSystem.exists(folder)) {
      makeMissing(fileSystem, folder.getParent());
      make(fileSystem, folder, new FsPermission(OWNER_WRITES));
    }
  }

  private static void make(FileSystem fileSystem, Path folder, FsPermission permission)
      throws IOException {
    if (!fileSystem.mkdirs(folder, permission)) {
      throw new IOException("cannot make the folder " + folder);
    }
    // The umask took its share in mkdirs.
    fileSystem.setPermission(folder, permission);
  }

  void rename(String from, String to) throws IOException {
    Path source = new Path(from);
    Path target = new Path(to);
    FileSystem fileSystem = of(source);
    if (!fileSystem.exists(source)) {
      throw new FileNotFoundException(from);
    }
    // An existing target folder would swallow the source instead of being refused.
    if (fileSystem.exists(target)) {
      throw new IOException(to + " is there already");
    }
    if (!fileSystem.rename(source, target)) {
      throw new IOException("cannot rename " + from + " to " + to);
    }
  }

  void delete(String uri) throws IOException {
    Path path = new Path(uri);
    of(path).delete(path, true);
  }

  /** A file, or a folder with nothing in it. */
  void deleteOne(String uri) throws IOException {
    Path path = new Path(uri);
    if (!of(path).delete(path, false)) {
      throw new FileNotFoundException(uri);
    }
  }

  void put(String localFile, String uri) throws IOException {
    Path target = new Path(uri);
    of(target).copyFromLocalFile(false, true, new Path("file://" + localFile), target);
  }

  void get(String uri, String localFile) throws IOException {
    Path source = new Path(uri);
    // Raw: no .crc file beside it.
    of(source).copyToLocalFile(false, source, new Path("file://" + localFile), true);
  }

  private FileSystem of(Path path) throws IOException {
    return path.getFileSystem(configuration);
  }
}
