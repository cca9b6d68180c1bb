package org.mprof.agent.patch;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.mprof.agent.EventLine;
import org.mprof.agent.Events;
import org.mprof.agent.Faults;

/**
 * Applies the table of patches to classes as they load.
 *
 * <p>One hash lookup for a class that is not in the table. A class whose transformation fails is
 * left as it was, and a row that does not find its target is reported and left out; either way the
 * task runs.
 *
 * <p>A class that was patched ahead of time comes from the archive. ASM is loaded only for a class
 * that the archive lacks: loading and interpreting it costs more than the rest of the agent's
 * start.
 */
public final class PatchTransformer implements ClassFileTransformer {
  private final Map<String, List<Patch>> table;
  private final Set<String> hookOwners = Collections.synchronizedSet(new LinkedHashSet<>());
  private final PatchArchive archive;
  private final AtomicInteger ahead = new AtomicInteger();
  private final AtomicInteger here = new AtomicInteger();

  /** {@code archive} holds classes patched ahead of time; null where all are patched here. */
  public PatchTransformer(List<Patch> rows, PatchArchive archive) {
    this.table = Patch.byClass(rows);
    this.archive = archive;
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

  /** How many classes came from the archive. */
  public int ahead() {
    return ahead.get();
  }

  /** How many were patched in this JVM. */
  public int here() {
    return here.get();
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
      return patched(rows, className, classFile);
    } catch (Throwable fault) {
      Faults.caught(fault, "patching", className);
      return null;
    }
  }

  private byte[] patched(List<Patch> rows, String className, byte[] original) {
    byte[] classFile = archive == null ? null : archive.find(className, original);
    if (classFile != null) {
      ahead.incrementAndGet();
    } else {
      PatchedClass patched = PatchedClass.of(rows, original);
      for (PatchedClass.Missed missed : patched.missed()) {
        EventLine line = Events.line("patch_missed").put("row", missed.patch.toString());
        missed.why.putTo(line, "why").write();
      }
      classFile = patched.classFile();
      if (classFile == null) {
        return null;
      }
      here.incrementAndGet();
    }
    for (Patch row : rows) {
      if (row.hookOwner != null) {
        hookOwners.add(row.hookOwner);
      }
    }
    return classFile;
  }
}
