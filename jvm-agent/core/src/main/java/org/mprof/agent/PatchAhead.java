package org.mprof.agent;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.mprof.agent.patch.ClassPath;
import org.mprof.agent.patch.Patch;
import org.mprof.agent.patch.PatchArchive;
import org.mprof.agent.patch.PatchedClass;

/** Patches the classes of the Hadoop on the class path, for tasks that will load the same ones. */
public final class PatchAhead {
  private PatchAhead() {}

  /** Writes the archive that the argument names, and prints how many classes it holds. */
  public static void main(String[] arguments) throws IOException {
    System.out.println(write(new File(arguments[0])));
  }

  /**
   * Writes an archive of patched classes.
   *
   * @param target replaced once the archive is whole; left alone where there is nothing to patch
   * @return how many classes it holds
   */
  public static int write(File target) throws IOException {
    ClassLoader loader = PatchAhead.class.getClassLoader();
    Patches patches = Patches.find(loader);
    File jar = AgentJar.file();
    if (jar == null || patches.rows().isEmpty()) {
      return 0;
    }
    File part = new File(target.getPath() + ".part");
    try {
      int written = write(part, patches.rows(), patches.table(jar), new ClassPath(loader));
      if (written > 0) {
        Path from = part.toPath();
        Files.move(from, target.toPath(), StandardCopyOption.ATOMIC_MOVE);
      }
      return written;
    } finally {
      part.delete();
    }
  }

  /**
   * Writes the classes of some rows. A class is left out where a row does not find its target: a
   * task that loads it reports that.
   */
  static int write(File target, List<Patch> rows, String table, ClassPath classPath)
      throws IOException {
    int written = 0;
    try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(target))) {
      for (Map.Entry<String, List<Patch>> each : Patch.byClass(rows).entrySet()) {
        byte[] original = classFile(each.getKey(), classPath);
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

  private static byte[] classFile(String className, ClassPath classPath) throws IOException {
    try (InputStream in = classPath.open(className + ".class")) {
      return in == null ? null : PatchArchive.allOf(in);
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
    entry.setTime(0); // so that equal classes make equal archives
    zip.putNextEntry(entry);
    zip.write(bytes);
    zip.closeEntry();
  }
}
