package org.mprof.agent.patch;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.Faults;
import org.mprof.agent.Reason;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/**
 * Applies the table of patches to classes as they load.
 *
 * <p>One hash lookup for a class that is not in the table. A class whose transformation fails is
 * left as it was, and a row that does not find its target is reported and left out; either way the
 * task runs. No class is loaded while one is transformed: maxima are computed by ASM, frames are
 * kept or written out, and types are never compared by what they extend.
 */
public final class PatchTransformer implements ClassFileTransformer {
  private final Map<String, List<Patch>> table = new HashMap<>();
  private final Set<String> hookOwners = Collections.synchronizedSet(new LinkedHashSet<>());

  public PatchTransformer(List<Patch> patches) {
    for (Patch patch : patches) {
      List<Patch> rows = table.get(patch.className);
      if (rows == null) {
        rows = new ArrayList<>();
        table.put(patch.className, rows);
      }
      rows.add(patch);
    }
  }

  /**
   * Loads and initialises the hooks of the classes that were patched. Those of failures would
   * otherwise be loaded and linked in a full heap, and both allocate.
   */
  public void loadHooks(ClassLoader loader) {
    for (String owner : new ArrayList<>(hookOwners)) {
      try {
        Class.forName(owner.replace('/', '.'), true, loader);
      } catch (Throwable fault) {
        Faults.caught(fault, "hooks", owner);
      }
    }
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (className == null || redefined != null) {
      return null;
    }
    List<Patch> rows = table.get(className);
    if (rows == null || loader != PatchTransformer.class.getClassLoader()) {
      return null; // a class of another loader may not find the hooks, and then does not link
    }
    try {
      return apply(rows, classFile);
    } catch (Throwable fault) {
      Faults.caught(fault, "patching", className);
      return null;
    }
  }

  private byte[] apply(List<Patch> rows, byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassShape shape = ClassShape.of(reader, rows);
    // Given the reader, the writer copies constant pool and untouched methods as they are.
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    ClassPatcher patcher = new ClassPatcher(writer, rows, shape);
    reader.accept(patcher, 0);
    for (Missed missed : patcher.missed()) {
      if (!missed.patch.optional) {
        EventLine line = Events.line("patch_missed").put("row", missed.patch.toString());
        missed.why.putTo(line, "why").write();
      }
    }
    if (!patcher.changed()) {
      return null;
    }
    for (Patch row : rows) {
      if (row.hookOwner != null) {
        hookOwners.add(row.hookOwner);
      }
    }
    return writer.toByteArray();
  }

  /** A row that could not be applied. */
  static final class Missed {
    final Patch patch;
    final Reason why;

    Missed(Patch patch, Reason why) {
      this.patch = patch;
      this.why = why;
    }
  }
}
