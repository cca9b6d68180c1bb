package org.mprof.agent;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A local folder of this user's in a place where everybody may make one, such as {@code /tmp}.
 * Another user can have made it first, or a link: so it is looked at before it is used.
 */
final class PrivateFolder {
  private PrivateFolder() {}

  /** Makes it, not its parents; one that is there already may be anybody's. */
  static void create(Path folder) throws IOException {
    try {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      // Whose it is, and who can write to it, is asked by isOurs.
    }
  }

  /** Whether nobody else can have made, or can change, what stands in the folder. */
  static boolean isOurs(Path folder) {
    try {
      PosixFileAttributes found =
          Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      Set<PosixFilePermission> may = found.permissions();
      Path self = Paths.get("/proc/self");
      boolean byUs =
          Files.exists(self)
              ? found.owner().equals(Files.getOwner(self))
              : found.owner().getName().equals(System.getProperty("user.name"));
      return found.isDirectory()
          && byUs
          && !may.contains(PosixFilePermission.GROUP_WRITE)
          && !may.contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }
}
