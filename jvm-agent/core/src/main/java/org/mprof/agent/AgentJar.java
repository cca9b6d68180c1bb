package org.mprof.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.zip.CRC32;

/** The jar this agent was loaded from. */
final class AgentJar {
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
