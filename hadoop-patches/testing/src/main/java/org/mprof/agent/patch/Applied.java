package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/** What became of the rows of one class; for tests of tables. */
public final class Applied {
  public final byte[] classFile;
  public final List<String> missed = new ArrayList<>();

  private Applied(byte[] classFile) {
    this.classFile = classFile;
  }

  /** Applies the rows of a class to it. */
  public static Applied to(byte[] classFile, List<Patch> rows) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    ClassPatcher patcher = new ClassPatcher(writer, rows, ClassShape.of(reader, rows));
    reader.accept(patcher, 0);
    Applied applied = new Applied(writer.toByteArray());
    for (PatchedClass.Missed each : patcher.missed()) {
      applied.missed.add(each.patch + ": " + each.why);
    }
    return applied;
  }

  /** Whether a row may miss its target. */
  public static boolean mayMiss(Patch row) {
    return row.optional;
  }
}
