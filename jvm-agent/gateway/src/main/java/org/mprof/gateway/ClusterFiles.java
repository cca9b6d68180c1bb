package org.mprof.gateway;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** Files on whatever file system the URI names; a plain path means the default one. */
final class ClusterFiles {

  private final Configuration configuration;

  ClusterFiles(Configuration configuration) {
    this.configuration = configuration;
  }

  String home() throws IOException {
    FileSystem fileSystem = FileSystem.get(configuration);
    return fileSystem.makeQualified(fileSystem.getHomeDirectory()).toString();
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
      answer.add(row);
    }
    return answer;
  }

  String makeFolder(String uri, int mode) throws IOException {
    Path path = new Path(uri);
    FsPermission permission = new FsPermission((short) mode);
    if (!of(path).mkdirs(path, permission)) {
      throw new IOException("cannot make the folder " + uri);
    }
    // The umask took its share in mkdirs.
    of(path).setPermission(path, permission);
    return of(path).makeQualified(path).toString();
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
