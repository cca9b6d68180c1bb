package org.mprof.agent.patch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Class files that were patched ahead of time, from a zip file.
 *
 * <p>The name of an entry holds all that its content depends on: the agent's jar, the rows and
 * their numbers, the class, and its class file as the JVM is about to load it. So the archive of
 * another agent or another Hadoop has no entry for a class, rather than a wrong one.
 */
public final class PatchArchive {
  private final Map<String, byte[]> classFiles = new HashMap<>();
  private final String table;

  private PatchArchive(String table) {
    this.table = table;
  }

  /**
   * Reads an archive as a stream: Java 8 maps zip files that are opened by name into memory, and a
   * mapped file that is cut meanwhile ends the JVM.
   *
   * @param table of {@link #table}; other entries are skipped
   * @throws IOException if it is damaged; the stream checks the CRC-32 of each entry
   */
  public static PatchArchive read(InputStream in, String table) throws IOException {
    PatchArchive archive = new PatchArchive(table);
    ZipInputStream zip = new ZipInputStream(in);
    for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
      if (entry.getName().startsWith(table)) {
        archive.classFiles.put(entry.getName(), allOf(zip));
      }
    }
    return archive;
  }

  /**
   * Identifies the rows of a module in an agent jar.
   *
   * @param agentJar CRC-32 of the jar
   * @param module its {@link PatchModule#name()}
   */
  public static String table(long agentJar, String module, List<Patch> rows) {
    // Patched classes know their rows by number.
    return Long.toHexString(agentJar) + '/' + module + '/' + rows.get(0).number + '/';
  }

  /** The name of a class's entry. */
  public static String entry(String table, String className, byte[] original) {
    CRC32 crc = new CRC32();
    crc.update(original, 0, original.length);
    return table + className + '/' + original.length + '-' + Long.toHexString(crc.getValue());
  }

  /** All that is left to read. */
  public static byte[] allOf(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 15);
    byte[] buffer = new byte[1 << 13];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      bytes.write(buffer, 0, read);
    }
    return bytes.toByteArray();
  }

  /** The patched class file, or null where the archive has none for this original. */
  byte[] find(String className, byte[] original) {
    return classFiles.get(entry(table, className, original));
  }
}
