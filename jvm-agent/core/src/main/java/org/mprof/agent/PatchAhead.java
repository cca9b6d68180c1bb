package org.mprof.agent;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchArchive;
import org.mprof.agent.patch.PatchedClass;

/** Patches the classes of the Hadoop on the class path, for tasks that will load the same ones. */
public final class PatchAhead {
  static final String FILE = "mprof-patched.zip";

  private PatchAhead() {}

  /** The archive beside the agent's jar, for its patches; null where there is none. */
  static PatchArchive archive(Patches patches) throws IOException {
    File jar = AgentJar.file();
    File file = jar == null ? null : new File(jar.getParentFile(), FILE);
    return file != null && file.isFile() ? new PatchArchive(file, table(patches, jar)) : null;
  }

  /**
   * Writes an archive of patched classes. A class is left out where a row does not find its target:
   * a task that loads it reports that.
   *
   * @param target written anew, unless there is nothing to patch
   * @return how many classes it holds
   */
  public static int write(File target) throws IOException {
    ClassLoader loader = PatchAhead.class.getClassLoader();
    Patches patches = Patches.find(loader);
    if (patches.rows().isEmpty()) {
      return 0;
    }
    String table = table(patches, AgentJar.file());
    int written = 0;
    try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(target))) {
      for (Map.Entry<String, List<Patch>> each : Patch.byClass(patches.rows()).entrySet()) {
        byte[] original = classFile(each.getKey(), loader);
        if (original == null) {
          continue; // another Hadoop than the row is for
        }
        PatchedClass patched = PatchedClass.of(each.getValue(), original);
        if (patched.classFile() != null && patched.missed().isEmpty()) {
          add(zip, PatchArchive.entry(table, each.getKey(), original), patched.classFile());
          written++;
        }
      }
    }
    return written;
  }

  private static String table(Patches patches, File jar) throws IOException {
    return PatchArchive.table(AgentJar.crc(jar), patches.line(), patches.rows());
  }

  private static byte[] classFile(String className, ClassLoader loader) throws IOException {
    try (InputStream in = loader.getResourceAsStream(className + ".class")) {
      if (in == null) {
        return null;
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 13];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        bytes.write(buffer, 0, read);
      }
      return bytes.toByteArray();
    }
  }

  /** Stored as it is: to inflate it would cost each task. */
  private static void add(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, bytes.length);
    ZipEntry entry = new ZipEntry(name);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.length);
    entry.setCrc(crc.getValue());
    entry.setTime(0);
    zip.putNextEntry(entry);
    zip.write(bytes);
    zip.closeEntry();
  }
}
