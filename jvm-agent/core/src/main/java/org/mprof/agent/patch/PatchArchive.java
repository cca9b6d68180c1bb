package org.mprof.agent.patch;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Class files that were patched ahead of time, in a zip file.
 *
 * <p>The name of an entry holds all that its content depends on: the agent's jar, the rows and
 * their numbers, the class, and its class file as the JVM is about to load it. So the archive of
 * another agent or another Hadoop has no entry for a class, rather than a wrong one.
 */
public final class PatchArchive implements Closeable {
  private final ZipFile zip;
  private final String table;

  /**
   * Opens an archive.
   *
   * @param table of {@link #table}
   */
  public PatchArchive(File file, String table) throws IOException {
    this.zip = new ZipFile(file);
    this.table = table;
  }

  /**
   * Identifies the rows of a module in an agent jar.
   *
   * @param agentJar CRC-32 of the jar
   * @param module its {@link PatchModule#name()}
   */
  public static String table(long agentJar, String module, List<Patch> rows) {
    // Patched classes know their rows by number.
    return Long.toHexString(agentJar) + '/' + module + '/' + rows.get(0).number;
  }

  /** The name of a class's entry. */
  public static String entry(String table, String className, byte[] original) {
    return table + '/' + className + '/' + original.length + '-' + Long.toHexString(crc(original));
  }

  /**
   * The patched class file, or null where the archive has none for this original.
   *
   * @throws IOException if the archive is damaged
   */
  byte[] find(String className, byte[] original) throws IOException {
    ZipEntry entry = zip.getEntry(entry(table, className, original));
    if (entry == null) {
      return null;
    }
    byte[] classFile = new byte[(int) entry.getSize()];
    try (InputStream in = zip.getInputStream(entry)) {
      new DataInputStream(in).readFully(classFile);
    }
    if (crc(classFile) != entry.getCrc()) {
      throw new IOException("damaged: " + entry.getName());
    }
    return classFile;
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }

  private static long crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, bytes.length);
    return crc.getValue();
  }
}
