package org.mprof.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFilesTest {
  @TempDir Path dir;

  @Test
  void onlyTheirOwnerMayWriteToTheFoldersOnTheWayToANewOne() throws IOException {
    Configuration open = new Configuration();
    // As a MiniMRYarnCluster sets it.
    open.set(CommonConfigurationKeys.FS_PERMISSIONS_UMASK_KEY, "000");
    ClusterFiles files = new ClusterFiles(open);
    String before = mode(dir);

    files.makeFolder(dir.resolve("a/b/c").toUri().toString(), 0700);
    files.makeFolder(dir.resolve("a/b/d").toUri().toString(), 01777);

    assertEquals(before, mode(dir));
    assertEquals("rwxr-xr-x", mode(dir.resolve("a")));
    assertEquals("rwxr-xr-x", mode(dir.resolve("a/b")));
    assertEquals("rwx------", mode(dir.resolve("a/b/c")));
    assertEquals("rwxrwxrwx", mode(dir.resolve("a/b/d")));
    assertEquals(System.getProperty("user.name"), files.user());
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
