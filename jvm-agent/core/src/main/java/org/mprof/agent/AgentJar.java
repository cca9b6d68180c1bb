package org.mprof.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.security.CodeSource;
import java.util.Map;
import java.util.zip.CRC32;

/** The jar this agent was loaded from. */
final class AgentJar {
  private static final int GROUP_AND_OTHERS_WRITE = 022;

  private AgentJar() {}

  /** The jar, or null where the classes come from elsewhere, such as a folder of a build. */
  static File file() {
    CodeSource source = AgentJar.class.getProtectionDomain().getCodeSource();
    try {
      File file = source == null ? null : new File(source.getLocation().toURI());
      return file != null && file.isFile() ? file : null;
    } catch (URISyntaxException | IllegalArgumentException notOfAFile) {
      return null;
    }
  }

  /** Whether nobody may write a file who may not write the jar: same owner, no more writers. */
  static boolean isProtectedAs(File jar, File file) throws IOException {
    // By number: the name of an owner may have to be asked for over the network.
    Map<String, Object> own = Files.readAttributes(jar.toPath(), "unix:uid,mode");
    Map<String, Object> other = Files.readAttributes(file.toPath(), "unix:uid,mode");
    int writers = (Integer) other.get("mode") & ~(Integer) own.get("mode") & GROUP_AND_OTHERS_WRITE;
    return own.get("uid").equals(other.get("uid")) && writers == 0;
  }

  /** CRC-32 of a jar: two builds of one version are told apart. */
  static long crc(File jar) throws IOException {
    CRC32 crc = new CRC32();
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = new FileInputStream(jar)) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        crc.update(buffer, 0, read);
      }
    }
    return crc.getValue();
  }
}
