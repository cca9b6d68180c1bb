package org.mprof.agent.patch;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
  private final List<String> hookOwners = new ArrayList<>();
  private int loaded;
  private final AtomicInteger patchedClasses = new AtomicInteger();

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
   * Loads and initialises the hooks of the classes patched since the last call. Those of failures
   * are else first needed when the heap is full: to load a class takes memory of it then, and so
   * does to link it. The classes of hooks have no static initialiser that needs another class of
   * Hadoop's or of the agent's, so that this thread and the task's never wait for each other.
   */
  public void loadHooks(ClassLoader loader) throws ClassNotFoundException {
    for (String owner = nextOwner(); owner != null; owner = nextOwner()) {
      Class.forName(owner.replace('/', '.'), true, loader);
    }
  }

  private String nextOwner() {
    synchronized (hookOwners) {
      return loaded < hookOwners.size() ? hookOwners.get(loaded++) : null;
    }
  }

  /** Number of classes changed so far. */
  public int patchedClasses() {
    return patchedClasses.get();
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
    if (rows == null || !seesHooks(loader)) {
      return null;
    }
    try {
      return apply(rows, classFile);
    } catch (Throwable fault) {
      Faults.caught(fault, "patching", className);
      return null;
    }
  }

  /**
   * Whether classes of this loader find the hooks. A task may load another Hadoop in a loader that
   * does not ask this one: a patched class of it could not be linked.
   */
  private static boolean seesHooks(ClassLoader loader) {
    ClassLoader own = PatchTransformer.class.getClassLoader();
    ClassLoader each = loader;
    while (each != null && each != own) {
      each = each.getParent();
    }
    return each == own;
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
    patchedClasses.incrementAndGet();
    synchronized (hookOwners) {
      for (Patch row : rows) {
        if (row.hookOwner != null && !hookOwners.contains(row.hookOwner)) {
          hookOwners.add(row.hookOwner);
        }
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
