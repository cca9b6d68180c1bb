package org.mprof.agent.patch;

import java.util.ArrayList;
import java.util.List;
import org.mprof.agent.Reason;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/**
 * A class file with the rows of the table applied.
 *
 * <p>A row that does not find its target is left out. No class is loaded while one is patched:
 * maxima are computed by ASM, frames are kept or written out, and types are never compared by what
 * they extend.
 */
public final class PatchedClass {
  private final byte[] classFile;
  private final List<Missed> missed;

  private PatchedClass(byte[] classFile, List<Missed> missed) {
    this.classFile = classFile;
    this.missed = missed;
  }

  /** Applies the rows of one class to its class file. */
  public static PatchedClass of(List<Patch> rows, byte[] original) {
    ClassReader reader = new ClassReader(original);
    ClassShape shape = ClassShape.of(reader, rows);
    // Given the reader, the writer copies constant pool and untouched methods as they are.
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    ClassPatcher patcher = new ClassPatcher(writer, rows, shape);
    reader.accept(patcher, 0);
    return new PatchedClass(patcher.changed() ? writer.toByteArray() : null, patcher.missed());
  }

  /** The class file; null where no row could be applied. */
  public byte[] classFile() {
    return classFile;
  }

  /** Rows that found no target and should have; those that are optional are left out. */
  public List<Missed> missed() {
    List<Missed> expected = new ArrayList<>();
    for (Missed each : missed) {
      if (!each.patch.optional) {
        expected.add(each);
      }
    }
    return expected;
  }

  /** A row that could not be applied. */
  public static final class Missed {
    final Patch patch;
    final Reason why;

    Missed(Patch patch, Reason why) {
      this.patch = patch;
      this.why = why;
    }
  }
}
