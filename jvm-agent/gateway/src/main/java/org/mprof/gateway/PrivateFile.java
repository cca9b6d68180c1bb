package org.mprof.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Writes a file that only its owner may read, whole or not at all. */
final class PrivateFile {

  private PrivateFile() {}

  static void write(Path file, String text) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Path fresh =
        Files.createTempFile(
            folder,
            ".ready",
            ".tmp",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(fresh, text.getBytes(StandardCharsets.UTF_8));
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
