package org.mprof.hadoop29;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.Value;
import org.mprof.hadoop.Opens;

/**
 * Files that are opened through Hadoop's file systems.
 *
 * <p>{@code FileSystem.open(Path, int)} is abstract, so the file systems that end the chain of
 * wrappers are named here; those of a cloud are patched where they are on the class path.
 */
final class FilePatches {
  private static final String HOOKS = "org/mprof/hadoop29/FilePatches$Hooks";
  private static final String OPEN =
      "(Lorg/apache/hadoop/fs/Path;I)" + "Lorg/apache/hadoop/fs/FSDataInputStream;";

  private static final String[][] FILE_SYSTEMS = {
    {"org/apache/hadoop/fs/RawLocalFileSystem", "0.20.2"},
    {"org/apache/hadoop/hdfs/DistributedFileSystem", "0.20.2"},
    {"org/apache/hadoop/hdfs/web/WebHdfsFileSystem", "1.2.1"},
    {"org/apache/hadoop/fs/s3a/S3AFileSystem", "2.6.0"},
    {"org/apache/hadoop/fs/azurebfs/AzureBlobFileSystem", "3.2.0"},
    {"com/google/cloud/hadoop/fs/gcs/GoogleHadoopFileSystemBase", null},
  };

  private FilePatches() {}

  static List<Patch> rows() {
    List<Patch> rows = new ArrayList<>();
    for (String[] each : FILE_SYSTEMS) {
      rows.add(
          Patch.in(each[0])
              .method("open", OPEN)
              .onReturn()
              .call(
                  HOOKS,
                  "opened",
                  "(Lorg/apache/hadoop/fs/Path;Ljava/lang/Object;)V",
                  Value.argument(0),
                  Value.returned())
              .optional()
              .since(each[1])
              .because("files that the user's code loads beside its input"));
    }
    return rows;
  }

  /** Called from the file systems. */
  public static final class Hooks {
    private Hooks() {}

    public static void opened(Path path, Object stream) {
      Opens.opened(path, stream);
    }
  }
}
